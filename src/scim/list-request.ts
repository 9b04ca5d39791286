import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import type { ScimResourceType } from '../store/scim/attribute.js'
import type { Filter } from '../store/scim/filter.js'
import type { ScimOrder } from '../store/scim/list.js'
import { simplified } from '../store/scim/simplified-filter.js'
import { attributePath, named } from './attribute-path.js'
import { ScimError } from './error.js'
import { parseFilter } from './filter.js'
import type { Projection } from './projection.js'

/** The most resources on a page. */
export const MAX_PAGE_SIZE = 200
/** The resources on a page if the request does not say. */
const DEFAULT_PAGE_SIZE = 100

/** What a request for a list wants (RFC 7644 section 3.4.2). */
export interface ListRequest {
  readonly filter: Filter | undefined
  /** Undefined is the order of creation. */
  readonly order: ScimOrder | undefined
  /** At least 1. */
  readonly startIndex: number
  /** 0 asks for the total alone. */
  readonly count: number
  readonly projection: Projection
}

/** Reads the query of a list. Throws `invalidFilter`, `invalidPath` and `invalidValue`. */
export function listRequestFromQuery(query: URLSearchParams, type: ScimResourceType): ListRequest {
  return listRequest(
    {
      filter: query.get('filter') ?? undefined,
      sortBy: query.get('sortBy') ?? undefined,
      sortOrder: query.get('sortOrder') ?? undefined,
      startIndex: integerText(query.get('startIndex'), 'startIndex'),
      count: integerText(query.get('count'), 'count'),
      ...projectionFromQuery(query),
    },
    type,
  )
}

/** Which attributes the query of a request for one or more resources names. */
export function projectionFromQuery(query: URLSearchParams): Projection {
  const paths = (name: string) =>
    query.getAll(name).flatMap((text) => text.split(',').flatMap((path) => path.trim() || []))
  return { attributes: paths('attributes'), excludedAttributes: paths('excludedAttributes') }
}

const SEARCH_REQUEST = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest'

/** Reads the body of `POST /.search`. Throws as `listRequestFromQuery` does, and `invalidSyntax`. */
export function listRequestFromBody(body: JsonObject, type: ScimResourceType): ListRequest {
  const value = (name: string) =>
    Object.entries(body).find(([key, held]) => key.toLowerCase() === name.toLowerCase() && held !== null)?.[1]
  const { schemas } = body
  if (!Array.isArray(schemas) || !schemas.includes(SEARCH_REQUEST)) {
    throw new ScimError(400, 'invalidSyntax', `schemas must include ${SEARCH_REQUEST}`)
  }
  return listRequest(
    {
      filter: text(value('filter'), 'filter'),
      sortBy: text(value('sortBy'), 'sortBy'),
      sortOrder: text(value('sortOrder'), 'sortOrder'),
      startIndex: integer(value('startIndex'), 'startIndex'),
      count: integer(value('count'), 'count'),
      attributes: texts(value('attributes'), 'attributes'),
      excludedAttributes: texts(value('excludedAttributes'), 'excludedAttributes'),
    },
    type,
  )
}

interface Stated extends Projection {
  readonly filter: string | undefined
  readonly sortBy: string | undefined
  readonly sortOrder: string | undefined
  readonly startIndex: number | undefined
  readonly count: number | undefined
}

function listRequest(stated: Stated, type: ScimResourceType): ListRequest {
  const { filter, sortBy, startIndex = 1, count = DEFAULT_PAGE_SIZE, attributes, excludedAttributes } = stated
  const sortOrder = stated.sortOrder?.toLowerCase() ?? 'ascending'
  if (sortOrder !== 'ascending' && sortOrder !== 'descending') {
    throw new ScimError(400, 'invalidValue', 'sortOrder must be ascending or descending')
  }
  return {
    filter: filter === undefined ? undefined : simplified(parseFilter(filter, type)),
    order: sortBy === undefined ? undefined : orderBy(sortBy, sortOrder === 'descending', type),
    // What is below is 1, and a negative count is 0 (RFC 7644 section 3.4.2.4).
    startIndex: Math.max(1, startIndex),
    count: Math.min(MAX_PAGE_SIZE, Math.max(0, count)),
    projection: { attributes, excludedAttributes },
  }
}

/** The order by an attribute; of one with parts, by its value (RFC 7644 section 3.4.2.3). */
function orderBy(path: string, isDescending: boolean, type: ScimResourceType): ScimOrder | undefined {
  const found = attributePath(path, type)
  if (found === undefined) throw new ScimError(400, 'invalidPath', `sortBy names the unknown attribute ${path}`)
  // No resource has it, so it orders none.
  if (found === 'unheld') return undefined
  const { attribute, subAttribute } = found
  const sorted = subAttribute ?? (attribute.type === 'complex' ? named(attribute.subAttributes, 'value') : attribute)
  if (sorted?.source.kind !== 'value') {
    throw new ScimError(400, 'invalidPath', `sortBy names ${path}, which has no value to sort by`)
  }
  return { attribute: sorted, within: attribute.multiValued ? attribute : undefined, isDescending }
}

function integerText(given: string | null, name: string): number | undefined {
  if (given === null) return undefined
  if (!/^[+-]?\d{1,15}$/.test(given)) throw new ScimError(400, 'invalidValue', `${name} must be an integer`)
  return Number(given)
}

function integer(given: JsonValue | undefined, name: string): number | undefined {
  if (given === undefined) return undefined
  if (!Number.isSafeInteger(given)) throw new ScimError(400, 'invalidValue', `${name} must be an integer`)
  return Number(given)
}

function text(given: JsonValue | undefined, name: string): string | undefined {
  if (given === undefined || typeof given === 'string') return given
  throw new ScimError(400, 'invalidValue', `${name} must be a string`)
}

function texts(given: JsonValue | undefined, name: string): readonly string[] {
  if (given === undefined) return []
  if (Array.isArray(given) && given.every((each) => typeof each === 'string')) return given
  throw new ScimError(400, 'invalidValue', `${name} must be a list of strings`)
}
