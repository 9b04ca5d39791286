import type { JsonObject } from '@bufbuild/protobuf'
import { databaseFailure } from '../db/errors.js'
import { listDirectoryGroups, listDirectoryUsers } from '../domain/directory/resource-list.js'
import type { ScimResourceType } from '../store/scim/attribute.js'
import { groupResourceType, userResourceType } from '../store/scim/attributes.js'
import { leadsToIndex } from '../store/scim/filter.js'
import { ScimError } from './error.js'
import { scimGroup } from './group-resource.js'
import { type ListRequest, listRequestFromBody, listRequestFromQuery } from './list-request.js'
import { createProjector, isReturned } from './projection.js'
import type { ScimAnswer, ScimRequest, ScimRoute } from './request.js'
import { scimUser } from './user-resource.js'

/** Resources of a list, and how many there are. */
interface Found {
  readonly total: number
  readonly resources: readonly JsonObject[]
}

type FindResources = (request: ScimRequest, list: ListRequest) => Promise<Found>

const findUsers: FindResources = async ({ database, directory, baseUrl }, { filter, order, ...range }) => {
  const selection = { organizationId: directory.organizationId, filter, order }
  const { total, rows } = await listDirectoryUsers(database, selection, range)
  return { total, resources: rows.map((row) => scimUser(row, baseUrl)) }
}

const findGroups: FindResources = async ({ database, directory, baseUrl }, { filter, order, projection, ...range }) => {
  const selection = { organizationId: directory.organizationId, filter, order }
  const withMembers = isReturned('members', projection, groupResourceType)
  const { total, rows } = await listDirectoryGroups(database, selection, { ...range, withMembers })
  return { total, resources: rows.map((row) => scimGroup(row, baseUrl)) }
}

/** The lists of resources and the searches in them (RFC 7644 sections 3.4.2 and 3.4.3). */
export const listRoutes: readonly ScimRoute[] = [
  ...routesOf(userResourceType, findUsers),
  ...routesOf(groupResourceType, findGroups),
]

function routesOf(type: ScimResourceType, find: FindResources): ScimRoute[] {
  const name = type.endpoint.slice(1)
  return [
    {
      method: 'GET',
      path: type.endpoint,
      operation: `${name}/List`,
      handle: (request) => answer(request, listRequestFromQuery(request.query, type), type, find),
    },
    {
      method: 'POST',
      path: `${type.endpoint}/.search`,
      operation: `${name}/Search`,
      handle: (request) => answer(request, listRequestFromBody(request.body, type), type, find),
    },
  ]
}

async function answer(
  request: ScimRequest,
  list: ListRequest,
  type: ScimResourceType,
  find: FindResources,
): Promise<ScimAnswer> {
  const { total, resources } = await find(request, list).catch((cause: unknown) => {
    throw mayReadAll(list) && databaseFailure(cause)?.kind === 'timeout' ? tooMany() : cause
  })
  return {
    status: 200,
    body: listResponse({
      total,
      startIndex: list.startIndex,
      resources: resources.map(createProjector(list.projection, type)),
    }),
  }
}

/** Whether all resources may have to be read for the list. */
function mayReadAll({ filter, order }: ListRequest): boolean {
  return filter === undefined ? order !== undefined : !leadsToIndex(filter)
}

function tooMany(): ScimError {
  const detail =
    'the list takes too long: filter by an indexed attribute, such as userName, so that fewer resources match'
  return new ScimError(400, 'tooMany', detail)
}

/** The answer with several resources (RFC 7644 section 3.4.2). */
export function listResponse({
  total,
  startIndex = 1,
  resources,
}: {
  readonly total: number
  readonly startIndex?: number
  readonly resources: readonly JsonObject[]
}): JsonObject {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: [...resources],
  }
}
