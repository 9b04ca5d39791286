import { create, fromBinary, type Message, toBinary } from '@bufbuild/protobuf'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { Code, ConnectError } from '@connectrpc/connect'
import { describe, expect, it } from '@jest/globals'
import { createBinaryReader } from '../../src/rpc/binary-reader.js'
import { messageType } from '../rest/fixture.js'

const everything = messageType('Everything')
const MAX_VALUES = 100
const read = createBinaryReader(everything, MAX_VALUES)

/** The message that a reader makes of bytes, or what it says of them. */
function outcomeOf(bytes: Uint8Array): Message | string {
  try {
    return read(bytes)
  } catch (error) {
    if (error instanceof ConnectError && error.code === Code.InvalidArgument) return error.rawMessage
    throw error
  }
}

/** A field with nothing in it, or zeros, as a wire type writes it. */
function emptyField(number: number, wireType: WireType): Uint8Array {
  const writer = new BinaryWriter().tag(number, wireType)
  if (wireType === WireType.Varint) return writer.uint32(0).finish()
  if (wireType === WireType.Bit64) return writer.raw(new Uint8Array(8)).finish()
  if (wireType === WireType.Bit32) return writer.raw(new Uint8Array(4)).finish()
  if (wireType === WireType.LengthDelimited) return writer.bytes(new Uint8Array()).finish()
  return writer.tag(number, WireType.EndGroup).finish()
}

const wireTypeNames = {
  VARINT: WireType.Varint,
  I64: WireType.Bit64,
  I32: WireType.Bit32,
  LEN: WireType.LengthDelimited,
}
const allNames = [...Object.keys(wireTypeNames), 'SGROUP'] as (keyof typeof wireTypeNames | 'SGROUP')[]

describe('a field is accepted only in its own wire types, and refused by name in every other', () => {
  it.each([
    ['flag', ['VARINT']],
    ['i32', ['VARINT']],
    ['s64', ['VARINT']],
    ['color', ['VARINT']],
    ['f32', ['I32']],
    ['float_value', ['I32']],
    ['sf64', ['I64']],
    ['double_value', ['I64']],
    ['id', ['LEN']],
    ['data', ['LEN']],
    ['leaf', ['LEN']],
    ['names', ['LEN']],
    ['leaves', ['LEN']],
    ['labels', ['LEN']],
    ['numbers', ['VARINT', 'LEN']],
    ['colors', ['VARINT', 'LEN']],
  ])('%s', (name, own) => {
    const number = everything.fields.find((field) => field.name === name)?.number ?? 0
    for (const wireType of allNames) {
      const bytes = emptyField(number, wireType === 'SGROUP' ? WireType.StartGroup : wireTypeNames[wireType])
      const expected = own.includes(wireType)
        ? fromBinary(everything, bytes)
        : expect.stringContaining(`field ${number} (${name}) has wire type ${wireType}, not ${own[0]}`)
      expect([wireType, outcomeOf(bytes)]).toEqual([wireType, expected])
    }
  })

  it('including in map entries', () => {
    const entry = new BinaryWriter().tag(25, WireType.LengthDelimited).bytes(emptyField(1, WireType.Varint)).finish()
    expect(outcomeOf(entry)).toContain('field 1 (labels.key) has wire type VARINT, not LEN')
  })
})

it('unknown fields are skipped, whatever their wire type', () => {
  for (const wireType of allNames) {
    const bytes = emptyField(999, wireType === 'SGROUP' ? WireType.StartGroup : wireTypeNames[wireType])
    expect(outcomeOf(bytes)).toEqual(create(everything))
  }
})

describe(`more than ${MAX_VALUES} values are refused before any are allocated`, () => {
  const leaf = { name: 'a' }
  it.each([
    ['items of a list', (count: number) => ({ names: Array(count).fill('') })],
    ['packed numbers', (count: number) => ({ numbers: Array(count - 1).fill(1) })],
    ['packed enums', (count: number) => ({ colors: Array(count - 1).fill(1) })],
    ['fields of messages', (count: number) => ({ leaves: Array(count / 2).fill(leaf) })],
  ])('%s', (_what, fields) => {
    const bytes = (count: number) => toBinary(everything, create(everything, fields(count) as Record<string, unknown>))
    expect(outcomeOf(bytes(MAX_VALUES))).toEqual(fromBinary(everything, bytes(MAX_VALUES)))
    expect(outcomeOf(bytes(MAX_VALUES + 2))).toBe(
      `the message has more than ${MAX_VALUES} values (fields and list items)`,
    )
  })
})
