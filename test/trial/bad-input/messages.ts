import type { DescField, DescMessage } from '@bufbuild/protobuf'
import fc from 'fast-check'
import { integers, strayJson, strayMembers, textFor } from './values.js'

/** How deep messages inside messages go. */
const MAX_DEPTH = 4

const known = new Map<string, fc.Arbitrary<unknown>>()

/** A message as JSON whose fields have their types, if not always values that the rules take. */
export function messages(desc: DescMessage, depth = 0): fc.Arbitrary<Record<string, unknown>> {
  const key = `${desc.typeName} ${depth}`
  const found = known.get(key) ?? fc.record(fieldsOf(desc, depth), { requiredKeys: [], noNullPrototype: true })
  known.set(key, found)
  return found as fc.Arbitrary<Record<string, unknown>>
}

function fieldsOf(desc: DescMessage, depth: number): Record<string, fc.Arbitrary<unknown>> {
  return Object.fromEntries(desc.fields.map((field) => [field.jsonName, valuesOf(field, depth)]))
}

function valuesOf(field: DescField, depth: number): fc.Arbitrary<unknown> {
  const item = itemsOf(field, depth)
  if (field.fieldKind === 'list') return fc.array(item, { maxLength: 3 })
  if (field.fieldKind === 'map') return fc.dictionary(fc.constantFrom('a', 'b', ''), item, { maxKeys: 2 })
  return item
}

function itemsOf(field: DescField, depth: number): fc.Arbitrary<unknown> {
  if (field.enum !== undefined) {
    const names = field.enum.values.flatMap(({ name, number }) => [name, number])
    return fc.constantFrom<unknown>(...names, 99, -1, 'UNKNOWN', '1')
  }
  if (field.message !== undefined) {
    if (/Value$|Struct$/.test(field.message.typeName)) return fc.jsonValue()
    return depth < MAX_DEPTH ? messages(field.message, depth + 1) : fc.constant({})
  }
  if (typeof field.scalar === 'number' && field.scalar === 8) return fc.boolean()
  if (field.scalar === 9 || field.scalar === 12) return textFor(field.jsonName)
  return integers
}

/** What is changed about the text of a JSON value. */
export interface Spoil {
  /** Which node of the value, counted in the order of the text. */
  readonly at: number
  /** Text that takes its place. */
  readonly instead?: string
  /** Members that are added to it if it is an object. */
  readonly members?: string
}

/** Nothing in most requests. */
export function rarely<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 24, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })
}

/** Up to two changes, and none in half of the requests. */
export const spoils: fc.Arbitrary<readonly Spoil[]> = fc.oneof(
  fc.constant<readonly Spoil[]>([]),
  fc.array(
    fc.oneof<fc.Arbitrary<Spoil>[]>(
      fc.record({ at: fc.nat(40), instead: fc.constantFrom(...strayJson) }),
      fc.record({ at: fc.nat(10), members: fc.constantFrom(...strayMembers) }),
    ),
    { minLength: 1, maxLength: 2 },
  ),
)

/** Prints a value with its changes. */
export function spoiledJson(value: unknown, changes: readonly Spoil[]): string {
  const count = countNodes(value)
  const byNode = new Map(changes.map((change) => [change.at % count, change]))
  let node = -1
  const print = (part: unknown): string => {
    const change = byNode.get(++node)
    if (change?.instead !== undefined) {
      node += countNodes(part) - 1
      return change.instead
    }
    if (Array.isArray(part)) return `[${part.map(print).join(',')}]`
    if (typeof part !== 'object' || part === null) return JSON.stringify(part) ?? 'null'
    const members = Object.entries(part).map(([name, memberValue]) => `${JSON.stringify(name)}:${print(memberValue)}`)
    return `{${[...members, change?.members ?? []].flat().join(',')}}`
  }
  return print(value)
}

function countNodes(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return 1 + Object.values(value).reduce<number>((sum, part) => sum + countNodes(part), 0)
}

/** A change to bytes: some are taken away at a place, and others put there. */
type ByteChange = { readonly at: number; readonly taken: number; readonly put: Uint8Array }
const change: fc.Arbitrary<ByteChange> = fc.record({
  at: fc.nat(),
  taken: fc.nat(8),
  put: fc.uint8Array({ maxLength: 4 }),
})

/** Changes to bytes: none in most requests. */
export const byteChanges = fc.oneof(
  { weight: 4, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.array(change, { minLength: 1, maxLength: 3 }) },
)

/** Applies changes to bytes. */
export function changed(bytes: Uint8Array, changes: readonly ByteChange[]): Uint8Array {
  return changes.reduce<Uint8Array>((before, { at, taken, put }) => {
    const place = at % (before.length + 1)
    return Buffer.concat([before.subarray(0, place), put, before.subarray(place + taken)])
  }, bytes)
}
