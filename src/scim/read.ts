import { isDeepStrictEqual } from 'node:util'
import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import { textFault } from '../domain/value/free-text.js'
import { ScimError } from './error.js'
import { isJsonObject, memberOf, withoutNulls } from './json.js'
import type { ScimReport } from './request.js'
import { type Attribute, isNameOf, isWritable, named, type ResourceType } from './schema.js'

/**
 * Reads the attributes of a resource from a body, under the names of their declarations, those of extensions below the
 * URN; `null` for those that the body clears. Names may be in any case. Read-only and unknown attributes are left out
 * (RFC 7644 sections 3.3 and 3.5.1), and so are optional values that are invalid, which are reported. Throws
 * `invalidValue` and `tooMany`.
 */
export function readResource(body: JsonObject, type: ResourceType, report: ScimReport): JsonObject {
  refuseTooMany(Object.keys(body).length)
  const extensions = Object.entries(body).flatMap(([name, value]) => {
    const extension = type.extensions.find((each) => isNameOf(each, name))
    if (extension === undefined) return []
    const attributes = extension.attributes.filter(isWritable)
    if (value === null)
      return [[extension.id, Object.fromEntries(attributes.map((each) => [each.name, null]))] as const]
    if (!isJsonObject(value)) {
      report.leftOut.set(name, 'must be an object')
      return []
    }
    const parts = readMembers(value, attributes, (attribute, given) =>
      report.read(attribute, attribute.name, () => readValue(attribute, given, `${extension.id}:${attribute.name}`)),
    )
    return Object.keys(parts).length === 0 ? [] : [[extension.id, parts] as const]
  })
  const members = readMembers(body, type.attributes, (attribute, given) =>
    report.read(attribute, attribute.name, () => readValue(attribute, given, attribute.name, report)),
  )
  return { ...members, ...Object.fromEntries(extensions) }
}

/** The members of an object that are attributes which can be written, under the names of these. */
function readMembers(
  values: JsonObject,
  attributes: readonly Attribute[],
  read: (attribute: Attribute, value: JsonValue) => JsonValue | undefined,
): JsonObject {
  const members: { [name: string]: JsonValue } = {}
  for (const [name, given] of Object.entries(values)) {
    const attribute = named(attributes, name)
    const value = attribute !== undefined && isWritable(attribute) ? read(attribute, given) : undefined
    if (attribute !== undefined && value !== undefined) members[attribute.name] = value
  }
  return members
}

/**
 * Reads the value of an attribute from a request, in the form of its declaration. `null`, an empty text, list or
 * object, and entries without values clear the attribute (RFC 7643 section 2.5): the result is `null`, or an object of
 * nulls. It is undefined for an object without known parts. Booleans may be strings, as Microsoft Entra writes them,
 * and entries may be their values alone. Read-only and unknown parts are left out. Throws `invalidValue`; with a
 * report, invalid parts of a name are left out instead.
 */
export function readValue(
  attribute: Attribute,
  value: JsonValue,
  path = attribute.name,
  report?: ScimReport,
): JsonValue | undefined {
  if (!attribute.multiValued) {
    // Microsoft Entra writes single values as lists of one.
    return readOne(attribute, Array.isArray(value) && value.length <= 1 ? (value[0] ?? null) : value, path, report)
  }
  const given = Array.isArray(value) ? value : [value]
  const entries = given.flatMap((entry) => (isNone(entry) ? [] : (readOne(attribute, entry, path) ?? [])))
  refuseTooManyEntries(attribute, entries, path)
  return entries.length === 0 ? null : withOnePrimary(entries)
}

/** Whether a value says that there is none. */
export function isNone(value: JsonValue | undefined): boolean {
  if (typeof value === 'string') return value.trim() === ''
  return value === null || (typeof value === 'object' && Object.values(value).every(isNone))
}

/** Whether a value says that there is none of an attribute; of a name, an object says so of its parts alone. */
export function isNoneOf(attribute: Attribute, value: JsonValue): boolean {
  return isNone(value) && !(hasOwnParts(attribute) && isJsonObject(value))
}

/** The empty form of an attribute; of a complex one, of each sub-attribute. */
export function noneOf(attribute: Attribute): JsonValue {
  return hasOwnParts(attribute) ? Object.fromEntries(attribute.subAttributes.map(({ name }) => [name, null])) : null
}

/** Whether the parts of an attribute are values of their own, as those of a name are. */
function hasOwnParts({ type, multiValued, field }: Attribute): boolean {
  return type === 'complex' && !multiValued && field === undefined
}

/** Throws `invalidValue` for more entries than a resource can have of an attribute. */
export function refuseTooManyEntries(
  { name, maxEntries }: Attribute,
  entries: readonly JsonValue[],
  path: string = name,
): void {
  if (entries.length > maxEntries) throw invalid(path, `can have at most ${maxEntries} values`)
}

/** The entry of an attribute that has several, or the value of one that has one; `null` as `readValue` has it. */
export function readOne(
  attribute: Attribute,
  value: JsonValue,
  path = attribute.name,
  report?: ScimReport,
): JsonValue | undefined {
  if (value === null) return noneOf(attribute)
  if (attribute.type === 'boolean') return booleanFrom(value, path)
  return attribute.type === 'complex' ? partsFrom(attribute, value, path, report) : textFrom(attribute, value, path)
}

function booleanFrom(value: JsonValue, path: string): boolean {
  if (typeof value === 'boolean') return value
  const text = typeof value === 'string' ? value.trim().toLowerCase() : ''
  if (text === 'true' || text === 'false') return text === 'true'
  throw invalid(path, 'must be true or false')
}

const MAX_TEXT = 2_048

function textFrom({ maxBytes }: Attribute, value: JsonValue, path: string): string | null {
  const given = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
  if (typeof given !== 'string') throw invalid(path, 'must be a string')
  const text = lineFrom(given)
  const fault = textFault(text, MAX_TEXT)
  if (fault !== undefined) throw invalid(path, fault)
  if (maxBytes !== undefined && Buffer.byteLength(text) > maxBytes)
    throw invalid(path, `must have at most ${maxBytes} bytes in UTF-8`)
  return text === '' ? null : text
}

/** A text as it is stored and compared: without blanks at its edges, and on one line. */
export function lineFrom(text: string): string {
  return text.replace(/\r\n|[\t-\r\u0085\u2028\u2029]/g, ' ').trim()
}

function partsFrom(
  attribute: Attribute,
  value: JsonValue,
  path: string,
  report: ScimReport | undefined,
): JsonValue | undefined {
  if (isNoneOf(attribute, value)) return noneOf(attribute)
  const parts = isJsonObject(value) ? value : typeof value === 'string' ? partsOfText(value) : undefined
  if (parts === undefined) throw invalid(path, 'must be an object')
  const read = readMembers(parts, attribute.subAttributes, (sub, given) => {
    const at = `${path}.${sub.name}`
    const readPart = () => readValue(sub, given, at)
    return report === undefined ? readPart() : report.read(sub, at, readPart)
  })
  if (named(attribute.subAttributes, 'value') === undefined) return Object.keys(read).length === 0 ? undefined : read
  if (typeof read['value'] === 'string') return withoutNulls(read)
  // Without its value, an entry says nothing.
  if (attribute.multiValued || isNone(memberOf(parts, 'value'))) return null
  throw invalid(path, 'needs a value')
}

/** The parts that a text stands for: its value, or, as Microsoft Entra writes some, all of them in JSON. */
function partsOfText(value: string): JsonObject {
  if (!/^\s*\{/.test(value)) return { value }
  try {
    const parts: JsonValue = JSON.parse(value)
    return isJsonObject(parts) ? parts : { value }
  } catch {
    return { value }
  }
}

/**
 * The entries with one primary entry at most (RFC 7643 section 2.4): the last one that says so, or, after a change, the
 * last one that did not say so before.
 */
export function withOnePrimary(entries: readonly JsonValue[], before: readonly JsonValue[] = []): JsonValue[] {
  const isPrimary = (entry: JsonValue) => isJsonObject(entry) && entry['primary'] === true
  const preferred = before.filter(isPrimary)
  const last =
    entries.findLast((entry) => isPrimary(entry) && !preferred.some((each) => isDeepStrictEqual(each, entry))) ??
    entries.findLast(isPrimary)
  return entries.map((entry) =>
    isJsonObject(entry) && isPrimary(entry) && entry !== last ? { ...entry, primary: false } : entry,
  )
}

function invalid(path: string, description: string): ScimError {
  return new ScimError(400, 'invalidValue', `${path} ${description}`)
}

/** The most attributes that a request names, or operations that it has. */
const MAX_NAMED = 1_000

/** Throws `tooMany` for too many attributes or operations in a request; attributes that nobody knows count as well. */
export function refuseTooMany(count: number): void {
  if (count <= MAX_NAMED) return
  throw new ScimError(400, 'tooMany', `a request can name at most ${MAX_NAMED} attributes: send several requests`)
}
