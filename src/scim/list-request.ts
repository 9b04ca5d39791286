import type { JsonObject } from '@bufbuild/protobuf'
import type { Order } from '../store/search.js'
import { comparedIn, conditionOf } from './condition.js'
import { ScimError } from './error.js'
import { parseFilter } from './filter.js'
import { memberOf } from './json.js'
import { findPath, named, type ResourceType } from './schema.js'

export const MAX_PAGE_SIZE = 200
const DEFAULT_PAGE_SIZE = 100

/** The query of a list request (RFC 7644 section 3.4.2). */
export type ListRequest = ReturnType<typeof listRequest>

/** Reads the query of a list. Throws `invalidFilter`, `invalidPath` and `invalidValue`. */
export function listRequestFromQuery(query: URLSearchParams, type: ResourceType): ListRequest {
  const texts = ['filter', 'sortBy', 'sortOrder'].map((name) => [name, query.get(name)] as const)
  const numbers = ['startIndex', 'count'].map((name) => {
    const text = query.get(name)
    return [name, text !== null && /^[+-]?\d{1,15}$/.test(text) ? Number(text) : text] as const
  })
  return listRequest({ ...Object.fromEntries([...texts, ...numbers]), ...projectionFromQuery(query) }, type)
}

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
  return listRequest(body, type)
}

function listRequest(stated: JsonObject, type: ResourceType) {
  const filter = text(stated, 'filter')
  const sortBy = text(stated, 'sortBy')
  const sortOrder = text(stated, 'sortOrder')?.toLowerCase() ?? 'ascending'
  // What is below is 1, and a negative count is 0 (RFC 7644 section 3.4.2.4).
  const startIndex = Math.max(1, integer(stated, 'startIndex') ?? 1)
  const count = Math.min(MAX_PAGE_SIZE, Math.max(0, integer(stated, 'count') ?? DEFAULT_PAGE_SIZE))
  const [attributes, excludedAttributes] = [texts(stated, 'attributes'), texts(stated, 'excludedAttributes')]
  if (sortOrder !== 'ascending' && sortOrder !== 'descending') throw invalid('sortOrder', 'ascending or descending')
  return {
    /** Undefined for all resources. */
    condition: filter === undefined ? undefined : conditionOf(parseFilter(filter, type)),
    /** Undefined is the order of creation. */
    order: sortBy === undefined ? undefined : orderBy(sortBy, sortOrder === 'descending', type),
    range: { offset: startIndex - 1, count },
    projection: { attributes, excludedAttributes },
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
  if (sorted?.search === undefined || sorted.entries !== undefined) {
    throw new ScimError(400, 'invalidPath', `sortBy names ${path}, which has no value to sort by`)
  }
  return { ...comparedIn(sorted), within: attribute.entries, isDescending }
}

function integer(stated: JsonObject, name: string): number | undefined {
  const given = memberOf(stated, name) ?? undefined
  if (given === undefined || (typeof given === 'number' && Number.isSafeInteger(given))) return given
  throw invalid(name, 'an integer')
}

function text(stated: JsonObject, name: string): string | undefined {
  const given = memberOf(stated, name) ?? undefined
  if (given === undefined || typeof given === 'string') return given
  throw invalid(name, 'a string')
}

function texts(stated: JsonObject, name: string): readonly string[] {
  const given = memberOf(stated, name) ?? []
  if (Array.isArray(given) && given.every((each) => typeof each === 'string')) return given
  throw invalid(name, 'a list of strings')
}

function invalid(name: string, expected: string): ScimError {
  return new ScimError(400, 'invalidValue', `${name} must be ${expected}`)
}
