import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import type { ScimResourceType } from '../store/scim/attribute.js'
import { attributePath, isSameName } from './attribute-path.js'
import { ScimError } from './error.js'
import { isJsonObject } from './json-object.js'
import { isOptional } from './optional-values.js'
import { changedEntries } from './patch-entries.js'
import type { PatchOperation } from './patch-operation.js'
import { type PatchTarget, patchTarget } from './patch-path.js'
import type { ScimReport } from './report.js'
import { readOne, readValue, refuseTooMany, refuseTooManyEntries } from './value-reader.js'

/**
 * A document after the operations of a PATCH (RFC 7644 section 3.5.2), as identity providers send them: with and without
 * paths, with paths as names of members, with filters on entries that do not exist yet. Attributes that the service does
 * not have are ignored, and so are operations whose optional values cannot be read, which are reported. Throws `invalidPath`, `invalidFilter`, `invalidValue`, `mutability` and `noTarget`.
 */
export function applyPatch(
  document: JsonObject,
  operations: readonly PatchOperation[],
  type: ScimResourceType,
  report: ScimReport,
): JsonObject {
  const single = operations.flatMap((operation) => singleOperations(operation, type))
  refuseTooMany(single.length)
  return single.reduce((before, operation) => applyOperation(before, operation, type, report), document)
}

/** An operation without a path, or on a whole schema, as one for each member of its value, under its name as a path. */
function singleOperations(operation: PatchOperation, type: ScimResourceType): PatchOperation[] {
  const { op, path, value } = operation
  const schema = path === undefined ? undefined : schemaNamed(path, type)
  if (path !== undefined && (schema === undefined || op === 'remove')) return [operation]
  if (!isJsonObject(value)) throw new ScimError(400, 'invalidValue', 'the value must be an object')
  const prefix = schema === undefined ? '' : `${schema.id}:`
  const members = Object.entries(value)
  refuseTooMany(members.length)
  return members.flatMap(([name, member]) => {
    const of = prefix + name
    return isIgnored(of, type) ? [] : singleOperations({ op, path: of, value: member }, type)
  })
}

function schemaNamed(path: string, { schema, extensions }: ScimResourceType) {
  return [schema, ...extensions].find(({ id }) => isSameName(id, path.trim()))
}

function applyOperation(
  document: JsonObject,
  operation: PatchOperation,
  type: ScimResourceType,
  report: ScimReport,
): JsonObject {
  const { path = '' } = operation
  const target = patchTarget(path, type)
  if (target === 'unheld') return document
  if ('whole' in target) {
    const { [target.whole.id]: _, ...others } = document
    return target.whole === type.schema ? document : others
  }
  if (target.attribute.mutability === 'readOnly' || target.subAttribute?.mutability === 'readOnly') {
    throw new ScimError(400, 'mutability', `${path} is read-only`)
  }
  const { attribute } = target
  const apply = () => applyAt(document, target, operation)
  return isOptional(attribute) ? (report.readOptional(attribute.name, apply) ?? document) : apply()
}

/** Whether a member of an object is no attribute that can be written: as in the body of a POST, it does not count. */
function isIgnored(path: string, type: ScimResourceType): boolean {
  if (schemaNamed(path, type) !== undefined) return false
  const found = attributePath(path.split('[', 1)[0] ?? '', type)
  if (found === undefined || found === 'unheld') return true
  return found.attribute.name === 'schemas' || found.attribute.mutability === 'readOnly'
}

function applyAt(document: JsonObject, target: PatchTarget, operation: PatchOperation): JsonObject {
  const { extension } = target
  if (extension === undefined) return applyTo(document, target, operation)
  const held = document[extension]
  const changed = applyTo(isJsonObject(held) ? held : {}, target, operation)
  return withMember(document, extension, Object.keys(changed).length === 0 ? undefined : changed)
}

function applyTo(container: JsonObject, target: PatchTarget, operation: PatchOperation): JsonObject {
  const { attribute, subAttribute } = target
  const held = container[attribute.name]
  if (attribute.multiValued) {
    const entries = changedEntries(Array.isArray(held) ? held : [], target, operation)
    refuseTooManyEntries(attribute, entries)
    return withMember(container, attribute.name, entries.length === 0 ? undefined : [...entries])
  }
  const { op, value = null } = operation
  if (subAttribute === undefined) {
    const read = op === 'remove' || isNone(value, attribute.type) ? undefined : readValue(attribute, value)
    if (op === 'remove' || attribute.type !== 'complex' || attribute.field !== null || !isJsonObject(value)) {
      return withMember(container, attribute.name, read)
    }
    // What a value object leaves out of an attribute with parts, stays.
    const parts = merged(isJsonObject(held) ? held : {}, isJsonObject(read) ? read : {}, value)
    return withMember(container, attribute.name, Object.keys(parts).length === 0 ? undefined : parts)
  }
  const path = `${attribute.name}.${subAttribute.name}`
  const part = op === 'remove' || isNone(value, 'complex') ? undefined : readOne(subAttribute, value, path)
  const changed = withMember(isJsonObject(held) ? held : {}, subAttribute.name, part)
  return withMember(container, attribute.name, Object.keys(changed).length === 0 ? undefined : changed)
}

/** An attribute with the parts that a value gives; `null` clears a part. */
function merged(held: JsonObject, read: JsonObject, value: JsonObject): JsonObject {
  const cleared = Object.keys(value).filter((name) => value[name] === null)
  const isCleared = (name: string) => cleared.some((each) => each.toLowerCase() === name.toLowerCase())
  return Object.fromEntries(Object.entries({ ...held, ...read }).filter(([name]) => !isCleared(name)))
}

/** Whether a value means that there is none; an empty text is a value of a text. */
function isNone(value: JsonValue, type: string): boolean {
  return value === null || (value === '' && type === 'complex') || (Array.isArray(value) && value.length === 0)
}

function withMember(object: JsonObject, name: string, value: JsonValue | undefined): JsonObject {
  const { [name]: _, ...others } = object
  return value === undefined ? others : { ...others, [name]: value }
}
