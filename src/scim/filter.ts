import type { JsonValue } from '@bufbuild/protobuf'
import { all, any, type Compared, type Condition, compare, constant, not, present, someEntry } from '../store/search.js'
import { type FilterText, type FilterValue, filterFault, parseFilterText } from './filter-text.js'
import { isJsonObject, memberOf } from './json.js'
import { type Attribute, findPath, isSameName, named, type ResourceType, schemasOf } from './schema.js'

/** How an attribute is compared (RFC 7644 section 3.4.2.2). */
export type Comparison = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le'

/**
 * A filter whose paths are resolved and whose values fit their attributes. It is true or false of each resource, and
 * never unknown: `ne` and `not` are the opposite of what they negate, for resources without the value too.
 */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly filters: readonly Filter[] }
  | { readonly kind: 'not'; readonly filter: Filter }
  | { readonly kind: 'present'; readonly attribute: Attribute }
  | CompareFilter
  /** One of the entries of a multi-valued attribute satisfies the filter, in which sub-attributes are compared. */
  | { readonly kind: 'some'; readonly attribute: Attribute; readonly filter: Filter }
  /** The same for all resources: what is compared is an attribute that none of them has. */
  | { readonly kind: 'constant'; readonly isTrue: boolean }

/** The value of a simple attribute. Texts are compared without regard to case unless the attribute is case-exact. */
interface CompareFilter {
  readonly kind: 'compare'
  readonly attribute: Attribute
  readonly comparison: Comparison
  readonly value: string | boolean | Date
}

/** Reads a filter on resources (RFC 7644 section 3.4.2.2). Throws `invalidFilter`, naming what is wrong. */
export function parseFilter(text: string, type: ResourceType): Filter {
  const alone = type.extensions.flatMap(({ attributes }) => attributes.filter(({ isKnownAlone }) => isKnownAlone))
  const find: Find = (path) => {
    const attribute = alone.find(({ name }) => isSameName(name, path))
    const found = attribute === undefined ? findPath(path, type) : { attribute, subAttribute: undefined }
    if (found === undefined) throw filterFault(`names the unknown attribute ${path}`)
    return found
  }
  return resolved(parseFilterText(text), find, type)
}

/** Reads what is in the brackets of a value path: a filter on entries of an attribute. Throws `invalidFilter`. */
export function parseEntryFilter(text: string, attribute: Attribute): Filter {
  return resolved(parseFilterText(text), findIn(attribute), undefined)
}

type Found = { readonly attribute: Attribute; readonly subAttribute: Attribute | undefined }
type Find = (path: string) => Found | 'unsupported'

function findIn({ name, subAttributes }: Attribute): Find {
  return (path) => {
    const attribute = named(subAttributes, path)
    if (attribute === undefined) throw filterFault(`names ${path}, which ${name} does not have`)
    return { attribute, subAttribute: undefined }
  }
}

/** `type` is that of the resources; undefined for a filter on entries. */
function resolved(filter: FilterText, find: Find, type: ResourceType | undefined): Filter {
  if ('filters' in filter) {
    return { kind: filter.kind, filters: filter.filters.map((each) => resolved(each, find, type)) }
  }
  if (filter.kind === 'not') return { kind: 'not', filter: resolved(filter.filter, find, type) }
  const { path } = filter
  const found = find(path)
  if (found === 'unsupported') return { kind: 'constant', isTrue: isTrueOfNothing(filter) }
  const { attribute, subAttribute } = found
  switch (filter.kind) {
    case 'some': {
      if (attribute.type !== 'complex' || subAttribute !== undefined) {
        throw filterFault(`has brackets after ${path}, which has no sub-attributes`)
      }
      return ofEntry(attribute, resolved(filter.filter, findIn(attribute), undefined))
    }
    case 'present': {
      if (attribute.search === 'schemas') return { kind: 'constant', isTrue: true }
      const wanted = { kind: 'present', attribute: searchable(subAttribute ?? attribute, path) } as const
      return subAttribute === undefined ? wanted : ofEntry(attribute, wanted)
    }
    case 'compare': {
      // Of a complex attribute, the value is what is compared (RFC 7643 section 2.4).
      const compared =
        subAttribute ?? (attribute.type === 'complex' ? named(attribute.subAttributes, 'value') : attribute)
      if (compared === undefined)
        throw filterFault(`compares ${path}, which is complex: compare one of its sub-attributes`)
      const single = comparison(searchable(compared, path), filter)
      if (compared.search === 'schemas' && type !== undefined) return ofSchemas(single, type)
      return compared === attribute ? single : ofEntry(attribute, single)
    }
  }
}

/** Whether a filter is true where there is no value. */
function isTrueOfNothing(filter: FilterText): boolean {
  return filter.kind === 'compare' && (filter.operator === 'ne') !== (filter.value === null)
}

function searchable(attribute: Attribute, path: string): Attribute {
  if (attribute.search === undefined) throw filterFault(`names ${path}, which cannot be searched`)
  return attribute
}

/** A condition on a sub-attribute, of one of the entries if the attribute has several. */
function ofEntry(attribute: Attribute, filter: Filter): Filter {
  return attribute.multiValued ? { kind: 'some', attribute, filter } : filter
}

type Stated = Extract<FilterText, { kind: 'compare' }>

function comparison(attribute: Attribute, stated: Stated): Filter {
  const how = stated.operator as Comparison
  if (stated.value !== null) return { kind: 'compare', attribute, comparison: how, value: valueFor(attribute, stated) }
  const present = { kind: 'present' as const, attribute }
  if (how === 'ne') return present
  if (how === 'eq') return { kind: 'not', filter: present }
  throw filterFault(`compares ${stated.path} with null: only eq and ne support null`)
}

const OF_TEXTS: readonly string[] = ['co', 'sw', 'ew']

/** The value as the type of the attribute has it. Microsoft Entra writes booleans as strings. */
function valueFor({ type }: Attribute, { path, operator, value }: Stated): string | boolean | Date {
  if (type === 'boolean') {
    if (operator !== 'eq' && operator !== 'ne') {
      throw filterFault(`compares ${path} with ${operator}: booleans support only eq and ne`)
    }
    const text = String(value).toLowerCase()
    if (text !== 'true' && text !== 'false') {
      throw filterFault(`compares ${path} with something other than true or false`)
    }
    return text === 'true'
  }
  if (type === 'dateTime') {
    if (OF_TEXTS.includes(operator)) throw filterFault(`compares ${path} with ${operator}, which only supports strings`)
    return timeFrom(value, path)
  }
  if (typeof value !== 'string') throw filterFault(`compares ${path}, a string, with ${value}: put it in quotes`)
  return value
}

/** `xsd:dateTime` (RFC 7643 section 2.3.5); without an offset it is in UTC. */
const TIME = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d{1,9})?(Z|[+-]\d\d:\d\d)?$/i

function timeFrom(value: FilterValue, path: string): Date {
  const [, day = '', offset] = (typeof value === 'string' ? TIME.exec(value) : null) ?? []
  const time = new Date(day === '' ? Number.NaN : `${value}${offset === undefined ? 'Z' : ''}`)
  // JavaScript takes 30 February for 1 March.
  const midnight = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(time.getTime()) || midnight.toISOString().slice(0, day.length) !== day) {
    throw filterFault(`compares ${path} with an invalid time: send one such as "2026-01-31T09:05:00Z"`)
  }
  return time
}

/**
 * What a comparison with `schemas` asks of a resource: it has the schema of its type, and an extension if it has a value
 * of one of the attributes.
 */
function ofSchemas(compared: Filter, type: ResourceType): Filter {
  // With null, for no value (RFC 7643 section 2.5): every resource has some.
  if (compared.kind !== 'compare') return { kind: 'constant', isTrue: compared.kind === 'present' }
  const schemas = schemasOf(type).filter(({ id }) => compares(compared, id))
  if (schemas.includes(type.schema)) return { kind: 'constant', isTrue: true }
  const attributes = schemas.flatMap((schema) => schema.attributes)
  return { kind: 'or', filters: attributes.map((attribute) => ({ kind: 'present', attribute })) }
}

/** Whether the entry of a multi-valued attribute satisfies a filter: as in the database, but of JSON in a document. */
export function matchesEntry(filter: Filter, entry: JsonValue): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.filters.every((each) => matchesEntry(each, entry))
    case 'or':
      return filter.filters.some((each) => matchesEntry(each, entry))
    case 'not':
      return !matchesEntry(filter.filter, entry)
    case 'present':
      return valueIn(entry, filter.attribute) !== undefined
    case 'compare':
      return compares(filter, valueIn(entry, filter.attribute))
    case 'some':
      return false
    case 'constant':
      return filter.isTrue
  }
}

/** The value of a sub-attribute, whose name the document has in any case; undefined if there is none. */
function valueIn(entry: JsonValue, { name, type }: Attribute): string | boolean | undefined {
  const value = isJsonObject(entry) ? memberOf(entry, name) : undefined
  if (type === 'boolean') return value === true
  return typeof value === 'string' && value !== '' ? value : undefined
}

function compares({ attribute, comparison: how, value }: CompareFilter, held: string | boolean | undefined): boolean {
  if (typeof value === 'boolean') return (held === value) === (how === 'eq')
  if (typeof held !== 'string') return how === 'ne'
  if (value instanceof Date) return isOrdered(how, Date.parse(held), value.getTime())
  const [left, right] = attribute.caseExact ? [held, value] : [held.toLowerCase(), value.toLowerCase()]
  if (how === 'co') return left.includes(right)
  if (how === 'sw') return left.startsWith(right)
  if (how === 'ew') return left.endsWith(right)
  return isOrdered(how, left, right)
}

function isOrdered<T extends string | number>(how: Comparison, left: T, right: T): boolean {
  if (left === right) return how === 'eq' || how === 'ge' || how === 'le'
  return how === 'ne' || (left < right ? how === 'lt' || how === 'le' : how === 'gt' || how === 'ge')
}

const comparisons = {
  eq: 'equals',
  co: 'contains',
  sw: 'startsWith',
  ew: 'endsWith',
  gt: 'gt',
  ge: 'gte',
  lt: 'lt',
  le: 'lte',
} as const

/** The filter as a condition on rows. */
export function conditionOf(filter: Filter): Condition {
  switch (filter.kind) {
    case 'and':
      return all(filter.filters.map(conditionOf))
    case 'or':
      return any(filter.filters.map(conditionOf))
    case 'not':
      return not(conditionOf(filter.filter))
    case 'present':
      return presenceOf(filter.attribute)
    case 'compare': {
      const { attribute, comparison: how, value } = filter
      if (how === 'ne') return not(conditionOf({ ...filter, comparison: 'eq' }))
      return compare(comparedIn(attribute), comparisons[how], value)
    }
    case 'some': {
      const { search } = filter.attribute
      if (typeof search !== 'object' || !('from' in search)) throw unsearchable(filter.attribute)
      const equal = { value: textEqual(filter.filter, 'value'), type: textEqual(filter.filter, 'type')?.toLowerCase() }
      return someEntry(search, conditionOf(filter.filter), equal)
    }
    case 'constant':
      return constant(filter.isTrue)
  }
}

function presenceOf(attribute: Attribute): Condition {
  const { search, subAttributes } = attribute
  if (search === 'parts') return any(subAttributes.filter((sub) => sub.search !== undefined).map(presenceOf))
  if (typeof search !== 'object') throw unsearchable(attribute)
  return present(search)
}

/** The value of an attribute as rows are compared and ordered by it. */
export function comparedIn(attribute: Attribute): Compared {
  const { search, type, caseExact } = attribute
  if (typeof search !== 'object' || 'from' in search) throw unsearchable(attribute)
  const isText = type === 'string' || type === 'reference'
  return { value: search, text: isText ? (caseExact ? 'exact' : 'folded') : undefined }
}

/** The text that a sub-attribute must equal for the filter to be true. */
function textEqual(filter: Filter, name: string): string | undefined {
  if (filter.kind === 'and') {
    return filter.filters.map((each) => textEqual(each, name)).find((text) => text !== undefined)
  }
  const isIt = filter.kind === 'compare' && filter.comparison === 'eq' && filter.attribute.name === name
  return isIt && typeof filter.value === 'string' ? filter.value : undefined
}

function unsearchable({ name }: Attribute): Error {
  return new Error(`${name} cannot be compared`)
}
