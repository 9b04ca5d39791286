import type { JsonValue } from '@bufbuild/protobuf'
import { quoted, ValueFault } from './invalid.js'

/**
 * Parsed JSON without any loss: an integer beyond 2^53 is a bigint, and a number with a fraction that a double cannot
 * tell from an integer is a `Fraction`.
 */
export type JsonTree = null | boolean | number | bigint | string | Fraction | JsonTree[] | JsonTreeObject

export interface JsonTreeObject {
  [key: string]: JsonTree
}

/** A number that is not an integer although its nearest double is one. */
export class Fraction {
  readonly value: number
  constructor(value: number) {
    this.value = value
  }
}

/** How deep arrays and objects, and messages, may nest; the limit of protobuf-es. */
export const MAX_JSON_DEPTH = 100

/** Sets a key of an object as its own property, `__proto__` included. */
export function setKey<T>(object: { [key: string]: T }, key: string, value: T): void {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
}

/**
 * Turns a tree into plain JSON values, with integers beyond 2^53 as decimal strings, or as doubles by `Number`, as
 * Struct keeps them. Changes the tree in place, because copying its objects would take as long as parsing them.
 */
export function plainJson(tree: JsonTree, fromLarge: (integer: bigint) => JsonValue = String): JsonValue {
  if (typeof tree === 'bigint') return fromLarge(tree)
  if (tree instanceof Fraction) return tree.value
  if (typeof tree !== 'object' || tree === null) return tree
  for (const key of Object.keys(tree)) {
    const child = Reflect.get(tree, key)
    const value = plainJson(child, fromLarge)
    if (value !== child) Reflect.set(tree, key, value)
  }
  return tree as JsonValue
}

/** Throws `ValueFault` for objects and lists that nest deeper. */
export function refuseDeeper(tree: JsonTree, maxDepth: number, depth = 0): void {
  if (!isContainer(tree)) return
  if (depth === maxDepth) throw new ValueFault(`objects and lists nest more than ${maxDepth} levels deep`)
  for (const child of Object.values(tree)) refuseDeeper(child, maxDepth, depth + 1)
}

export function isContainer(json: JsonTree): json is JsonTree[] | JsonTreeObject {
  return typeof json === 'object' && json !== null && !(json instanceof Fraction)
}

/** The object that JSON must be, or a `ValueFault`. */
export function expectObject(json: JsonTree): JsonTreeObject {
  if (!isContainer(json) || Array.isArray(json)) {
    throw new ValueFault(`expected an object, got ${describeJson(json)}`)
  }
  return json
}

/** The list that JSON must be, or a `ValueFault`. */
export function expectList(json: JsonTree): JsonTree[] {
  if (!Array.isArray(json)) throw new ValueFault(`expected an array, got ${describeJson(json)}`)
  return json
}

/** JSON for an error message: scalars as written, containers by kind. */
export function describeJson(json: JsonTree): string {
  if (Array.isArray(json)) return 'an array'
  if (typeof json === 'string') return quoted(json)
  if (json instanceof Fraction) return String(json.value)
  return isContainer(json) ? 'an object' : quoted(String(json)).slice(1, -1)
}
