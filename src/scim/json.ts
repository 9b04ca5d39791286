import type { JsonObject, JsonValue } from '@bufbuild/protobuf'

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The member of an object with a name in any case. */
export function memberOf(object: JsonObject, name: string): JsonValue | undefined {
  const lower = name.toLowerCase()
  return object[name] ?? Object.entries(object).find(([key]) => key.toLowerCase() === lower)?.[1]
}

/** The object with another value of a member; undefined takes it out. */
export function withMember(object: JsonObject, name: string, value: JsonValue | undefined): JsonObject {
  const { [name]: _, ...others } = object
  return value === undefined ? others : { ...others, [name]: value }
}

/** The object with another value where a path leads, without the objects that this leaves empty. */
export function withValueAt(
  object: JsonObject,
  [name = '', ...rest]: readonly string[],
  value: JsonValue | undefined,
): JsonObject {
  if (rest.length === 0) return withMember(object, name, value)
  const inner = object[name]
  const changed = withValueAt(isJsonObject(inner) ? inner : {}, rest, value)
  return withMember(object, name, Object.keys(changed).length === 0 ? undefined : changed)
}

/** The object without the members that are null, and without the objects that this leaves empty. */
export function withoutNulls(object: JsonObject): JsonObject {
  const members = Object.entries(object).flatMap(([name, value]): [string, JsonValue][] => {
    const kept = isJsonObject(value) ? withoutNulls(value) : value
    return kept === null || (isJsonObject(kept) && Object.keys(kept).length === 0) ? [] : [[name, kept]]
  })
  return Object.fromEntries(members)
}

export function valueAt(object: JsonObject | undefined, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = object
  for (const name of path) value = isJsonObject(value) ? value[name] : undefined
  return value
}

export function textIn(object: JsonObject | undefined, ...path: readonly string[]): string | undefined {
  const value = valueAt(object, path)
  return typeof value === 'string' ? value : undefined
}

/** The entries of an attribute that has several, where a path leads. */
export function entriesOf(object: JsonObject | undefined, ...path: readonly string[]): readonly JsonObject[] {
  const value = valueAt(object, path)
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

export function entryValue(entry: JsonValue | undefined): string | undefined {
  return isJsonObject(entry) ? textIn(entry, 'value') : undefined
}

/** The type of an entry, in lower case. */
export function entryType(entry: JsonValue): string {
  return isJsonObject(entry) ? (textIn(entry, 'type') ?? '').toLowerCase() : ''
}

/** The entries by preference: the primary one, then those of the types, in the order of these. */
export function preferredEntries(entries: readonly JsonObject[], types: readonly string[]): JsonObject[] {
  const primary = entries.filter((entry) => entry['primary'] === true)
  const ofTypes = types.flatMap((type) => entries.filter((entry) => entryType(entry) === type))
  return [...new Set([...primary, ...ofTypes])]
}
