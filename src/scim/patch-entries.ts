import { isDeepStrictEqual } from 'node:util'
import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import type { ScimAttribute } from '../store/scim/attribute.js'
import type { Filter } from '../store/scim/filter.js'
import { matchesEntry } from './entry-match.js'
import { ScimError } from './error.js'
import { isJsonObject } from './json-object.js'
import type { PatchOperation } from './patch-operation.js'
import type { PatchTarget } from './patch-path.js'
import { entryType, entryValue } from './user-document.js'
import { readOne, readValue, withOnePrimary } from './value-reader.js'

/** The entries of an attribute that has several, after an operation on it. */
export function changedEntries(
  held: readonly JsonValue[],
  target: PatchTarget,
  operation: PatchOperation,
): readonly JsonValue[] {
  const { attribute, filter, subAttribute } = target
  if (filter === undefined && subAttribute === undefined) return changedAsWhole(held, attribute, operation)
  const isMeant = (entry: JsonValue) => filter === undefined || matchesEntry(filter, entry)
  const isNone = operation.value === null || operation.value === undefined || operation.value === ''
  if (operation.op === 'remove' || isNone) {
    return held.flatMap((entry) => (isMeant(entry) ? (withoutPart(entry, subAttribute) ?? []) : [entry]))
  }
  const part = partFrom(target, operation.value)
  if (held.some(isMeant))
    return preferring(
      held,
      held.map((entry) => (isMeant(entry) ? merged(entry, part) : entry)),
    )
  const added = merged(filter === undefined ? {} : entryOf(filter, attribute), part)
  // An entry without a value says nothing, so there is none to change.
  return isJsonObject(added) && added['value'] === undefined ? held : preferring(held, [...held, added])
}

function changedAsWhole(
  held: readonly JsonValue[],
  attribute: ScimAttribute,
  { op, value }: PatchOperation,
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

function withoutPart(entry: JsonValue, part: ScimAttribute | undefined): JsonValue | undefined {
  if (part === undefined || !isJsonObject(entry)) return undefined
  const { [part.name]: _, ...others } = entry
  return others['value'] === undefined ? undefined : others
}

/** What an operation gives the entries: one of their parts, or several. */
function partFrom({ attribute, subAttribute }: PatchTarget, value: JsonValue = null): JsonObject {
  if (subAttribute !== undefined) {
    const path = `${attribute.name}.${subAttribute.name}`
    const single = Array.isArray(value) ? (value[0] ?? null) : value
    const read = readOne(subAttribute, single, path)
    return read === undefined ? {} : { [subAttribute.name]: read }
  }
  const [given = null] = Array.isArray(value) ? value : [value]
  const parts = isJsonObject(given) ? given : { value: given }
  const read = attribute.subAttributes.flatMap((sub) => {
    const part = Object.entries(parts).find(([name]) => name.toLowerCase() === sub.name.toLowerCase())?.[1]
    const known = part === undefined ? undefined : readOne(sub, part, `${attribute.name}.${sub.name}`)
    return known === undefined ? [] : [[sub.name, known] as const]
  })
  return Object.fromEntries(read)
}

function merged(entry: JsonValue, part: JsonObject): JsonObject {
  return isJsonObject(entry) ? { ...entry, ...part } : part
}

/** The entry that a filter describes by what its parts equal. Throws `noTarget` for any other filter. */
function entryOf(filter: Filter, attribute: ScimAttribute): JsonObject {
  if (filter.kind === 'and') {
    return Object.assign({}, ...filter.filters.map((each) => entryOf(each, attribute)))
  }
  if (filter.kind !== 'compare' || filter.comparison !== 'eq' || filter.value instanceof Date) {
    throw new ScimError(400, 'noTarget', `no entry of ${attribute.name} matches the filter`)
  }
  return { [filter.attribute.name]: filter.value }
}
