import {
  type DescMessage,
  fromJson,
  type JsonReadOptions,
  type JsonWriteOptions,
  type Message,
  type MessageShape,
  toJson,
} from '@bufbuild/protobuf'

/** How the bodies and queries of one JSON API are read and printed; the options of protobuf-es. */
export type JsonOptions = Partial<JsonReadOptions & JsonWriteOptions>

/**
 * Prints a message as JSON, as text or, if it is long, as UTF-8: what `toJsonString` gives, or the text of a preprinted
 * message as it is, with `end` behind it.
 */
export function printJson(desc: DescMessage, message: Message, options: JsonOptions, end = ''): string | Uint8Array {
  return joinPieces([...(preprintedJson(message) ?? [JSON.stringify(toJson(desc, message, options))]), end])
}

/** Prints a message as one text, however long. */
export function jsonText(desc: DescMessage, message: Message, options: JsonOptions): string {
  return preprintedJson(message)?.join('') ?? JSON.stringify(toJson(desc, message, options))
}

/** A JSON text in pieces, to be put together once. */
export type JsonPieces = readonly string[]

/** Longer texts are encoded piece by piece: joining them first would copy megabytes. */
const LONG_TEXT = 64 * 1024

/** The whole text: as UTF-8 if it is long, otherwise as a string. */
export function joinPieces(pieces: JsonPieces): string | Uint8Array {
  let length = 0
  for (const piece of pieces) length += piece.length
  return length > LONG_TEXT ? bytesOf(pieces) : pieces.join('')
}

function bytesOf(pieces: JsonPieces): Uint8Array {
  let size = 0
  for (const piece of pieces) size += Buffer.byteLength(piece)
  const bytes = Buffer.allocUnsafe(size)
  let at = 0
  for (const piece of pieces) at += bytes.write(piece, at)
  return bytes
}

/** The key under which a preprinted message keeps its JSON. */
const JSON_TEXT = Symbol('JSON text')

/**
 * A message whose JSON is known before the message itself: `json` is its text, in pieces, with the same value as the
 * printer would give. Printing uses the text; any other access to the message first reads the text, and from then on it
 * is a message like any other. Unknown fields are ignored. If the text cannot be read, the access throws.
 */
export function preprintedMessage<Desc extends DescMessage>(desc: Desc, json: JsonPieces): MessageShape<Desc> {
  // Promises ask for `then`, and everything asks for the name of the type: neither counts as access to the message.
  const isMember = (key: string | symbol) => desc.members.some(({ localName }) => localName === key)
  const typeName = { $typeName: desc.typeName }
  let known: JsonPieces | undefined = json
  const read = (target: object): object => {
    if (known === undefined) return target
    const message = fromJson(desc, JSON.parse(known.join('')), { ignoreUnknownFields: true })
    known = undefined
    Object.setPrototypeOf(target, Object.getPrototypeOf(message))
    return Object.assign(target, message)
  }
  return new Proxy(typeName as MessageShape<Desc>, {
    get(target, key) {
      if (key === JSON_TEXT) return known
      return Reflect.get(isMember(key) ? read(target) : target, key)
    },
    has: (target, key) => Reflect.has(isMember(key) ? read(target) : target, key),
    ownKeys: (target) => Reflect.ownKeys(read(target)),
    // Streams ask for it, of every message.
    getPrototypeOf: (target) => Reflect.getPrototypeOf(target),
    getOwnPropertyDescriptor: (target, key) => Reflect.getOwnPropertyDescriptor(read(target), key),
    set: (target, key, value) => Reflect.set(read(target), key, value),
    defineProperty: (target, key, descriptor) => Reflect.defineProperty(read(target), key, descriptor),
    deleteProperty: (target, key) => Reflect.deleteProperty(read(target), key),
  })
}

/** The text of a preprinted message that nobody has accessed, in pieces; undefined for every other one. */
function preprintedJson(message: object): JsonPieces | undefined {
  const pieces: unknown = Reflect.get(message, JSON_TEXT)
  return Array.isArray(pieces) ? pieces : undefined
}
