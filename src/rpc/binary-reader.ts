import { type DescField, type DescMessage, fromBinary, type Message, ScalarType } from '@bufbuild/protobuf'
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import { ConnectError } from '@connectrpc/connect'
import { invalidArgument } from '../protojson/invalid.js'

/**
 * Compiles the reader of binary messages of one type. Before it decodes anything, it walks over the bytes and counts
 * the values that they would become: fields, known or not, and items of packed lists. Two megabytes can contain a
 * million empty messages, which would keep the process busy for a tenth of a second. The walk also checks the wire type
 * of every known field, which protobuf-es takes for granted: it would read the bytes of a text as fields where a number
 * belongs. Throws `invalid_argument` for more than `maxValues`, and for bytes that are not such a message.
 */
export function createBinaryReader(desc: DescMessage, maxValues: number): (bytes: Uint8Array) => Message {
  const shape = wireShapeOf(desc, new Map())
  return (bytes) => {
    try {
      checkWire(bytes, shape, maxValues)
      return fromBinary(desc, bytes, { readUnknownFields: false })
    } catch (error) {
      if (error instanceof ConnectError) throw error
      const reason = error instanceof Error ? error.message : String(error)
      throw invalidArgument('', `the message is not a valid ${desc.typeName}: ${reason}`)
    }
  }
}

/** How the fields of a message type are sent, by their numbers. */
type WireShape = ReadonlyMap<number, FieldShape>

interface FieldShape {
  readonly name: string
  readonly wireType: WireType
  /** The shape of the message in the field; computed late, because types can be recursive. */
  readonly message?: (() => WireShape) | undefined
  /** Whether the items of the field can be packed. */
  readonly isPackable?: boolean
}

const NOTHING_KNOWN: WireShape = new Map()

function wireShapeOf(desc: DescMessage, known: Map<DescMessage, WireShape>): WireShape {
  const cached = known.get(desc)
  if (cached !== undefined) return cached
  const shape = new Map<number, FieldShape>()
  known.set(desc, shape)
  for (const field of desc.fields) shape.set(field.number, fieldShapeOf(field, known))
  return shape
}

function fieldShapeOf(field: DescField, known: Map<DescMessage, WireShape>): FieldShape {
  const { name, fieldKind, message: desc } = field
  const message = desc && (() => wireShapeOf(desc, known))
  const isGroup = 'delimitedEncoding' in field && field.delimitedEncoding
  const ofMessage = isGroup ? WireType.StartGroup : WireType.LengthDelimited
  const wireType = message === undefined ? scalarWireType(field.scalar) : ofMessage
  if (fieldKind !== 'map') {
    return { name, wireType, message, isPackable: fieldKind === 'list' && wireType !== ofMessage }
  }
  const entry: WireShape = new Map<number, FieldShape>([
    [1, { name: `${name}.key`, wireType: scalarWireType(field.mapKey) }],
    [2, { name: `${name}.value`, wireType, message }],
  ])
  return { name, wireType: WireType.LengthDelimited, message: () => entry }
}

/** The wire types of the scalars that are not varints. */
const scalarWireTypes: ReadonlyMap<ScalarType | undefined, WireType> = new Map([
  [ScalarType.STRING, WireType.LengthDelimited],
  [ScalarType.BYTES, WireType.LengthDelimited],
  [ScalarType.DOUBLE, WireType.Bit64],
  [ScalarType.FIXED64, WireType.Bit64],
  [ScalarType.SFIXED64, WireType.Bit64],
  [ScalarType.FLOAT, WireType.Bit32],
  [ScalarType.FIXED32, WireType.Bit32],
  [ScalarType.SFIXED32, WireType.Bit32],
])

/** The wire type of a scalar, or of an enum if there is no scalar. */
function scalarWireType(scalar: ScalarType | undefined): WireType {
  return scalarWireTypes.get(scalar) ?? WireType.Varint
}

function checkWire(bytes: Uint8Array, root: WireShape, maxValues: number): void {
  const reader = new BinaryReader(bytes)
  let values = 0

  function count(more: number): void {
    values += more
    if (values > maxValues) {
      throw invalidArgument('', `the message has more than ${maxValues} values (fields and list items)`)
    }
  }

  // To `end`, or to the end of the group.
  function walk(shape: WireShape, end: number, depth: number): void {
    if (depth > MAX_DEPTH) throw invalidArgument('', `messages nest more than ${MAX_DEPTH} levels deep`)
    while (reader.pos < end) {
      const [number, wireType] = reader.tag()
      if (wireType === WireType.EndGroup) return
      count(1)
      const field = shape.get(number)
      const isPacked = wireType === WireType.LengthDelimited && field?.isPackable === true
      if (field !== undefined && field.wireType !== wireType && !isPacked) {
        const [given, expected] = [wireTypeNames[wireType], wireTypeNames[field.wireType]]
        throw new TypeError(`field ${number} (${field.name}) has wire type ${given}, not ${expected}`)
      }
      if (wireType === WireType.StartGroup) walk(field?.message?.() ?? NOTHING_KNOWN, end, depth + 1)
      else if (wireType !== WireType.LengthDelimited) reader.skip(wireType)
      else {
        const stop = reader.uint32() + reader.pos
        if (stop > end) throw new RangeError('a field is longer than the message that contains it')
        if (field?.message !== undefined) walk(field.message(), stop, depth + 1)
        else if (isPacked) count(itemsIn(bytes, reader.pos, stop, field.wireType))
        reader.pos = stop
      }
    }
  }

  walk(root, bytes.length, 0)
}

/** How deep messages and groups may nest: the limit of protobuf-es. */
const MAX_DEPTH = 100

/** The names of the encoding specification of protobuf. */
const wireTypeNames: Readonly<Record<WireType, string>> = {
  [WireType.Varint]: 'VARINT',
  [WireType.Bit64]: 'I64',
  [WireType.LengthDelimited]: 'LEN',
  [WireType.StartGroup]: 'SGROUP',
  [WireType.EndGroup]: 'EGROUP',
  [WireType.Bit32]: 'I32',
}

function itemsIn(bytes: Uint8Array, start: number, end: number, wireType: WireType): number {
  if (wireType === WireType.Bit64) return (end - start) / 8
  if (wireType === WireType.Bit32) return (end - start) / 4
  // The last byte of a number is the one without the high bit.
  let count = 0
  for (let at = start; at < end; at++) if ((bytes[at] ?? 0) < 0x80) count++
  return count
}
