import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import type { Condition, Order } from '../store/search.js'
import { constant } from '../store/search.js'
import type { Range } from '../store/search-page.js'
import { ScimError } from './error.js'
import { comparedIn, conditionOf, parseFilter } from './filter.js'
import { memberOf } from './json.js'
import type { Projection } from './print.js'
import { findPath, named, type ResourceType } from './schema.js'

/** The most resources on a page. */
export const MAX_PAGE_SIZE = 200
/** The resources on a page if the request does not say. */
const DEFAULT_PAGE_SIZE = 100

/** What a request for a list wants (RFC 7644 section 3.4.2). */
export interface ListRequest {
  readonly condition: Condition
  /** Undefined is the order of creation. */
  readonly order: Order | undefined
  readonly range: Range
  readonly projection: Projection
}

/** What a list is asked by. */
const parameters = ['filter', 'sortBy', 'sortOrder', 'startIndex', 'count', 'attributes', 'excludedAttributes'] as const

type Stated = { readonly [Name in (typeof parameters)[number]]?: JsonValue | undefined }

/** Reads the query of a list. Throws `invalidFilter`, `invalidPath` and `invalidValue`. */
export function listRequestFromQuery(query: URLSearchParams, type: ResourceType): ListRequest {
  const texts = Object.fromEntries(parameters.map((name) => [name, query.get(name) ?? undefined]))
  const integer = (text: string | undefined) =>
    text !== undefined && /^[+-]?\d{1,15}$/.test(text) ? Number(text) : text
  const { startIndex, count } = texts
  const stated = { ...texts, startIndex: integer(startIndex), count: integer(count), ...projectionFromQuery(query) }
  return listRequest(stated, type)
}

/** Which attributes the query of a request for one or more resources names. */
export function projectionFromQuery(query: URLSearchParams): { attributes: string[]; excludedAttributes: string[] } {
  const paths = (name: string) =>
    query.getAll(name).flatMap((text) => text.split(',').flatMap((path) => path.trim() || []))
  return { attributes: paths('attributes'), excludedAttributes: paths('excludedAttributes') }
}

const SEARCH_REQUEST = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest'

/** Reads the body of `POST /.search`. Throws as `listRequestFromQuery` does, and `invalidSyntax`. */
export function listRequestFromBody(body: JsonObject, type: ResourceType): ListRequest {
  const { schemas } = body
  if (!Array.isArray(schemas) || !schemas.includes(SEARCH_REQUEST)) {
    throw new ScimError(400, 'invalidSyntax', `schemas must include ${SEARCH_REQUEST}`)
  }
  return listRequest(Object.fromEntries(parameters.map((name) => [name, memberOf(body, name) ?? undefined])), type)
}

function listRequest(stated: Stated, type: ResourceType): ListRequest {
  const filter = text(stated, 'filter')
  const sortBy = text(stated, 'sortBy')
  const sortOrder = text(stated, 'sortOrder')?.toLowerCase() ?? 'ascending'
  // What is below is 1, and a negative count is 0 (RFC 7644 section 3.4.2.4).
  const startIndex = Math.max(1, integer(stated, 'startIndex') ?? 1)
  const count = Math.min(MAX_PAGE_SIZE, Math.max(0, integer(stated, 'count') ?? DEFAULT_PAGE_SIZE))
  const projection = {
    attributes: texts(stated, 'attributes'),
    excludedAttributes: texts(stated, 'excludedAttributes'),
  }
  if (sortOrder !== 'ascending' && sortOrder !== 'descending') throw invalid('sortOrder', 'ascending or descending')
  return {
    condition: filter === undefined ? constant(true) : conditionOf(parseFilter(filter, type)),
    order: sortBy === undefined ? undefined : orderBy(sortBy, sortOrder === 'descending', type),
    range: { offset: startIndex - 1, count },
    projection,
  }
}

/** The order by an attribute; of one with parts, by its value (RFC 7644 section 3.4.2.3). */
function orderBy(path: string, isDescending: boolean, type: ResourceType): Order | undefined {
  const found = findPath(path, type)
  if (found === undefined) throw new ScimError(400, 'invalidPath', `sortBy names the unknown attribute ${path}`)
  // No resource has it, so it orders none.
  if (found === 'unsupported') return undefined
  const { attribute, subAttribute } = found
  const sorted = subAttribute ?? (attribute.type === 'complex' ? named(attribute.subAttributes, 'value') : attribute)
  if (typeof sorted?.search !== 'object' || 'from' in sorted.search) {
    throw new ScimError(400, 'invalidPath', `sortBy names ${path}, which has no value to sort by`)
  }
  const { search } = attribute
  const within = typeof search === 'object' && 'from' in search ? search : undefined
  return { ...comparedIn(sorted), within, isDescending }
}

function integer(stated: Stated, name: 'startIndex' | 'count'): number | undefined {
  const given = stated[name]
  if (given === undefined || Number.isSafeInteger(given)) return given === undefined ? undefined : Number(given)
  throw invalid(name, 'an integer')
}

function text(stated: Stated, name: 'filter' | 'sortBy' | 'sortOrder'): string | undefined {
  const given = stated[name]
  if (given === undefined || typeof given === 'string') return given
  throw invalid(name, 'a string')
}

function texts(stated: Stated, name: 'attributes' | 'excludedAttributes'): readonly string[] {
  const given = stated[name] ?? []
  if (Array.isArray(given) && given.every((each) => typeof each === 'string')) return given
  throw invalid(name, 'a list of strings')
}

function invalid(name: string, expected: string): ScimError {
  return new ScimError(400, 'invalidValue', `${name} must be ${expected}`)
}
