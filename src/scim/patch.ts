import { isDeepStrictEqual } from 'node:util'
import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import { ScimError } from './error.js'
import { type Filter, matchesEntry } from './filter.js'
import { entryType, entryValue, isJsonObject, valueAt, withMember, withValueAt } from './json.js'
import { changeFrom, type PatchChange, type PatchOperation } from './patch-operation.js'
import { readOne, readValue, refuseTooManyEntries, withOnePrimary } from './read.js'
import type { ScimReport } from './report.js'
import { type Attribute, isSameName, type ResourceType } from './schema.js'

/**
 * A document after the operations of a PATCH, one after the other. A filter may be on entries that do not exist yet.
 * Optional values that cannot be read are left out, and reported. Throws what `changeFrom` throws, `invalidValue` and
 * `noTarget`.
 */
export function applyPatch(
  document: JsonObject,
  operations: readonly PatchOperation[],
  type: ResourceType,
  report: ScimReport,
): JsonObject {
  return operations.reduce((before, operation) => {
    const change = changeFrom(operation, type)
    if (change === undefined) return before
    const { extension, attribute } = change
    const place = extension === undefined ? [attribute.name] : [extension.id, attribute.name]
    const held = valueAt(before, place)
    const changed = () => (attribute.multiValued ? entriesAfter(held, change) : valueAfter(held, change))
    return report.read(attribute, () => withValueAt(before, place, changed())) ?? before
  }, document)
}

/** The value of an attribute with one value after a change. */
function valueAfter(held: JsonValue | undefined, change: PatchChange): JsonValue | undefined {
  const { attribute, subAttribute, value = null } = change
  const before = isJsonObject(held) ? held : {}
  if (subAttribute !== undefined) {
    const part = isCleared(change) ? undefined : readOne(subAttribute, value, pathOf(change))
    return unlessEmpty(withMember(before, subAttribute.name, part))
  }
  const read = isCleared(change) ? undefined : readValue(attribute, value)
  if (attribute.type !== 'complex' || attribute.field !== undefined || !isJsonObject(value) || isCleared(change)) {
    return read
  }
  // What a value object leaves out of an attribute with parts, stays; `null` clears a part.
  const cleared = Object.keys(value).filter((name) => value[name] === null)
  const parts = Object.entries(Object.assign({}, before, read))
  return unlessEmpty(Object.fromEntries(parts.filter(([name]) => !cleared.some((each) => isSameName(each, name)))))
}

/** Whether a change leaves no value; an empty text is a value of a text. */
function isCleared({ op, attribute, subAttribute, value = null }: PatchChange): boolean {
  const isNone = value === null || (Array.isArray(value) && value.length === 0)
  return op === 'remove' || isNone || (value === '' && (subAttribute !== undefined || attribute.type === 'complex'))
}

function unlessEmpty(object: JsonObject): JsonObject | undefined {
  return Object.keys(object).length === 0 ? undefined : object
}

function pathOf({ attribute, subAttribute }: PatchChange): string {
  return `${attribute.name}.${subAttribute?.name}`
}

/** The entries of an attribute that has several after a change. */
function entriesAfter(held: JsonValue | undefined, change: PatchChange): JsonValue | undefined {
  const before = Array.isArray(held) ? held : []
  const { attribute, filter, subAttribute } = change
  const isWhole = filter === undefined && subAttribute === undefined
  const entries = isWhole ? entriesChangedAsWhole(before, change) : entriesChangedInPart(before, change)
  refuseTooManyEntries(attribute, entries)
  return entries.length === 0 ? undefined : [...entries]
}

function entriesChangedInPart(held: readonly JsonValue[], change: PatchChange): readonly JsonValue[] {
  const { op, value = null, attribute, filter, subAttribute } = change
  const isMeant = (entry: JsonValue) => filter === undefined || matchesEntry(filter, entry)
  if (op === 'remove' || value === null || value === '') {
    return held.flatMap((entry) => (isMeant(entry) ? (withoutPart(entry, subAttribute) ?? []) : [entry]))
  }
  const part = partFrom(change, value)
  const merged = (entry: JsonValue): JsonObject => (isJsonObject(entry) ? { ...entry, ...part } : part)
  if (held.some(isMeant)) {
    return preferring(
      held,
      held.map((entry) => (isMeant(entry) ? merged(entry) : entry)),
    )
  }
  const added = merged(filter === undefined ? {} : entryOf(filter, attribute))
  // An entry without a value says nothing, so there is none to change.
  return added['value'] === undefined ? held : preferring(held, [...held, added])
}

function entriesChangedAsWhole(
  held: readonly JsonValue[],
  { op, value, attribute }: PatchChange,
): readonly JsonValue[] {
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
  return preferring(held, [...held.filter((entry) => !replaced.has(entryKey(entry))), ...added])
}

function entryKey(entry: JsonValue): string {
  return `${entryType(entry)}\0${entryValue(entry) ?? ''}`
}

/** The entries with one primary at most: one that has just become it, if there is one. */
function preferring(before: readonly JsonValue[], after: readonly JsonValue[]): readonly JsonValue[] {
  const isPrimary = (entry: JsonValue) => isJsonObject(entry) && entry['primary'] === true
  const preferred = before.filter(isPrimary)
  const fresh = after.filter((entry) => isPrimary(entry) && !preferred.some((each) => isDeepStrictEqual(each, entry)))
  if (fresh.length === 0) return withOnePrimary(after)
  const last = fresh.at(-1)
  return after.map((entry) =>
    isJsonObject(entry) && isPrimary(entry) && entry !== last ? { ...entry, primary: false } : entry,
  )
}

function withoutPart(entry: JsonValue, part: Attribute | undefined): JsonValue | undefined {
  if (part === undefined || !isJsonObject(entry)) return undefined
  const others = withMember(entry, part.name, undefined)
  return others['value'] === undefined ? undefined : others
}

/** What a change gives the entries: one of their parts, or several. */
function partFrom(change: PatchChange, value: JsonValue): JsonObject {
  const { attribute, subAttribute } = change
  const [given = null] = Array.isArray(value) ? value : [value]
  if (subAttribute !== undefined) {
    const read = readOne(subAttribute, given, pathOf(change))
    return read === undefined ? {} : { [subAttribute.name]: read }
  }
  const parts = isJsonObject(given) ? given : { value: given }
  const read = attribute.subAttributes.flatMap((sub) => {
    const part = Object.entries(parts).find(([name]) => isSameName(name, sub.name))?.[1]
    const known = part === undefined ? undefined : readOne(sub, part, `${attribute.name}.${sub.name}`)
    return known === undefined ? [] : [[sub.name, known] as const]
  })
  return Object.fromEntries(read)
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
