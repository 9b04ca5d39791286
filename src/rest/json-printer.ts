import { create, type DescField, type DescMessage, type Message, toJson } from '@bufbuild/protobuf'
import type { RestJsonOptions } from './options.js'
import { preprintedJson } from './preprinted-list.js'

/** Prints messages of one type as JSON text. */
export type JsonPrinter = (message: Message) => string

/**
 * Creates a printer that gives what `toJsonString` gives, and takes the text of preprinted lists as it is. They are looked
 * for in the fields of the message and of the messages in its singular fields.
 */
export function createJsonPrinter(desc: DescMessage, options: RestJsonOptions): JsonPrinter {
  const findPreprinted = compileSearch(desc, [])
  return (message) => {
    const found = findPreprinted?.(message)
    return found === undefined ? JSON.stringify(toJson(desc, message, options)) : print(desc, message, found, options)
  }
}

/** The preprinted parts of a message by field: the text of a list, or what was found in the message of the field. */
type Preprinted = Map<DescField, string | Preprinted>

type Search = (message: Message) => Preprinted | undefined

// Undefined where no such list can be: most messages are not searched at all.
function compileSearch(desc: DescMessage, above: readonly DescMessage[]): Search | undefined {
  if (above.includes(desc) || desc.typeName.startsWith('google.protobuf.')) return undefined
  const steps: { readonly field: DescField; readonly search: (message: Message) => string | Preprinted | undefined }[] =
    []
  for (const field of desc.fields) {
    const fieldOf = (message: Message): unknown => Reflect.get(message, field.localName)
    if (field.fieldKind === 'list' && field.listKind === 'message') {
      steps.push({ field, search: (message) => preprintedJson(fieldOf(message)) })
    } else if (field.fieldKind === 'message' && field.oneof === undefined) {
      const search = compileSearch(field.message, [...above, desc])
      if (search === undefined) continue
      steps.push({
        field,
        search: (message) => {
          const inner = messageIn(fieldOf(message))
          return inner && search(inner)
        },
      })
    }
  }
  if (steps.length === 0) return undefined
  return (message) => {
    let found: Preprinted | undefined
    for (const { field, search } of steps) {
      const part = search(message)
      if (part === undefined) continue
      found ??= new Map()
      found.set(field, part)
    }
    return found
  }
}

/** Prints the fields in the order of `toJson`: those that are found from their texts, the others by `toJson`. */
function print(desc: DescMessage, message: Message, found: Preprinted, options: RestJsonOptions): string {
  // `toJson` gets a copy in which what was found stands empty.
  const rest: Message = Object.assign(Object.create(Object.getPrototypeOf(message)), message)
  for (const field of found.keys()) {
    Reflect.set(rest, field.localName, field.fieldKind === 'message' ? create(field.message) : [])
  }
  const json = toJson(desc, rest, options)
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return JSON.stringify(json)
  // Joined by `+` alone, which copies nothing: the whole is put together once, when it is encoded.
  let members = ''
  const add = (key: string, value: string): void => {
    members += `${members === '' ? '' : ','}${JSON.stringify(key)}:`
    members += value
  }
  for (const field of desc.fields.toSorted((a, b) => a.number - b.number)) {
    const key = options.useProtoFieldName === true ? field.name : field.jsonName
    const part = found.get(field)
    if (typeof part === 'string') add(key, part)
    else if (part !== undefined && field.fieldKind === 'message') {
      const inner = messageIn(Reflect.get(message, field.localName))
      if (inner !== undefined) add(key, print(field.message, inner, part, options))
    } else if (Object.hasOwn(json, key)) add(key, JSON.stringify(json[key]))
  }
  return `{${members}}`
}

function messageIn(value: unknown): Message | undefined {
  return typeof value === 'object' && value !== null && '$typeName' in value ? (value as Message) : undefined
}
