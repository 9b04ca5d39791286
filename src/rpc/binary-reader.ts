import { type DescMessage, fromBinary, type Message, ScalarType } from '@bufbuild/protobuf'
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import { ConnectError } from '@connectrpc/connect'
import { invalidArgument } from '../rest/invalid.js'

/**
 * Compiles the reader of binary messages of one type. Before it decodes anything it walks over the bytes and counts what
 * would be made of them: fields, known or not, and items of packed lists. Two megabytes hold a million empty messages,
 * which would keep the process busy for a tenth of a second. Throws `invalid_argument` for more than `maxValues`, and for
 * bytes that are no such message.
 */
export function createBinaryReader(desc: DescMessage, maxValues: number): (bytes: Uint8Array) => Message {
  const shape = wireShapeOf(desc, new Map())
  return (bytes) => {
    try {
      // A value takes a byte at least.
      if (bytes.length > maxValues) countValues(bytes, shape, maxValues)
      return fromBinary(desc, bytes, { readUnknownFields: false })
    } catch (error) {
      if (error instanceof ConnectError) throw error
      const reason = error instanceof Error ? error.message : String(error)
      throw invalidArgument('', `the message is not a valid ${desc.typeName}: ${reason}`)
    }
  }
}

/** What of a message type decides how much is made of its bytes, by the numbers of its fields. */
interface WireShape {
  /** The fields that hold messages; asked for late, because types may be recursive. */
  readonly messages: ReadonlyMap<number, () => WireShape>
  /** The lists of numbers, with the bytes that an item takes where all take the same, else 0. */
  readonly lists: ReadonlyMap<number, number>
}

const NOTHING_KNOWN: WireShape = { messages: new Map(), lists: new Map() }

function wireShapeOf(desc: DescMessage, known: Map<DescMessage, WireShape>): WireShape {
  const held = known.get(desc)
  if (held !== undefined) return held
  const messages = new Map<number, () => WireShape>()
  const lists = new Map<number, number>()
  const shape = { messages, lists }
  known.set(desc, shape)
  for (const field of desc.fields) {
    const { message } = field
    const inner = message && (() => wireShapeOf(message, known))
    if (field.fieldKind === 'map') {
      const entry: WireShape = { messages: new Map(inner && [[MAP_VALUE, inner]]), lists: new Map() }
      messages.set(field.number, () => entry)
    } else if (inner !== undefined) {
      messages.set(field.number, inner)
    } else if (field.fieldKind === 'list') {
      const isText = field.scalar === ScalarType.STRING || field.scalar === ScalarType.BYTES
      if (!isText) lists.set(field.number, NUMBER_BYTES.get(field.scalar) ?? 0)
    }
  }
  return shape
}

/** The number of the value in an entry of a map. */
const MAP_VALUE = 2

/** The bytes of the numbers that always take the same. */
const NUMBER_BYTES: ReadonlyMap<ScalarType | undefined, number> = new Map([
  [ScalarType.DOUBLE, 8],
  [ScalarType.FIXED64, 8],
  [ScalarType.SFIXED64, 8],
  [ScalarType.FLOAT, 4],
  [ScalarType.FIXED32, 4],
  [ScalarType.SFIXED32, 4],
])

function countValues(bytes: Uint8Array, root: WireShape, maxValues: number): void {
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
      const inner = shape.messages.get(number)
      if (wireType === WireType.StartGroup) walk(inner?.() ?? NOTHING_KNOWN, end, depth + 1)
      else if (wireType !== WireType.LengthDelimited) reader.skip(wireType)
      else {
        const stop = reader.uint32() + reader.pos
        if (stop > end) throw new RangeError('a field is longer than what it is in')
        const width = shape.lists.get(number)
        if (inner !== undefined) walk(inner(), stop, depth + 1)
        else if (width !== undefined)
          count(width === 0 ? varintsIn(bytes, reader.pos, stop) : (stop - reader.pos) / width)
        reader.pos = stop
      }
    }
  }

  walk(root, bytes.length, 0)
}

/** How deep messages and groups may nest: the limit of protobuf-es. */
const MAX_DEPTH = 100

// The last byte of a number is the one without the high bit.
function varintsIn(bytes: Uint8Array, start: number, end: number): number {
  let count = 0
  for (let at = start; at < end; at++) if ((bytes[at] ?? 0) < 0x80) count++
  return count
}
