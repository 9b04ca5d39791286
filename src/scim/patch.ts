import { isDeepStrictEqual } from 'node:util'
import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import { ScimError } from './error.js'
import { comparisons, type Filter } from './filter.js'
import { entryType, entryValue, isJsonObject, memberOf, valueAt, withMember, withValueAt } from './json.js'
import type { PatchChange } from './patch-operation.js'
import { readOne, readValue, refuseTooManyEntries, withOnePrimary } from './read.js'
import type { ScimReport } from './request.js'
import type { Attribute } from './schema.js'

/**
 * A document after the changes of a PATCH, one after the other. A filter may be on entries that do not exist yet.
 * Optional values that cannot be read are left out, and reported. Throws `invalidValue` and `noTarget`.
 */
export function applyPatch(document: JsonObject, changes: readonly PatchChange[], report: ScimReport): JsonObject {
  return changes.reduce((before, change) => {
    const { extension, attribute } = change
    const place = extension === undefined ? [attribute.name] : [extension.id, attribute.name]
    const held = valueAt(before, place)
    const changed = () => {
      if (!attribute.multiValued) return valueAfter(held, change)
      const entries = entriesAfter(Array.isArray(held) ? held : [], change)
      refuseTooManyEntries(attribute, entries)
      return entries.length === 0 ? undefined : entries
    }
    return report.read(attribute, () => withValueAt(before, place, changed())) ?? before
  }, document)
}

/** The value of an attribute with one value after a change. */
function valueAfter(held: JsonValue | undefined, change: PatchChange): JsonValue | undefined {
  const { attribute, subAttribute, value = null } = change
  const before = isJsonObject(held) ? held : {}
  if (subAttribute !== undefined) {
    const part = isCleared(change) ? undefined : readPart(attribute, subAttribute, value)
    return unlessEmpty(withMember(before, subAttribute.name, part))
  }
  if (isCleared(change)) return undefined
  const read = readValue(attribute, value)
  if (attribute.type !== 'complex' || attribute.field !== undefined || !isJsonObject(value)) return read
  // What a value object leaves out of an attribute with parts, stays; `null` clears a part.
  const parts = Object.entries(Object.assign({}, before, read))
  return unlessEmpty(Object.fromEntries(parts.filter(([name]) => memberOf(value, name) !== null)))
}

/** Whether a change leaves no value; an empty text is a value of a text. */
function isCleared({ op, attribute, subAttribute, value = null }: PatchChange): boolean {
  const isNone = value === null || (Array.isArray(value) && value.length === 0)
  return op === 'remove' || isNone || (value === '' && (subAttribute !== undefined || attribute.type === 'complex'))
}

function unlessEmpty(object: JsonObject): JsonObject | undefined {
  return Object.keys(object).length === 0 ? undefined : object
}

function readPart(attribute: Attribute, part: Attribute, value: JsonValue): JsonValue | undefined {
  return readOne(part, value, `${attribute.name}.${part.name}`)
}

/** The entries of an attribute that has several after a change. */
function entriesAfter(held: readonly JsonValue[], change: PatchChange): JsonValue[] {
  const { op, value = null, attribute, filter, subAttribute } = change
  if (filter === undefined && subAttribute === undefined) return entriesChangedAsWhole(held, change)
  const isMeant = (entry: JsonValue) => filter === undefined || matchesEntry(filter, entry)
  if (op === 'remove' || value === null || value === '') {
    return held.flatMap((entry) => (isMeant(entry) ? (withoutPart(entry, subAttribute) ?? []) : [entry]))
  }
  const part = partFrom(change, value)
  const merged = (entry: JsonValue): JsonObject => (isJsonObject(entry) ? { ...entry, ...part } : part)
  if (held.some(isMeant)) {
    const changed = held.map((entry) => (isMeant(entry) ? merged(entry) : entry))
    return withOnePrimary(changed, held)
  }
  const added = merged(filter === undefined ? {} : entryOf(filter, attribute))
  // An entry without a value says nothing, so there is none to change.
  return added['value'] === undefined ? [...held] : withOnePrimary([...held, added], held)
}

function entriesChangedAsWhole(held: readonly JsonValue[], { op, value, attribute }: PatchChange): JsonValue[] {
  const read = value === undefined ? undefined : readValue(attribute, value)
  const entries = Array.isArray(read) ? read : []
  if (op === 'replace') return entries
  if (op === 'remove') {
    if (value === undefined || value === null) return []
    // Microsoft Entra names what it removes by values instead of a filter.
    const gone = new Set(entries.map(entryValue))
    return held.filter((entry) => !gone.has(entryValue(entry)))
  }
  // An entry with the same value and type as another one is the same, with other parts.
  const byKey = new Map(held.map((entry) => [entryKey(entry), entry]))
  const added = entries.filter((entry) => !isDeepStrictEqual(entry, byKey.get(entryKey(entry))))
  const replaced = new Set(added.map(entryKey))
  return withOnePrimary([...held.filter((entry) => !replaced.has(entryKey(entry))), ...added], held)
}

function entryKey(entry: JsonValue): string {
  return `${entryType(entry)}\0${entryValue(entry) ?? ''}`
}

function withoutPart(entry: JsonValue, part: Attribute | undefined): JsonValue | undefined {
  if (part === undefined || !isJsonObject(entry)) return undefined
  const others = withMember(entry, part.name, undefined)
  return others['value'] === undefined ? undefined : others
}

/** What a change gives the entries: one of their parts, or several. */
function partFrom({ attribute, subAttribute }: PatchChange, value: JsonValue): JsonObject {
  const [given = null] = Array.isArray(value) ? value : [value]
  const parts = isJsonObject(given) ? given : { value: given }
  const wanted: [Attribute, JsonValue | undefined][] =
    subAttribute === undefined
      ? attribute.subAttributes.map((sub) => [sub, memberOf(parts, sub.name)])
      : [[subAttribute, given]]
  const read = wanted.map(([sub, part]) => [sub.name, part === undefined ? part : readPart(attribute, sub, part)])
  return Object.fromEntries(read.filter(([, part]) => part !== undefined))
}

/** The entry that a filter describes by what its parts equal. Throws `noTarget` for any other filter. */
function entryOf(filter: Filter, attribute: Attribute): JsonObject {
  if (filter.kind === 'and') {
    return Object.assign({}, ...filter.filters.map((each) => entryOf(each, attribute)))
  }
  if (filter.kind !== 'compare' || filter.comparison !== 'eq' || filter.value instanceof Date) {
    throw new ScimError(400, 'noTarget', `no entry of ${attribute.name} matches the filter`)
  }
  return { [filter.attribute.name]: filter.value }
}

/** Whether the entry of a multi-valued attribute satisfies a filter: as in the database, but of JSON in a document. */
function matchesEntry(filter: Filter, entry: JsonValue): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.filters.every((each) => matchesEntry(each, entry))
    case 'or':
      return filter.filters.some((each) => matchesEntry(each, entry))
    case 'not':
      return !matchesEntry(filter.filter, entry)
    case 'present':
      return valueIn(entry, filter.attribute) !== undefined
    case 'compare': {
      const { attribute, comparison, value } = filter
      const held = valueIn(entry, attribute)
      if (typeof held !== 'string' || typeof value !== 'string') return held === value
      const { holds } = comparisons[comparison]
      return attribute.caseExact ? holds(held, value) : holds(held.toLowerCase(), value.toLowerCase())
    }
    case 'some':
    case 'constant':
      // Entries have no entries of their own, and only parts that there are.
      return false
  }
}

/** The value of a sub-attribute, whose name the document has in any case; undefined if there is none. */
function valueIn(entry: JsonValue, { name, type }: Attribute): string | boolean | undefined {
  const value = isJsonObject(entry) ? memberOf(entry, name) : undefined
  if (type === 'boolean') return value === true
  return typeof value === 'string' && value !== '' ? value : undefined
}
