import { ScalarType } from '@bufbuild/protobuf'
import { parseJsonTree } from './json-text.js'
import { describeJson, Fraction, type JsonTree } from './json-tree.js'
import {
  bytesFromBase64,
  floatFromText,
  floatInRange,
  integerInRange,
  isIntegerType,
  isJsonNumber,
  type ScalarLocal,
  scalarFromText,
  ValueFault,
} from './scalar-text.js'

/**
 * Reads JSON as a scalar by the ProtoJSON mapping: integers as numbers or decimal strings, exact and in range, floats
 * as numbers or strings, including `NaN` and `Infinity`, bytes as base64. Throws `ValueFault`.
 */
export function scalarFromJson(type: ScalarType, json: JsonTree, longAsString: boolean): ScalarLocal {
  if (type === ScalarType.STRING) return typeof json === 'string' ? json : refuse(type, json)
  if (type === ScalarType.BOOL) return typeof json === 'boolean' ? json : refuse(type, json)
  if (type === ScalarType.BYTES) return typeof json === 'string' ? bytesFromBase64(json) : refuse(type, json)
  if (!isIntegerType(type)) {
    if (typeof json === 'number' || typeof json === 'bigint') return floatInRange(type, Number(json))
    if (json instanceof Fraction) return floatInRange(type, json.value)
    return typeof json === 'string' ? floatFromText(type, json) : refuse(type, json)
  }
  if (typeof json === 'bigint') return integerInRange(type, json, longAsString)
  if (typeof json === 'number' && Number.isInteger(json)) return integerInRange(type, json, longAsString)
  return typeof json === 'string' ? integerFromString(type, json, longAsString) : refuse(type, json)
}

/** The JSON that a scalar accepts, in words. */
export function expectedScalar(type: ScalarType): string {
  if (type === ScalarType.STRING) return 'a string'
  if (type === ScalarType.BOOL) return 'true or false'
  if (type === ScalarType.BYTES) return 'base64'
  return isIntegerType(type) ? 'an integer' : 'a number'
}

/** Reads the key of a JSON object as a map key, in the form in which protobuf-es keeps it. */
export function mapKeyFromText(type: ScalarType, text: string): string {
  return String(scalarFromText(type, text, false))
}

// A string can contain whatever a number could: "1e3" and "2.0" are integers too.
function integerFromString(type: ScalarType, text: string, longAsString: boolean): ScalarLocal {
  if (!isJsonNumber(text) || /^-?[0-9]+$/.test(text)) return scalarFromText(type, text, longAsString)
  const value = parseJsonTree(text)
  return typeof value === 'string' ? refuse(type, text) : scalarFromJson(type, value, longAsString)
}

function refuse(type: ScalarType, json: JsonTree): never {
  throw new ValueFault(`expected ${expectedScalar(type)}, got ${describeJson(json)}`)
}
