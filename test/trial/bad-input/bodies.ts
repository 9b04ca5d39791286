import { brotliCompressSync, gzipSync } from 'node:zlib'
import { type DescMessage, fromJsonString, toBinary } from '@bufbuild/protobuf'
import { BinaryWriter } from '@bufbuild/protobuf/wire'
import fc from 'fast-check'
import { byteChanges, changed, messages, type Spoil, spoiledJson, spoils } from './messages.js'

/** The codings that bodies come in. */
export const codings = ['identity', 'gzip', 'br'] as const
/** One of them. */
export type Coding = (typeof codings)[number]

const compressors = { identity: (bytes: Uint8Array) => bytes, gzip: gzipSync, br: brotliCompressSync }

/** Compresses bytes. */
export function compress(coding: Coding, bytes: Uint8Array): Uint8Array {
  return compressors[coding](bytes)
}

/** 30 kB that decompress to 30 MB. */
export const bomb = gzipSync(Buffer.alloc(30 * 2 ** 20, '['), { level: 9 })

/** JSON of a message with faults in its values, its members and its bytes. */
export function jsonBodies(desc: DescMessage): fc.Arbitrary<{ value: Record<string, unknown>; bytes: Uint8Array }> {
  return fc.tuple(messages(desc), spoils, byteChanges).map(([value, faults, changes]) => ({
    value,
    bytes: changed(Buffer.from(spoiledJson(value, faults)), changes),
  }))
}

/** A field of the binary form that may fit no schema. */
const strayField = fc.record({
  no: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constantFrom(0, 15, 16, 18_999, 19_000, 2 ** 29 - 1)),
  wireType: fc.integer({ min: 0, max: 7 }),
  payload: fc.oneof(
    fc.uint8Array({ maxLength: 12 }),
    fc
      .constantFrom(
        [0],
        [1],
        [0x7f],
        [0x80, 0],
        [0xff, 0xff, 0xff, 0xff, 0x0f],
        [...Array<number>(9).fill(0xff), 1],
        Array<number>(11).fill(0xff),
        [3, 0xff, 0xfe, 0xfd],
        [1, 0xc0],
        [2, 0xc0, 0x80],
        [3, 0xed, 0xa0, 0x80],
        [1, 0],
        [4, 0xf4, 0x90, 0x80, 0x80],
        [5, 1],
        [0xff, 0xff, 0xff, 0xff, 0x07],
        [0x80, 0x80, 0x80, 0x80, 0x08],
        Array<number>(400).fill(0x0b),
        Array<number>(64).fill(0x0a),
      )
      .map((bytes) => Uint8Array.from(bytes)),
  ),
})

/** A binary message with fields that do not fit and changes to its bytes. */
export function binaryBodies(desc: DescMessage): fc.Arbitrary<Uint8Array> {
  return fc
    .tuple(messages(desc), fc.array(strayField, { maxLength: 2 }), byteChanges)
    .map(([value, fields, changes]) => {
      const parts = fields.map(({ no, wireType, payload }) =>
        Buffer.concat([new BinaryWriter().uint32(((no << 3) | wireType) >>> 0).finish(), payload]),
      )
      return changed(Buffer.concat([binaryOf(desc, value), ...parts]), changes)
    })
}

/** The part of the value that the schema accepts; texts that are not well-formed are sent as Node writes them. */
function binaryOf(desc: DescMessage, value: unknown): Uint8Array {
  try {
    return toBinary(desc, fromJsonString(desc, spoiledJson(value, noSpoils), { ignoreUnknownFields: true }))
  } catch (error) {
    if (error instanceof Error) return Buffer.alloc(0)
    throw error
  }
}

const noSpoils: readonly Spoil[] = []
