import { isDeepStrictEqual } from 'node:util'
import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import { ScimError } from './error.js'
import { comparisons, type Filter } from './filter.js'
import {
  entryType,
  entryValue,
  isJsonObject,
  memberOf,
  valueAt,
  withMember,
  withoutNulls,
  withValueAt,
} from './json.js'
import type { PatchChange } from './patch-operation.js'
import { isNone, isNoneOf, noneOf, readOne, readValue, refuseTooManyEntries, withOnePrimary } from './read.js'
import type { ScimReport } from './request.js'
import type { Attribute } from './schema.js'

/**
 * Applies the changes of a PATCH in order, and returns the document in the form of `readResource`: `null` for what is
 * removed. `shown` has the lists that the resource shows where the document has none: additions to the email addresses,
 * and removals from any list, apply to them. A filter may describe an entry that does not exist yet. Optional values
 * that are invalid are left out and reported. Throws `invalidValue` and `noTarget`.
 */
export function applyPatch(
  document: JsonObject,
  changes: readonly PatchChange[],
  report: ScimReport,
  shown: JsonObject = {},
): JsonObject {
  return changes.reduce((before, change) => {
    const { extension, attribute, subAttribute } = change
    const place = extension === undefined ? [attribute.name] : [extension.id, attribute.name]
    const said = valueAt(before, place)
    const current = attribute.multiValued && isOfShown(change) ? (said ?? valueAt(shown, place)) : said
    const changed = () =>
      attribute.multiValued ? listAfter(said, current, change) : valueAfter(current, change, report)
    const path = [attribute.name, ...(subAttribute === undefined ? [] : [subAttribute.name])].join('.')
    return report.read(attribute, path, () => withValueAt(before, place, changed())) ?? before
  }, document)
}

/** Whether a change of a list that the directory has not given is one of the list that the resource shows. */
function isOfShown({ op, attribute, value = null }: PatchChange): boolean {
  return attribute.field === undefined || op === 'remove' || isNone(value)
}

/** The entries of an attribute after a change; `said` stays if there is nothing to take away. */
function listAfter(said: JsonValue | undefined, current: JsonValue | undefined, change: PatchChange) {
  const before = Array.isArray(current) ? current : []
  const entries = entriesAfter(before, change)
  refuseTooManyEntries(change.attribute, entries)
  // Microsoft Entra removes an empty list of entries.
  const isWhole =
    change.filter === undefined && change.op !== 'add' && !(change.op === 'remove' && Array.isArray(change.value))
  if (!isWhole && isDeepStrictEqual(entries, before)) return said
  return entries.length === 0 ? null : entries
}

function valueAfter(current: JsonValue | undefined, change: PatchChange, report: ScimReport): JsonValue | undefined {
  const { op, attribute, subAttribute, value = null } = change
  const isGone = op === 'remove' || isNoneOf(subAttribute ?? attribute, value)
  if (subAttribute === undefined || attribute.field !== undefined) {
    const read = isGone ? noneOf(attribute) : readValue(attribute, value, attribute.name, report)
    // What a value object leaves out of a name stays.
    if (isJsonObject(current) && isJsonObject(read)) return { ...current, ...read }
    return read === undefined ? current : read
  }
  const part = isGone ? null : readPart(attribute, subAttribute, value)
  return { ...(isJsonObject(current) && current), [subAttribute.name]: part ?? null }
}

function readPart(attribute: Attribute, part: Attribute, value: JsonValue): JsonValue | undefined {
  return readOne(part, value, `${attribute.name}.${part.name}`)
}

function entriesAfter(current: readonly JsonValue[], change: PatchChange): JsonValue[] {
  const { op, value = null, attribute, filter, subAttribute } = change
  if (filter === undefined && subAttribute === undefined) return entriesChangedAsWhole(current, change)
  const matchesFilter = (entry: JsonValue) => filter === undefined || matchesEntry(filter, entry)
  const part = op === 'remove' || isNone(value) ? undefined : partFrom(change, value)
  if (part === undefined || part['value'] === null) {
    return current.flatMap((entry) => (matchesFilter(entry) ? (withoutPart(entry, subAttribute) ?? []) : [entry]))
  }
  const merged = (entry: JsonValue): JsonObject => withoutNulls(isJsonObject(entry) ? { ...entry, ...part } : part)
  if (current.some(matchesFilter)) {
    const changed = current.map((entry) => (matchesFilter(entry) ? merged(entry) : entry))
    return withOnePrimary(changed, current)
  }
  const added = merged(filter === undefined ? {} : entryOf(filter, attribute))
  // An entry without a value says nothing, so there is none to change.
  return added['value'] === undefined ? [...current] : withOnePrimary([...current, added], current)
}

function entriesChangedAsWhole(current: readonly JsonValue[], { op, value, attribute }: PatchChange): JsonValue[] {
  const read = value === undefined ? null : readValue(attribute, value)
  const entries = Array.isArray(read) ? read : []
  if (op === 'replace') return entries
  if (op === 'remove') {
    if (read === null && !Array.isArray(value)) return []
    // Microsoft Entra names what it removes by values instead of a filter.
    const gone = new Set(entries.map(entryValue))
    return current.filter((entry) => !gone.has(entryValue(entry)))
  }
  // An entry with the same value and type as another one is the same, with other parts.
  const byKey = new Map(current.map((entry) => [entryKey(entry), entry]))
  const added = entries.filter((entry) => !isDeepStrictEqual(entry, byKey.get(entryKey(entry))))
  const replaced = new Set(added.map(entryKey))
  return withOnePrimary([...current.filter((entry) => !replaced.has(entryKey(entry))), ...added], current)
}

function entryKey(entry: JsonValue): string {
  return `${entryType(entry)}\0${entryValue(entry) ?? ''}`
}

function withoutPart(entry: JsonValue, part: Attribute | undefined): JsonValue | undefined {
  if (part === undefined || !isJsonObject(entry)) return undefined
  const others = withMember(entry, part.name, undefined)
  return others['value'] === undefined ? undefined : others
}

/** The sub-attributes that a change sets on entries. */
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

/**
 * The entry that a filter describes by what its parts equal. Throws `noTarget` for any other filter, and for one that
 * names an entry by its value.
 */
function entryOf(filter: Filter, attribute: Attribute): JsonObject {
  if (filter.kind === 'and') {
    return Object.assign({}, ...filter.filters.map((each) => entryOf(each, attribute)))
  }
  const isOther = filter.kind !== 'compare' || filter.comparison !== 'eq' || filter.value instanceof Date
  if (isOther || filter.attribute.name === 'value') {
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
      const current = valueIn(entry, attribute)
      if (typeof current !== 'string' || typeof value !== 'string') return current === value
      const { matches } = comparisons[comparison]
      return attribute.caseExact ? matches(current, value) : matches(current.toLowerCase(), value.toLowerCase())
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
