import type { DescField } from '@bufbuild/protobuf'
import type { ReflectMessage } from '@bufbuild/protobuf/reflect'
import { invalidArgument, ValueFault } from '../protojson/invalid.js'
import { valueFromText } from '../protojson/json-message.js'
import type { FieldPath } from './field-path.js'

/**
 * Sets a field of a message from text: makes the messages on its path, adds to a repeated field, replaces any other,
 * and refuses a member of a oneof if another member is set. `name` is what an error calls it. Throws
 * `invalid_argument`.
 */
export function setFromText(message: ReflectMessage, path: FieldPath, text: string, name: string): void {
  const leaf = path.at(-1) ?? path[0]
  let parent = message
  for (const field of path.slice(0, -1)) parent = childOf(parent, field, name)
  const value = readText(leaf, text, name)
  if (leaf.fieldKind === 'list') parent.get(leaf).add(value)
  else {
    refuseOtherMember(parent, leaf, name)
    parent.set(leaf, value)
  }
}

/** The value of a field in a message; undefined where it is not set. */
export function valueAt(message: ReflectMessage, [field, ...rest]: readonly DescField[]): unknown {
  if (field === undefined) return message
  if (!message.isSet(field)) return undefined
  return field.fieldKind === 'message' ? valueAt(message.get(field), rest) : message.get(field)
}

function childOf(parent: ReflectMessage, field: DescField, name: string): ReflectMessage {
  refuseOtherMember(parent, field, name)
  if (field.fieldKind !== 'message') throw new Error(`${String(field)} has no message type`)
  const child = parent.get(field)
  if (!parent.isSet(field)) parent.set(field, child)
  return child
}

function refuseOtherMember(message: ReflectMessage, field: DescField, name: string): void {
  const member = field.oneof && message.oneofCase(field.oneof)
  if (member !== undefined && member !== field) {
    throw invalidArgument(name, `${member.localName} and ${field.localName} cannot both be set: set one of them`)
  }
}

function readText(field: DescField, text: string, name: string): unknown {
  try {
    return valueFromText(field, text)
  } catch (error) {
    if (!(error instanceof ValueFault)) throw error
    const hint = field.fieldKind === 'list' && text.includes(',') ? '; give each value by itself, without commas' : ''
    throw invalidArgument(name, `${error.message}${hint}`)
  }
}
