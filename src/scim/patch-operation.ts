import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import { shortened } from '../protojson/invalid.js'
import { DEFAULT_JSON_LIMITS, parseStrictJson } from '../protojson/json-text.js'
import { ScimError, type ScimType } from './error.js'
import { type Filter, parseEntryFilter } from './filter.js'
import { isJsonObject, memberOf } from './json.js'
import { refuseTooMany } from './read.js'
import type { ScimReport } from './request.js'
import {
  type Attribute,
  findPath,
  isNameOf,
  isWritable,
  named,
  type Path,
  type ResourceType,
  schemasOf,
} from './schema.js'

/** A change of one attribute, as a PATCH asks for it (RFC 7644 section 3.5.2). */
export interface PatchChange extends Path {
  readonly op: 'add' | 'replace' | 'remove'
  /** Which entries of an attribute that has several; undefined for all. */
  readonly filter: Filter | undefined
  /** Undefined if there is none. */
  readonly value: JsonValue | undefined
}

/** A change whose path is not looked up yet; without one, it is of the resource as a whole. */
interface PatchOperation extends Pick<PatchChange, 'op' | 'value'> {
  readonly path: string | undefined
}

/**
 * Reads the changes of a PATCH, each of one attribute, in all forms that identity providers send: with and without
 * paths, with paths as names of members, with members and operations in any case. Unknown attributes are ignored, in
 * paths and as members; a schema whose value is no object is reported. Throws `invalidSyntax`, `invalidValue`,
 * `tooMany`, `noTarget` for a removal of nothing in particular, `invalidPath`, `invalidFilter` and `mutability`.
 */
export function patchChangesFrom(body: JsonObject, type: ResourceType, report: ScimReport): PatchChange[] {
  const operations = memberOf(body, 'Operations')
  if (!Array.isArray(operations) || operations.length === 0) {
    throw refusal('invalidSyntax', 'Operations must be a list with at least one operation')
  }
  refuseTooMany(operations.length)
  const single = operations.map(operationFrom).flatMap((operation) => singleOperations(operation, type, report))
  refuseTooMany(single.length)
  return single.flatMap((operation) => changeFrom(operation, type) ?? [])
}

function operationFrom(operation: JsonValue, index: number): PatchOperation {
  const at = `Operations[${index}]`
  if (!isJsonObject(operation)) throw refusal('invalidSyntax', `${at} must be an object`)
  const given = memberOf(operation, 'op')
  const op = typeof given === 'string' ? given.toLowerCase() : undefined
  if (op !== 'add' && op !== 'replace' && op !== 'remove') {
    throw refusal('invalidSyntax', `${at}.op must be add, replace or remove`)
  }
  const path = memberOf(operation, 'path') || undefined
  if (path !== undefined && typeof path !== 'string') throw refusal('invalidPath', `${at}.path must be a string`)
  const value = memberOf(operation, 'value')
  if (op === 'remove' && path === undefined) throw refusal('noTarget', `${at} must have a path`)
  if (op !== 'remove' && value === undefined) throw refusal('invalidValue', `${at} must have a value`)
  if (path === undefined && !isJsonObject(value)) {
    throw refusal('invalidValue', `${at}.value must be an object if there is no path`)
  }
  return { op, path, value }
}

/**
 * Splits an operation without a path, or on a whole schema, into one for each member of its value, with the name of the
 * member as path. Members that are not writable attributes are ignored, as in the body of a POST.
 */
function singleOperations(operation: PatchOperation, type: ResourceType, report: ScimReport): PatchOperation[] {
  const { op, path, value } = operation
  const schema = schemasOf(type).find((each) => path !== undefined && isNameOf(each, path))
  if (path !== undefined && schema === undefined) return [operation]
  const prefix = schema === undefined ? '' : `${schema.id}:`
  if (op === 'remove' || value === null) {
    const attributes = schema === type.schema ? [] : (schema?.attributes.filter(isWritable) ?? [])
    return attributes.map(({ name }) => ({ op: 'remove', path: prefix + name, value: undefined }))
  }
  if (!isJsonObject(value)) {
    report.leftOut.set(schema?.id ?? '', 'must be an object')
    return []
  }
  const members = Object.entries(value)
  refuseTooMany(members.length)
  return members.flatMap(([name, member]) => {
    const inner = prefix + name
    const isSchema = schemasOf(type).some((each) => isNameOf(each, inner))
    const found = isSchema ? undefined : findPath(inner.split('[', 1)[0] ?? '', type)
    const isKnown = isSchema || (typeof found === 'object' && isWritable(found.attribute))
    return isKnown ? singleOperations({ op, path: inner, value: member }, type, report) : []
  })
}

/** `[urn:]attribute`, then a filter in brackets or a part, or both. */
const PATH = /^(?<name>[^[\]]+?)(?:\[(?<filter>.*)\](?:\.(?<sub>[$A-Za-z][\w$-]*))?)?$/s

function changeFrom({ op, path = '', value }: PatchOperation, type: ResourceType): PatchChange | undefined {
  const { name, filter, sub } = PATH.exec(path.trim())?.groups ?? {}
  if (name === undefined) throw refusal('invalidPath', `not a valid path: ${shortened(path)}`)
  const found = findPath(name, type)
  if (found === 'unsupported' || found === undefined) return undefined
  const { attribute } = found
  if (attribute.name === 'schemas') return undefined
  const subAttribute = sub === undefined ? found.subAttribute : named(attribute.subAttributes, sub)
  if (sub !== undefined && subAttribute === undefined) return undefined
  if (filter !== undefined && (!attribute.multiValued || found.subAttribute !== undefined)) {
    throw refusal('invalidPath', `${attribute.name} is single-valued: omit the filter in brackets`)
  }
  // What follows from a value that the directory writes, such as the name of the manager, is ignored.
  if (isWritable(attribute) && subAttribute?.mutability === 'readOnly') return undefined
  if (!isWritable(attribute)) {
    throw refusal('mutability', `${path} is read-only`)
  }
  const entries = filter === undefined ? undefined : parseEntryFilter(filter, attribute)
  const given = subAttribute === undefined ? partsIn(value, attribute) : value
  return { op, value: given, ...found, subAttribute, filter: entries }
}

/** The value of an attribute that has parts; the client of SCIM-SDK writes the JSON of an object as text. */
function partsIn(value: JsonValue | undefined, attribute: Attribute): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((entry) => partsIn(entry, attribute) ?? null)
  const isObject = attribute.type === 'complex' && typeof value === 'string' && /^\s*\{.*\}\s*$/s.test(value)
  return isObject ? parseStrictJson(value, DEFAULT_JSON_LIMITS) : value
}

function refusal(scimType: ScimType, detail: string): ScimError {
  return new ScimError(400, scimType, detail)
}
