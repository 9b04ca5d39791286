import { type DescEnum, type JsonObject, type JsonValue, ScalarType } from '@bufbuild/protobuf'
import { invalidField } from '../errors.js'

/** Brings one JSON value into its one form. Throws a ServiceError that names the path. */
export type ValueReader = (value: JsonValue, path: string) => JsonValue

const INT32_MIN = -(2 ** 31)
const INT32_MAX = 2 ** 31 - 1
const decimalInteger = /^-?(0|[1-9][0-9]*)$/

/** The reader of a scalar type that records have. */
export function scalarReader(type: ScalarType): ValueReader {
  const reader = scalarReaders.get(type)
  if (reader === undefined) throw new Error(`records cannot have fields of the scalar type ${ScalarType[type]}`)
  return reader
}

/** The reader of an enum: names, or the numbers of names, become names. */
export function enumReader(descriptor: DescEnum): ValueReader {
  const names = new Set(descriptor.values.map((value) => value.name))
  return (value, path) => {
    const name = typeof value === 'number' ? descriptor.value[value]?.name : value
    if (typeof name !== 'string' || !names.has(name)) {
      throw invalidField(path, `must be one of ${[...names].join(', ')}`)
    }
    return name
  }
}

/** Text without what PostgreSQL cannot hold. */
export function readText(value: JsonValue, path: string): string {
  if (typeof value !== 'string') throw invalidField(path, `must be a text, not ${kindOf(value)}`)
  if (value.includes('\0') || !value.isWellFormed())
    throw invalidField(path, 'must be well-formed Unicode without U+0000')
  return value
}

function readBoolean(value: JsonValue, path: string): boolean {
  if (typeof value !== 'boolean') throw invalidField(path, `must be true or false, not ${kindOf(value)}`)
  return value
}

function readInteger(value: JsonValue, path: string): number {
  const number = typeof value === 'string' && decimalInteger.test(value) ? Number(value) : value
  if (typeof number !== 'number') throw invalidField(path, `must be a whole number, not ${kindOf(value)}`)
  if (!Number.isInteger(number) || number < INT32_MIN || number > INT32_MAX) {
    throw invalidField(path, 'must be a whole number of 32 bits')
  }
  return number + 0 // -0 is 0.
}

const scalarReaders: ReadonlyMap<ScalarType, ValueReader> = new Map<ScalarType, ValueReader>([
  [ScalarType.STRING, readText],
  [ScalarType.BOOL, readBoolean],
  [ScalarType.INT32, readInteger],
])

/** Whether the value is an object of JSON. */
export function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What the value is, in words. */
export function kindOf(value: JsonValue): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return { string: 'a text', number: 'a number', boolean: 'a boolean' }[String(typeof value)] ?? 'an object'
}
