import type { JsonObject } from '@bufbuild/protobuf'
import { databaseFailure } from '../db/errors.js'
import { searchedGroups } from '../store/directory/group.js'
import { searchedMembers } from '../store/directory/member-search.js'
import { directoryUserFrom } from '../store/directory/user.js'
import { type Page, readPage, type Selection } from '../store/search-page.js'
import { ScimError } from './error.js'
import { type ListRequest, listRequestFromBody, listRequestFromQuery } from './list-request.js'
import { createPrinter, projected } from './print.js'
import type { ScimAnswer, ScimRequest, ScimRoute } from './request.js'
import { groupType, userType } from './resource-types.js'
import type { ResourceType } from './schema.js'

/** Reads a page of resources as far as they are shown. */
type ReadRows<Row> = (
  request: ScimRequest,
  selection: Selection,
  list: ListRequest,
  shown: ResourceType<Row>,
) => Promise<Page<Row>>

/** The lists of resources and the searches in them (RFC 7644 sections 3.4.2 and 3.4.3). */
export const listRoutes: readonly ScimRoute[] = [
  ...routesOf(userType, async ({ database }, selection, { range }) => {
    const { rows, total } = await readPage(database, searchedMembers, selection, range)
    return { rows: rows.map(directoryUserFrom), total }
  }),
  ...routesOf(groupType, ({ database }, selection, { range }, shown) => {
    return readPage(database, searchedGroups[showsMembers(shown) ? 'whole' : 'withoutMembers'], selection, range)
  }),
]

/** Whether a group is shown with its members. */
export function showsMembers({ schema }: ResourceType): boolean {
  return schema.attributes.some(({ multiValued }) => multiValued)
}

function routesOf<Row>(type: ResourceType<Row>, read: ReadRows<Row>): ScimRoute[] {
  const name = type.endpoint.slice(1)
  return [
    {
      method: 'GET',
      path: type.endpoint,
      operation: `${name}/List`,
      handle: (request) => answer(request, listRequestFromQuery(request.query, type), type, read),
    },
    {
      method: 'POST',
      path: `${type.endpoint}/.search`,
      operation: `${name}/Search`,
      handle: (request) => answer(request, listRequestFromBody(request.body, type), type, read),
    },
  ]
}

async function answer<Row>(
  request: ScimRequest,
  list: ListRequest,
  type: ResourceType<Row>,
  read: ReadRows<Row>,
): Promise<ScimAnswer> {
  const { condition, order, range, projection } = list
  const shown = projected(type, projection)
  const selection = { organizationId: request.directory.organizationId, condition, order }
  const { rows, total } = await read(request, selection, list, shown).catch((cause: unknown) => {
    throw mayReadAll(list) && databaseFailure(cause)?.kind === 'timeout' ? tooMany() : cause
  })
  const resources = rows.map(createPrinter(type, shown, request.baseUrl))
  return { status: 200, body: listResponse(resources, total, range.offset + 1) }
}

/** Whether all resources may have to be read for the list. */
function mayReadAll({ condition, order }: ListRequest): boolean {
  return condition.constant === true ? order !== undefined : !condition.isIndexed
}

function tooMany(): ScimError {
  const detail =
    'the list takes too long: filter by an indexed attribute, such as userName, so that fewer resources match'
  return new ScimError(400, 'tooMany', detail)
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
