import { type DescEnum, ScalarType } from '@bufbuild/protobuf'
import { FLOAT32_MAX } from '@bufbuild/protobuf/wire'
import { quoted, shortened, ValueFault } from './invalid.js'
import { parseJsonTree } from './json-text.js'
import { describeJson, Fraction, type JsonTree } from './json-tree.js'
import { suggestion } from './nearest.js'

const INTEGER = /^-?(?:0|[1-9][0-9]*)$/
const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/
const MAX_INTEGER_DIGITS = 20

const INT32 = [-(2n ** 31n), 2n ** 31n - 1n] as const
const UINT32 = [0n, 2n ** 32n - 1n] as const
const INT64 = [-(2n ** 63n), 2n ** 63n - 1n] as const
const UINT64 = [0n, 2n ** 64n - 1n] as const
const RANGES: Readonly<Partial<Record<ScalarType, readonly [bigint, bigint]>>> = {
  [ScalarType.INT32]: INT32,
  [ScalarType.SINT32]: INT32,
  [ScalarType.SFIXED32]: INT32,
  [ScalarType.UINT32]: UINT32,
  [ScalarType.FIXED32]: UINT32,
  [ScalarType.INT64]: INT64,
  [ScalarType.SINT64]: INT64,
  [ScalarType.SFIXED64]: INT64,
  [ScalarType.UINT64]: UINT64,
  [ScalarType.FIXED64]: UINT64,
}

/** A scalar as protobuf-es's reflection takes it: 64-bit integers are bigint. */
export type ScalarValue = string | number | bigint | boolean | Uint8Array

function isIntegerType(type: ScalarType): boolean {
  return RANGES[type] !== undefined
}

/**
 * Reads URL text as a scalar: `true` and `false`, decimal integers in range, JSON numbers, either alphabet of base64.
 */
export function scalarFromText(type: ScalarType, text: string): ScalarValue {
  return scalarFromJson(type, jsonFromText(type, text))
}

/** URL text as the JSON of a scalar, or of another value with a text form if there is no type. Throws `ValueFault`. */
export function jsonFromText(type: ScalarType | undefined, text: string): string | boolean {
  if (type === ScalarType.BOOL && (text === 'true' || text === 'false')) return text === 'true'
  if (type !== undefined && isIntegerType(type) && !INTEGER.test(text)) throw noInteger(text)
  return text
}

/** Checks an exact integer against the range of its type; those of 64 bits become bigint. */
export function integerInRange(type: ScalarType, value: bigint | number): ScalarValue {
  const range = RANGES[type]
  if (range === undefined) throw new ValueFault(`${ScalarType[type]} is not an integer type`)
  if (value < range[0] || value > range[1]) throw outOfRange(type, String(value))
  if (range === INT32 || range === UINT32) return Number(value) + 0
  return BigInt(value)
}

/**
 * A double as a value of `FLOAT`, if that is the type: one that rounds to the largest becomes it; infinities and NaN
 * stay.
 */
export function floatInRange(type: ScalarType, value: number): number {
  if (type !== ScalarType.FLOAT || !Number.isFinite(value) || Math.abs(value) <= FLOAT32_MAX) return value
  const rounded = Math.fround(value)
  if (!Number.isFinite(rounded)) throw outOfRange(type, String(value))
  return rounded
}

/** Reads text as a float: a JSON number, `NaN`, `Infinity` or `-Infinity`. */
export function floatFromText(type: ScalarType, text: string): number {
  if (text === 'NaN') return Number.NaN
  if (text === 'Infinity') return Number.POSITIVE_INFINITY
  if (text === '-Infinity') return Number.NEGATIVE_INFINITY
  if (!JSON_NUMBER.test(text)) throw new ValueFault(`expected a number, got ${quoted(text)}`)
  const value = Number(text)
  if (!Number.isFinite(value)) throw outOfRange(type, text)
  return floatInRange(type, value)
}

/** URL text as the JSON of an enum: a number, a name, or `null` where that is the only value. */
export function enumJsonFromText(desc: DescEnum, text: string): string | number | null {
  if (INTEGER.test(text)) return Number(text)
  return text === 'null' && desc.typeName === 'google.protobuf.NullValue' ? null : text
}

/** The number of an enum value's name, proto or JSON; undefined when there is none. */
export function enumNumberByName(desc: DescEnum, name: string): number | undefined {
  return desc.values.find((value) => value.name === name || value.jsonName === name)?.number
}

/** Checks a number given for an enum: an int32, and declared if the enum is closed or treated as closed. */
export function enumFromNumber(desc: DescEnum, value: number, closed = false): number {
  // NullValue is open too, but JSON knows only its one value.
  const open = desc.open && !closed && desc.typeName !== 'google.protobuf.NullValue'
  const known = Number.isInteger(value) && (open ? value === (value | 0) : desc.value[value] !== undefined)
  if (!known) throw noSuchValue(desc, String(value))
  return value + 0
}

/** The fault for an unknown enum value; `shown` is what was given, as an error shows it. */
export function noSuchValue(desc: DescEnum, shown: string): ValueFault {
  const names = desc.values.map(({ name }) => name)
  return new ValueFault(`no value ${shown} in enum ${desc.typeName}: ${suggestion(shown, names)}`)
}

const BASE64 = /^([A-Za-z0-9+/_-]*)(={0,2})$/

/** Decodes base64 in the standard or URL alphabet, padded or not; anything else in the text is a fault. */
export function bytesFromBase64(text: string): Uint8Array {
  const match = BASE64.exec(text)
  const digits = match?.[1]?.length ?? 0
  const padding = match?.[2]?.length ?? 0
  if (match === null || digits % 4 === 1 || (padding > 0 && (digits + padding) % 4 !== 0)) {
    throw new ValueFault(`expected base64, got ${quoted(text)}`)
  }
  // Node's decoder takes both alphabets; the copy frees the shared pool.
  return new Uint8Array(Buffer.from(text, 'base64'))
}

function outOfRange(type: ScalarType, text: string): ValueFault {
  return new ValueFault(`${shortened(text, 40)} is out of range for ${ScalarType[type].toLowerCase()}`)
}

/**
 * Reads JSON as a scalar by the ProtoJSON mapping: integers as numbers or decimal strings, exact and in range, floats
 * as numbers or strings, including `NaN` and `Infinity`, bytes as base64. Throws `ValueFault`.
 */
export function scalarFromJson(type: ScalarType, json: JsonTree): ScalarValue {
  if (type === ScalarType.STRING) return typeof json === 'string' ? json : refuse(type, json)
  if (type === ScalarType.BOOL) return typeof json === 'boolean' ? json : refuse(type, json)
  if (type === ScalarType.BYTES) return typeof json === 'string' ? bytesFromBase64(json) : refuse(type, json)
  if (!isIntegerType(type)) {
    if (typeof json === 'number' || typeof json === 'bigint') return floatInRange(type, Number(json))
    if (json instanceof Fraction) return floatInRange(type, json.value)
    return typeof json === 'string' ? floatFromText(type, json) : refuse(type, json)
  }
  if (typeof json === 'bigint') return integerInRange(type, json)
  if (typeof json === 'number' && Number.isInteger(json)) return integerInRange(type, json)
  return typeof json === 'string' ? integerFromString(type, json) : refuse(type, json)
}

/** The JSON that a scalar accepts, in words. */
function expectedScalar(type: ScalarType): string {
  if (type === ScalarType.STRING) return 'a string'
  if (type === ScalarType.BOOL) return 'true or false'
  if (type === ScalarType.BYTES) return 'base64'
  return isIntegerType(type) ? 'an integer' : 'a number'
}

// A string can contain whatever a number could: "1e3" and "2.0" are integers too.
function integerFromString(type: ScalarType, text: string): ScalarValue {
  if (!JSON_NUMBER.test(text)) throw noInteger(text)
  if (!INTEGER.test(text)) return scalarFromJson(type, parseJsonTree(text))
  if (text.length > MAX_INTEGER_DIGITS) throw outOfRange(type, text)
  return integerInRange(type, BigInt(text))
}

function noInteger(text: string): ValueFault {
  return new ValueFault(`expected a decimal integer, got ${quoted(text)}`)
}

function refuse(type: ScalarType, json: JsonTree): never {
  throw new ValueFault(`expected ${expectedScalar(type)}, got ${describeJson(json)}`)
}
