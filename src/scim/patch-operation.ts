import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import { ScimError } from './error.js'
import { isJsonObject, memberOf } from './json-object.js'
import { refuseTooMany } from './value-reader.js'

/** One operation of a PATCH (RFC 7644 section 3.5.2). */
export interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove'
  /** Undefined for the resource as a whole. */
  readonly path: string | undefined
  /** Undefined if there is none. */
  readonly value: JsonValue | undefined
}

/**
 * The operations of a body. Names of members and operations may be in any case, as Microsoft Entra writes them. Throws
 * `invalidSyntax`, `invalidValue`, and `noTarget` for a removal of nothing in particular.
 */
export function patchOperationsFrom(body: JsonObject): PatchOperation[] {
  const operations = memberOf(body, 'Operations')
  if (!Array.isArray(operations) || operations.length === 0) {
    throw new ScimError(400, 'invalidSyntax', 'Operations must be a list with at least one operation')
  }
  refuseTooMany(operations.length)
  return operations.map(operationFrom)
}

function operationFrom(operation: JsonValue, index: number): PatchOperation {
  const at = `Operations[${index}]`
  if (!isJsonObject(operation)) throw new ScimError(400, 'invalidSyntax', `${at} must be an object`)
  const named = memberOf(operation, 'op')
  const op = typeof named === 'string' ? named.toLowerCase() : undefined
  if (op !== 'add' && op !== 'replace' && op !== 'remove') {
    throw new ScimError(400, 'invalidSyntax', `${at}.op must be add, replace or remove`)
  }
  const given = memberOf(operation, 'path') ?? undefined
  if (given !== undefined && typeof given !== 'string') {
    throw new ScimError(400, 'invalidPath', `${at}.path must be a string`)
  }
  const path = given === '' ? undefined : given
  const value = memberOf(operation, 'value')
  if (op === 'remove' && path === undefined) throw new ScimError(400, 'noTarget', `${at} must have a path`)
  if (op !== 'remove' && value === undefined) throw new ScimError(400, 'invalidValue', `${at} must have a value`)
  if (path === undefined && !isJsonObject(value)) {
    throw new ScimError(400, 'invalidValue', `${at}.value must be an object if there is no path`)
  }
  return { op, path, value }
}
