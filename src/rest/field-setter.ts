import { create, type DescField, isFieldSet, type Message } from '@bufbuild/protobuf'
import { fieldValue, setFieldValue, setMember } from '../protojson/field-value.js'
import { invalidArgument, ValueFault } from '../protojson/invalid.js'
import { compileTextReader } from '../protojson/json-reader.js'
import type { FieldPath } from './field-path.js'

/** Fills one field of a message from text; `name` is what an error calls it. Throws `invalid_argument`. */
export type FieldSetter = (message: Message, text: string, name: string) => void

/**
 * Compiles the setter for a field path: it makes the messages on the way, adds to a repeated field, replaces any other,
 * and refuses a member of a oneof of which another member is set.
 */
export function compileFieldSetter(path: FieldPath): FieldSetter {
  const leaf = path.at(-1) ?? path[0]
  const read = compileTextReader(leaf)
  const parents = path.slice(0, -1)
  return (message, text, name) => {
    let parent = message
    for (const field of parents) parent = childOf(parent, field, name)
    const value = readValue(read, text, name)
    if (leaf.fieldKind === 'list') {
      const list = fieldValue(parent, leaf)
      if (Array.isArray(list)) list.push(value)
      else setFieldValue(parent, leaf, [value])
    } else {
      refuseOtherMember(parent, leaf, name)
      setFieldValue(parent, leaf, value)
    }
  }
}

/** The value of a field in a message; undefined where it is not set. */
export function valueAt(message: Message, path: FieldPath): unknown {
  let at: unknown = message
  for (const field of path) {
    if (!isObject(at)) return undefined
    at = field.oneof !== undefined || isFieldSet(at, field) ? fieldValue(at, field) : undefined
  }
  return at
}

function childOf(parent: Message, field: DescField, name: string): Message {
  refuseOtherMember(parent, field, name)
  const held = fieldValue(parent, field)
  if (isObject(held)) return held
  if (field.message === undefined) throw new Error(`${String(field)} has no message type`)
  const child = create(field.message)
  setFieldValue(parent, field, child)
  return child
}

function isObject(value: unknown): value is Message {
  return typeof value === 'object' && value !== null
}

function refuseOtherMember(message: Message, field: DescField, name: string): void {
  const member = setMember(message, field)
  if (member !== undefined && member !== field.localName) {
    throw invalidArgument(name, `${member} and ${field.localName} cannot both be set: set one of them`)
  }
}

function readValue(read: (text: string) => unknown, text: string, name: string): unknown {
  try {
    return read(text)
  } catch (error) {
    if (error instanceof ValueFault) throw invalidArgument(name, error.message)
    throw error
  }
}
