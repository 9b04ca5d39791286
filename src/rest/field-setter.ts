import { create, type DescField, isFieldSet, type Message } from '@bufbuild/protobuf'
import { invalidArgument, ValueFault } from '../protojson/invalid.js'
import type { FieldPath } from './field-path.js'
import { compileTextReader } from './field-text.js'

/** Fills one field of a message from text; `name` is what an error calls it. Throws `invalid_argument`. */
export type FieldSetter = (message: Message, text: string, name: string) => void

type Slots = Record<string, unknown>

/**
 * Compiles the setter for a field path: it makes the messages on the way, adds to a repeated field, replaces any other,
 * and refuses a member of a oneof of which another member is set.
 */
export function compileFieldSetter(path: FieldPath): FieldSetter {
  const leaf = path.at(-1) ?? path[0]
  const read = compileTextReader(leaf)
  const parents = path.slice(0, -1).map(compileDescend)
  const store = compileStore(leaf)
  return (message, text, name) => {
    let at = slotsOf(message)
    for (const descend of parents) at = descend(at, name)
    store(at, readValue(read, text, name), name)
  }
}

/** The value of a field in a message; undefined where it is not set. */
export function valueAt(message: Message, path: FieldPath): unknown {
  let at: unknown = message
  for (const field of path) {
    const held = asSlots(at)
    if (held === undefined) return undefined
    if (field.oneof === undefined) {
      at = isFieldSet(held as unknown as Message, field) ? held[field.localName] : undefined
    } else {
      const member = memberOf(held, field.oneof.localName)
      at = member.case === field.localName ? member.value : undefined
    }
  }
  return at
}

function readValue(read: (text: string) => unknown, text: string, name: string): unknown {
  try {
    return read(text)
  } catch (error) {
    if (error instanceof ValueFault) throw invalidArgument(name, error.message)
    throw error
  }
}

function compileDescend(field: DescField): (at: Slots, name: string) => Slots {
  const { localName } = field
  if (field.message === undefined) throw new Error(`${String(field)} has no message type`)
  const desc = field.message
  if (field.oneof !== undefined) {
    const oneof = field.oneof.localName
    return (at, name) => {
      const member = memberOf(at, oneof)
      checkMember(member, localName, name)
      const child = asSlots(member.value) ?? slotsOf(create(desc))
      if (member.case === undefined) at[oneof] = { case: localName, value: child }
      return child
    }
  }
  return (at) => {
    const held = asSlots(at[localName])
    if (held !== undefined) return held
    const child = slotsOf(create(desc))
    at[localName] = child
    return child
  }
}

function compileStore(field: DescField): (at: Slots, value: unknown, name: string) => void {
  const { localName } = field
  if (field.fieldKind === 'list') {
    return (at, value) => {
      const list = at[localName]
      if (Array.isArray(list)) list.push(value)
      else at[localName] = [value]
    }
  }
  if (field.oneof !== undefined) {
    const oneof = field.oneof.localName
    return (at, value, name) => {
      checkMember(memberOf(at, oneof), localName, name)
      at[oneof] = { case: localName, value }
    }
  }
  return (at, value) => {
    at[localName] = value
  }
}

function checkMember(member: { case?: string | undefined }, localName: string, name: string): void {
  if (member.case !== undefined && member.case !== localName) {
    throw invalidArgument(name, `${member.case} and ${localName} cannot both be set: set one of them`)
  }
}

/** A message seen as a record of its local names, which only descriptors know here. */
function slotsOf(message: Message): Slots {
  return message as unknown as Slots
}

function asSlots(value: unknown): Slots | undefined {
  return typeof value === 'object' && value !== null ? (value as Slots) : undefined
}

function memberOf(at: Slots, oneof: string): { case?: string | undefined; value?: unknown } {
  return (at[oneof] ?? {}) as { case?: string | undefined; value?: unknown }
}
