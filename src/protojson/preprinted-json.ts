import type { JsonPieces } from './json-pieces.js'

/** Where a preprinted list or message keeps its JSON. */
export const JSON_TEXT = Symbol('JSON text')

/** The JSON text of a preprinted list or message, in pieces; undefined for every other value. */
export function preprintedJson(value: object): JsonPieces | undefined {
  const pieces: unknown = Reflect.get(value, JSON_TEXT)
  return Array.isArray(pieces) ? pieces : undefined
}
