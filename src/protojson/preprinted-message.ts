import { type DescMessage, fromJson, type MessageShape } from '@bufbuild/protobuf'
import type { JsonPieces } from './json-pieces.js'

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
    getPrototypeOf: (target) => Reflect.getPrototypeOf(read(target)),
    getOwnPropertyDescriptor: (target, key) => Reflect.getOwnPropertyDescriptor(read(target), key),
    set: (target, key, value) => Reflect.set(read(target), key, value),
    defineProperty: (target, key, descriptor) => Reflect.defineProperty(read(target), key, descriptor),
    deleteProperty: (target, key) => Reflect.deleteProperty(read(target), key),
  })
}

/**
 * The JSON text of a preprinted message, in pieces; undefined for every other message, and once it has been accessed.
 */
export function preprintedJson(message: object): JsonPieces | undefined {
  const pieces: unknown = Reflect.get(message, JSON_TEXT)
  return Array.isArray(pieces) ? pieces : undefined
}
