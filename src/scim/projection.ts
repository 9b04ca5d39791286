import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import type { ScimAttribute, ScimResourceType } from '../store/scim/attribute.js'
import { type AttributePath, attributePath, isSameName } from './attribute-path.js'

/** The attributes that a request wants, or does not want, of resources (RFC 7644 section 3.9). */
export interface Projection {
  /** Paths of attributes; empty if the request names none, and so gets what is returned by default. */
  readonly attributes: readonly string[]
  readonly excludedAttributes: readonly string[]
}

/** Whether an answer has an attribute, if the resource has a value of it. */
export function isReturned(name: string, projection: Projection, type: ScimResourceType): boolean {
  const found = attributePath(name, type)
  if (found === undefined || found === 'unheld') return false
  return shown(found, chosen(projection, type)) !== 'nothing'
}

/**
 * Makes resources into what of them is returned: always, by default or at request, each attribute as its declaration
 * says. Paths may be of an attribute, of a sub-attribute, or the URN of an extension; those that name nothing are
 * ignored.
 */
export function createProjector(projection: Projection, type: ScimResourceType): (resource: JsonObject) => JsonObject {
  if (projection.attributes.length === 0 && projection.excludedAttributes.length === 0) return (resource) => resource
  const choice = chosen(projection, type)
  return (resource) => projected(resource, choice, type)
}

function projected(resource: JsonObject, choice: Choice, type: ScimResourceType): JsonObject {
  const core = keptOf(resource, [...type.common, ...type.schema.attributes], (attribute) => ({
    schema: type.common.includes(attribute) ? undefined : type.schema,
    attribute,
    subAttribute: undefined,
  }))
  const extensions = type.extensions.flatMap((schema) => {
    const held = resource[schema.id]
    if (!isObject(held)) return []
    const kept = keptOf(held, schema.attributes, (attribute) => ({ schema, attribute, subAttribute: undefined }))
    return Object.keys(kept).length === 0 ? [] : [[schema.id, kept] as const]
  })
  return { ...core, ...Object.fromEntries(extensions) }

  function keptOf(
    held: JsonObject,
    attributes: readonly ScimAttribute[],
    pathOf: (attribute: ScimAttribute) => AttributePath,
  ): JsonObject {
    const kept = attributes.flatMap((attribute) => {
      const value = held[attribute.name]
      if (value === undefined) return []
      const path = pathOf(attribute)
      const extent = shown(path, choice)
      if (extent === 'nothing') return []
      return [[attribute.name, extent === 'everything' ? value : partsOf(value, path, choice)] as const]
    })
    return Object.fromEntries(kept)
  }
}

interface Choice {
  readonly wanted: readonly Named[] | undefined
  readonly unwanted: readonly Named[]
}

/** A path of an attribute, or all attributes of an extension. */
type Named = AttributePath | { readonly extension: string }

function chosen({ attributes, excludedAttributes }: Projection, type: ScimResourceType): Choice {
  const read = (paths: readonly string[]) => {
    const named = new Map<string, Named>()
    for (const path of paths) {
      const extension = type.extensions.find(({ id }) => isSameName(id, path))
      const found = extension === undefined ? attributePath(path, type) : { extension: extension.id }
      if (found !== undefined && found !== 'unheld') named.set(keyOf(found), found)
    }
    return [...named.values()]
  }
  return { wanted: attributes.length === 0 ? undefined : read(attributes), unwanted: read(excludedAttributes) }
}

/** The same for all spellings of a path. */
function keyOf(named: Named): string {
  if ('extension' in named) return named.extension
  return `${named.schema?.id}:${named.attribute.name}.${named.subAttribute?.name ?? ''}`
}

/** How much of an attribute is shown; `parts`: some of its sub-attributes. */
function shown(path: AttributePath, { wanted, unwanted }: Choice): 'everything' | 'parts' | 'nothing' {
  const { attribute } = path
  if (attribute.returned === 'always') return 'everything'
  if (attribute.returned === 'never') return 'nothing'
  if (unwanted.some((each) => isWhole(each, path))) return 'nothing'
  const isCut = unwanted.some((each) => isPart(each, path))
  if (wanted === undefined) return attribute.returned === 'request' ? 'nothing' : isCut ? 'parts' : 'everything'
  if (wanted.some((each) => isWhole(each, path))) return isCut ? 'parts' : 'everything'
  return wanted.some((each) => isPart(each, path)) ? 'parts' : 'nothing'
}

/** Whether it names the attribute as a whole. */
function isWhole(named: Named, { schema, attribute }: AttributePath): boolean {
  if ('extension' in named) return named.extension === schema?.id
  return named.attribute === attribute && named.subAttribute === undefined
}

/** Whether it names a sub-attribute of the attribute. */
function isPart(named: Named, { attribute }: AttributePath): boolean {
  return !('extension' in named) && named.attribute === attribute && named.subAttribute !== undefined
}

function partsOf(value: JsonValue, path: AttributePath, { wanted, unwanted }: Choice): JsonValue {
  const isNamed = (some: readonly Named[], sub: ScimAttribute) =>
    some.some((each) => !('extension' in each) && each.attribute === path.attribute && each.subAttribute === sub)
  const isAll = wanted === undefined || wanted.some((each) => isWhole(each, path))
  const kept = path.attribute.subAttributes.filter((sub) => (isAll || isNamed(wanted, sub)) && !isNamed(unwanted, sub))
  const cut = (entry: JsonValue): JsonValue =>
    isObject(entry)
      ? Object.fromEntries(kept.flatMap(({ name }) => (entry[name] === undefined ? [] : [[name, entry[name]]])))
      : entry
  return Array.isArray(value) ? value.map(cut) : cut(value)
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
