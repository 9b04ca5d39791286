import { isDeepStrictEqual } from 'node:util'
import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import { textFault } from '../domain/value/free-text.js'
import { ScimError } from './error.js'
import { isJsonObject } from './json.js'
import type { ScimReport } from './request.js'
import { type Attribute, isSameName, isWritable, named, type ResourceType } from './schema.js'

/**
 * The attributes that a body gives a resource, under the names of their declarations, those of extensions below the
 * URN. Names may be in any case. What is read-only or unknown is left out (RFC 7644 sections 3.3 and 3.5.1), and so are
 * optional values that cannot be read, which are reported. Throws `invalidValue` and `tooMany`.
 */
export function readResource(body: JsonObject, type: ResourceType, report: ScimReport): JsonObject {
  refuseTooMany(Object.keys(body).length)
  const reading = (prefix: string) => (attribute: Attribute, value: JsonValue) =>
    report.read(attribute, () => readValue(attribute, value, prefix + attribute.name))
  const extensions = Object.entries(body).flatMap(([name, value]) => {
    const extension = type.extensions.find(({ id }) => isSameName(id, name))
    if (extension === undefined || value === null) return []
    if (!isJsonObject(value)) throw invalid(name, 'must be an object')
    const parts = readMembers(value, extension.attributes, reading(`${extension.id}:`))
    return Object.keys(parts).length === 0 ? [] : [[extension.id, parts] as const]
  })
  return { ...readMembers(body, type.attributes, reading('')), ...Object.fromEntries(extensions) }
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
 * The value of an attribute as requests give it, in the form of its declaration; undefined for `null`, an empty list
 * and an object without anything known, which mean that there is none. Booleans may be strings, as Microsoft Entra
 * writes them, and entries may be their values alone. What is read-only or unknown is left out. Throws `invalidValue`.
 */
export function readValue(attribute: Attribute, value: JsonValue, path = attribute.name): JsonValue | undefined {
  if (value === null) return undefined
  if (!attribute.multiValued) {
    // Microsoft Entra writes single values as lists of one.
    return readOne(attribute, Array.isArray(value) && value.length <= 1 ? (value[0] ?? null) : value, path)
  }
  const entries = (Array.isArray(value) ? value : [value]).flatMap((entry) => readOne(attribute, entry, path) ?? [])
  refuseTooManyEntries(attribute, entries, path)
  return entries.length === 0 ? undefined : withOnePrimary(entries)
}

/** Throws `invalidValue` for more entries than a resource can have of an attribute. */
export function refuseTooManyEntries(
  { name, maxEntries }: Attribute,
  entries: readonly JsonValue[],
  path: string = name,
): void {
  if (entries.length > maxEntries) throw invalid(path, `can have at most ${maxEntries} values`)
}

/** The entry of an attribute that has several, or the value of one that has one. */
export function readOne(attribute: Attribute, value: JsonValue, path = attribute.name): JsonValue | undefined {
  if (value === null) return undefined
  if (attribute.type === 'boolean') return booleanFrom(value, path)
  return attribute.type === 'complex' ? partsFrom(attribute, value, path) : textFrom(attribute, value, path)
}

function booleanFrom(value: JsonValue, path: string): boolean {
  if (typeof value === 'boolean') return value
  const text = typeof value === 'string' ? value.toLowerCase() : ''
  if (text === 'true' || text === 'false') return text === 'true'
  throw invalid(path, 'must be true or false')
}

/** The most characters of a text. */
const MAX_TEXT = 2_048

function textFrom({ maxBytes }: Attribute, value: JsonValue, path: string): string {
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
  if (typeof text !== 'string') throw invalid(path, 'must be a string')
  const fault = textFault(text, MAX_TEXT)
  if (fault !== undefined) throw invalid(path, fault)
  if (maxBytes !== undefined && Buffer.byteLength(text) > maxBytes)
    throw invalid(path, `must have at most ${maxBytes} bytes in UTF-8`)
  return text
}

function partsFrom({ subAttributes }: Attribute, value: JsonValue, path: string): JsonObject | undefined {
  const parts = isJsonObject(value) ? value : typeof value === 'string' ? { value } : undefined
  if (parts === undefined) throw invalid(path, 'must be an object')
  const read = readMembers(parts, subAttributes, (sub, given) => {
    const part = readValue(sub, given, `${path}.${sub.name}`)
    return part === '' ? undefined : part
  })
  // Without its value, an entry says nothing.
  const isEmpty = Object.keys(read).length === 0 || (named(subAttributes, 'value') !== undefined && !('value' in read))
  return isEmpty ? undefined : read
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
