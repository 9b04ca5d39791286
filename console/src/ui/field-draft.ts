import {
  type DescField,
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonValue,
  type Message,
  ScalarType,
  toJson,
} from '@bufbuild/protobuf'
import { memberOf } from '../api/message.js'
import { kindOf } from '../api/things.js'
import { actionText, durationText, enumText, spokenId } from '../api/words.js'

/** How a field is edited. */
export type Control = 'text' | 'lines' | 'number' | 'duration' | 'check' | 'choice' | 'reference' | 'list' | 'messages'

/** How a field is edited, by its type and its name. */
export function controlOf(field: DescField): Control {
  switch (field.fieldKind) {
    case 'enum':
      return 'choice'
    case 'list':
      return field.message === undefined ? 'list' : 'messages'
    case 'message':
    case 'map':
      return 'messages'
    case 'scalar': {
      if (kindOf(field.localName) !== undefined) return 'reference'
      if (field.localName === 'description') return 'lines'
      if (field.scalar === ScalarType.BOOL) return 'check'
      if (field.localName.endsWith('Seconds')) return 'duration'
      return [ScalarType.INT32, ScalarType.INT64].includes(field.scalar) ? 'number' : 'text'
    }
  }
}

/** The value of a field of an object as the text that is edited. */
export function draftOf(field: DescField, item: Message | undefined): string {
  const value = item && memberOf(item, field.localName)
  if (value === undefined) return ''
  if (field.fieldKind === 'message') return JSON.stringify(toJson(field.message, value as Message))
  if (Array.isArray(value)) {
    const { message } = field
    if (message === undefined) return value.join('\n')
    return value.length === 0 ? '' : JSON.stringify(value.map((each: Message) => toJson(message, each)))
  }
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The text of the field with a name; empty for no such field. */
export function draftAt(schema: DescMessage, name: string, item: Message | undefined): string {
  const field = schema.field[name]
  return field === undefined ? '' : draftOf(field, item)
}

/** What no length of time means. */
const unlimited: Readonly<Record<string, string>> = {
  lifetimeSeconds: 'Never',
  syncIntervalSeconds: 'Whenever it is started',
}

/** The same text for a reader. */
export function draftText(field: DescField, draft: string): string {
  if (field.fieldKind === 'enum') return enumText(field.enum, Number(draft))
  if (controlOf(field) === 'check') return draft === 'true' ? 'Yes' : 'No'
  if (draft === '0' && unlimited[field.localName]) return unlimited[field.localName] ?? ''
  if (controlOf(field) === 'duration') return draft === '' ? '' : durationText(Number(draft))
  if (field.localName === 'types') return draft === '' ? 'All' : draft.split('\n').map(actionText).join(', ')
  const spoken = /Ids?$/.test(field.localName) ? spokenId : String
  return draft.split('\n').map(spoken).join(', ')
}

/** What an edited text means in JSON. Throws with what is wrong with it. */
export function jsonOf(field: DescField, draft: string): JsonValue {
  switch (controlOf(field)) {
    case 'check':
      return draft === 'true'
    case 'number':
    case 'duration':
    case 'choice':
      if (!/^-?\d+$/.test(draft)) throw new Error('A whole number.')
      if (Math.abs(Number(draft)) > MAX_INT32) throw new Error('Too large.')
      return Number(draft)
    case 'list':
      return draft.split('\n').flatMap((line) => line.trim() || [])
    case 'messages':
      return readJson(field, draft)
    case 'reference':
    case 'text':
    case 'lines':
      return draft
  }
}

/** No form has a number of more bits. */
const MAX_INT32 = 2 ** 31 - 1

function readJson(field: DescField, draft: string): JsonValue {
  // Lists of texts have an empty one as long as a line is begun.
  const withoutEmpty = (_: string, value: JsonValue) =>
    Array.isArray(value) ? value.filter((each) => each !== '') : value
  const json: JsonValue = draft === '' ? [] : JSON.parse(draft, withoutEmpty)
  const { message } = field
  if (message !== undefined) for (const each of [json].flat()) fromJson(message, each)
  return json
}

/** The messages that the text of a field means, as JSON. */
export function nestedOf(text: string): readonly JsonObject[] {
  return text === '' ? [] : [JSON.parse(text)].flat()
}

/** The value of a field of a message in JSON as the text that is edited. */
export function nestedDraft(field: DescField, item: JsonObject): string {
  const value = item[field.jsonName]
  if (value === undefined || value === null) return ''
  const given = field.fieldKind === 'enum' && field.enum.values.find(({ name }) => name === value)
  if (given) return String(given.number)
  if (Array.isArray(value) && field.message === undefined) return value.filter(isText).join('\n')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** What an edited text means in a message; what cannot be read stays as it was typed, so that the message is refused. */
export function jsonOfDraft(field: DescField, draft: string): JsonValue {
  if (draft === '') return null
  if (controlOf(field) === 'list') return draft.split('\n')
  if (controlOf(field) === 'messages') return JSON.parse(draft)
  try {
    return jsonOf(field, draft)
  } catch {
    return draft
  }
}

function isText(value: JsonValue): value is string {
  return typeof value === 'string'
}
