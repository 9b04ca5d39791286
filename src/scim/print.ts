import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import { acceptedVersionsFrom, requireAcceptedVersion } from '../domain/value/entity-tag.js'
import type { WriteContext } from '../runtime/write-context.js'
import { locationOf, versionOf } from './common-attributes.js'
import { isJsonObject } from './json.js'
import type { ScimAnswer, ScimRequest } from './request.js'
import { type Attribute, coreOf, findPath, isSameName, type ResourceType, schemasOf } from './schema.js'

/** The attributes that a request wants, or does not want, of resources (RFC 7644 section 3.9). */
export interface Projection {
  /** Paths of attributes; empty if the request names none, and so gets what is returned by default. */
  readonly attributes: readonly string[]
  readonly excludedAttributes: readonly string[]
}

/**
 * The type with what of its resources is returned: always, by default or at request. Paths may be of an attribute, of a
 * sub-attribute, or the URN of an extension; those that name nothing are ignored.
 */
export function projected<Row>(type: ResourceType<Row>, projection: Projection): ResourceType<Row> {
  const wanted = projection.attributes.length === 0 ? undefined : attributesNamed(projection.attributes, type)
  const unwanted = attributesNamed(projection.excludedAttributes, type)
  const kept = (attributes: readonly Attribute<Row>[]) =>
    attributes.flatMap((attribute) => {
      const { returned, subAttributes } = attribute
      if (returned === 'always') return [attribute]
      if (returned === 'never' || unwanted.has(attribute)) return []
      const isWhole = wanted === undefined ? returned === 'default' : wanted.has(attribute)
      const parts = subAttributes.filter((sub) => (isWhole || wanted?.has(sub)) && !unwanted.has(sub))
      const isNone = parts.length === 0 && (!isWhole || subAttributes.length > 0)
      return isNone ? [] : [{ ...attribute, subAttributes: parts }]
    })
  return {
    ...type,
    common: kept(type.common),
    schema: { ...type.schema, attributes: kept(type.schema.attributes) },
    extensions: type.extensions.map((schema) => ({ ...schema, attributes: kept(schema.attributes) })),
  }
}

function attributesNamed<Row>(paths: readonly string[], type: ResourceType<Row>): ReadonlySet<Attribute<Row>> {
  const attributes = new Set<Attribute<Row>>()
  for (const path of paths) {
    const extension = type.extensions.find(({ id }) => isSameName(id, path))
    for (const each of extension?.attributes ?? []) attributes.add(each)
    const found = findPath(path, type)
    if (typeof found === 'object') attributes.add(found.subAttribute ?? found.attribute)
  }
  return attributes
}

/** Makes rows into resources, as far as the projected type has their attributes. */
export function createPrinter<Row>(
  type: ResourceType<Row>,
  projection: ResourceType<Row>,
  baseUrl: string,
): (row: Row) => JsonObject {
  const objectOf = (attributes: readonly Attribute<Row>[], row: Row): JsonObject | undefined => {
    const shown: { [name: string]: JsonValue } = {}
    for (const attribute of attributes) {
      const value = shownValue(attribute, row)
      if (value !== undefined) shown[attribute.name] = value
    }
    return Object.keys(shown).length === 0 ? undefined : shown
  }
  const shownValue = (attribute: Attribute<Row>, row: Row): JsonValue | undefined => {
    if (attribute.search === 'schemas') {
      const isHeld = (attributes: readonly Attribute<Row>[]) =>
        attributes.some((each) => shownValue(each, row) !== undefined)
      return schemasOf(type).flatMap(({ id, attributes }) => (isHeld(attributes) ? id : []))
    }
    if (attribute.print === undefined) return objectOf(attribute.subAttributes, row)
    const value = attribute.print(row, baseUrl)
    return Array.isArray(value) ? value.map((entry) => partsOf(entry, attribute)) : value
  }
  return (row) => {
    const extensions = projection.extensions.map(({ id, attributes }) => [id, objectOf(attributes, row)] as const)
    const held = extensions.filter(([, shown]) => shown !== undefined)
    return Object.assign({}, objectOf(coreOf(projection), row), Object.fromEntries(held))
  }
}

/** The answer with one resource, as far as the type is shown. */
export function resourceAnswer<Row extends { readonly version: string }>(
  type: ResourceType<Row>,
  shown: ResourceType<Row>,
  {
    row,
    id,
    status,
    baseUrl,
  }: { readonly row: Row; readonly id: string; readonly status: number; readonly baseUrl: string },
): ScimAnswer {
  const place = status === 201 ? 'location' : 'content-location'
  return {
    status,
    body: createPrinter(type, shown, baseUrl)(row),
    headers: { etag: versionOf(row), [place]: locationOf(type.name, id, baseUrl) },
  }
}

/** What an entry has of the sub-attributes. */
function partsOf(entry: JsonValue, { subAttributes }: Attribute): JsonValue {
  if (!isJsonObject(entry)) return entry
  return Object.fromEntries(
    subAttributes.flatMap(({ name }) => (entry[name] === undefined ? [] : [[name, entry[name]]])),
  )
}

/** Throws `ETAG_MISMATCH` for a resource in another version than an `If-Match` accepts. */
export function requireVersion(
  { ifMatch }: Pick<WriteContext, 'ifMatch'>,
  row: { readonly version: string },
  resource: { readonly resourceType: string; readonly resourceId: string },
): void {
  const accepted = acceptedVersionsFrom(ifMatch)
  if (accepted === undefined) return
  requireAcceptedVersion(accepted === 'any' ? accepted : accepted.map(withoutWeakness), versionOf(row), resource)
}

/** The answer, or 304 if the `If-None-Match` of the request names its version. */
export function unlessKnown({ ifNoneMatch }: Pick<ScimRequest, 'ifNoneMatch'>, answer: ScimAnswer): ScimAnswer {
  const etag = answer.headers?.['etag'] ?? ''
  const tags = ifNoneMatch?.split(',').map((tag) => withoutWeakness(tag.trim())) ?? []
  return tags.includes('*') || tags.includes(etag) ? { status: 304, headers: { etag } } : answer
}

/** SCIM's examples have weak tags, which some clients make of every tag. */
function withoutWeakness(tag: string): string {
  return tag.replace(/^W\//, '')
}
