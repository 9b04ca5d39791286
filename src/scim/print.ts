import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import { isJsonObject } from './json.js'
import { type Attribute, findPath, isSameName, type ResourceType } from './schema.js'

/** The attributes that a request wants, or does not want, of resources (RFC 7644 section 3.9). */
export interface Projection {
  /** Paths of attributes; empty if the request names none, and so gets all. */
  readonly attributes: readonly string[]
  readonly excludedAttributes: readonly string[]
}

/**
 * The type with what of its resources is returned. Paths may be of an attribute, of a sub-attribute, or the URN of an
 * extension; those that name nothing are ignored.
 */
export function projected<Row>(type: ResourceType<Row>, projection: Projection): ResourceType<Row> {
  const wanted = projection.attributes.length === 0 ? undefined : attributesNamed(projection.attributes, type)
  const unwanted = attributesNamed(projection.excludedAttributes, type)
  const kept = (attributes: readonly Attribute<Row>[]) =>
    attributes.flatMap((attribute) => {
      if (attribute.returned === 'always') return [attribute]
      if (unwanted.has(attribute)) return []
      const isWhole = wanted === undefined || wanted.has(attribute)
      const parts = attribute.subAttributes.filter((sub) => (isWhole || wanted.has(sub)) && !unwanted.has(sub))
      const isNone = parts.length === 0 && (!isWhole || attribute.subAttributes.length > 0)
      return isNone ? [] : [{ ...attribute, subAttributes: parts }]
    })
  return {
    ...type,
    attributes: kept(type.attributes),
    extensions: type.extensions.map((schema) => ({ ...schema, attributes: kept(schema.attributes) })),
  }
}

function attributesNamed<Row>(paths: readonly string[], type: ResourceType<Row>): ReadonlySet<Attribute<Row>> {
  const attributes = paths.flatMap((path) => {
    const found = findPath(path, type)
    const extension = type.extensions.find(({ id }) => isSameName(id, path))
    return [
      ...(extension?.attributes ?? []),
      ...(typeof found === 'object' ? [found.subAttribute ?? found.attribute] : []),
    ]
  })
  return new Set(attributes)
}

export function printed<Row>(row: Row, type: ResourceType<Row>, baseUrl: string): JsonObject {
  const extensions = type.extensions.flatMap(({ id, attributes }) => {
    const object = objectOf(attributes, row, baseUrl)
    return object === undefined ? [] : [[id, object] as const]
  })
  return { ...objectOf(type.attributes, row, baseUrl), ...Object.fromEntries(extensions) }
}

export function shownValue<Row>(attribute: Attribute<Row>, row: Row, baseUrl: string): JsonValue | undefined {
  if (attribute.print === undefined) return objectOf(attribute.subAttributes, row, baseUrl)
  const value = attribute.print(row, baseUrl)
  return Array.isArray(value) ? value.map((entry) => partsOf(entry, attribute)) : value
}

function objectOf<Row>(attributes: readonly Attribute<Row>[], row: Row, baseUrl: string): JsonObject | undefined {
  const shown: { [name: string]: JsonValue } = {}
  for (const attribute of attributes) {
    const value = shownValue(attribute, row, baseUrl)
    if (value !== undefined) shown[attribute.name] = value
  }
  return Object.keys(shown).length === 0 ? undefined : shown
}

function partsOf(entry: JsonValue, { subAttributes }: Attribute): JsonValue {
  if (!isJsonObject(entry)) return entry
  const names = subAttributes.map(({ name }) => name).filter((name) => entry[name] !== undefined)
  return Object.fromEntries(names.map((name) => [name, entry[name] ?? null]))
}
