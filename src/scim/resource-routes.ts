import type { JsonObject } from '@bufbuild/protobuf'
import { databaseFailure } from '../db/errors.js'
import { entityTagOf } from '../domain/value/entity-tag.js'
import type { Page, Range, Selection } from '../store/search-page.js'
import { ScimError } from './error.js'
import { textIn } from './json.js'
import { type ListRequest, listRequestFromBody, listRequestFromQuery, projectionFromQuery } from './list-request.js'
import { printed, projected } from './print.js'
import type { ScimAnswer, ScimRequest, ScimRoute } from './request.js'
import { locationOf } from './resource-attributes.js'
import type { ResourceType } from './schema.js'

/** Works on one resource; `shown` is what the answer shows of it. Undefined for no resource to show. */
type Operation<Row> = (request: ScimRequest, shown: ResourceType<Row>) => Promise<Row | undefined>

export interface ResourceOperations<Row> {
  readonly create: Operation<Row>
  readonly get: Operation<Row>
  readonly replace: Operation<Row>
  readonly patch: Operation<Row>
  readonly remove: Operation<Row>
  readonly list: (
    request: ScimRequest,
    selection: Selection,
    range: Range,
    shown: ResourceType<Row>,
  ) => Promise<Page<Row>>
}

export function resourceRoutes<Row extends { readonly version: string }>(
  type: ResourceType<Row>,
  { create, get, replace, patch, remove }: ResourceOperations<Row>,
): ScimRoute[] {
  const one = `${type.endpoint}/{id}`
  const answering = (operation: Operation<Row>, status: number) => async (request: ScimRequest) => {
    const shown = projected(type, projectionFromQuery(request.query))
    const row = await operation(request, shown)
    return row === undefined ? { status: 204 } : resourceAnswer(request, row, shown, status)
  }
  return [
    route('POST', type.endpoint, 'Create', answering(create, 201)),
    route('GET', one, 'Get', answering(get, 200)),
    route('PUT', one, 'Replace', answering(replace, 200)),
    route('PATCH', one, 'Patch', answering(patch, 200)),
    route('DELETE', one, 'Delete', answering(remove, 204)),
  ]
}

function route(method: ScimRoute['method'], path: string, verb: string, handle: ScimRoute['handle']): ScimRoute {
  return { method, path, operation: `${path.split('/')[1]}/${verb}`, handle }
}

function resourceAnswer<Row extends { readonly version: string }>(
  { baseUrl }: ScimRequest,
  row: Row,
  shown: ResourceType<Row>,
  status: number,
): ScimAnswer {
  const body = printed(row, shown, baseUrl)
  const location = locationOf(shown.name, textIn(body, 'id') ?? '', baseUrl)
  const headers = { etag: entityTagOf(row.version), [status === 201 ? 'location' : 'content-location']: location }
  return { status, body, headers }
}

/** The routes of the list of a type and of the searches in it (RFC 7644 sections 3.4.2 and 3.4.3). */
export function listRoutes<Row>(type: ResourceType<Row>, { list }: ResourceOperations<Row>): ScimRoute[] {
  const answer = async (request: ScimRequest, stated: ListRequest): Promise<ScimAnswer> => {
    const { condition, order, range, projection } = stated
    const shown = projected(type, projection)
    const selection = { organizationId: request.context.organizationId, condition, order }
    const { rows, total } = await list(request, selection, range, shown).catch((cause: unknown) => {
      const mayReadAll = condition === undefined ? order !== undefined : !condition.isIndexed
      if (!mayReadAll || databaseFailure(cause)?.kind !== 'timeout') throw cause
      const advice = 'filter by an indexed attribute, such as userName, so that fewer resources match'
      throw new ScimError(400, 'tooMany', `the list takes too long: ${advice}`)
    })
    const resources = rows.map((row) => printed(row, shown, request.baseUrl))
    return { status: 200, body: listResponse(resources, total, range.offset + 1) }
  }
  const { endpoint } = type
  return [
    route('GET', endpoint, 'List', async (request) => answer(request, listRequestFromQuery(request.query, type))),
    route('POST', `${endpoint}/.search`, 'Search', async (request) =>
      answer(request, listRequestFromBody(request.body, type)),
    ),
  ]
}

/** The answer with several resources (RFC 7644 section 3.4.2). */
export function listResponse(
  resources: readonly JsonObject[],
  totalResults = resources.length,
  startIndex = 1,
): JsonObject {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults,
    startIndex,
    itemsPerPage: resources.length,
    Resources: [...resources],
  }
}
