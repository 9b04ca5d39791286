import type { JsonObject } from '@bufbuild/protobuf'
import { resourceTypes } from '../store/scim/attributes.js'
import { resourceTypeDocument, schemaDocument, schemas, serviceProviderConfig } from './discovery.js'
import { ScimError } from './error.js'
import { listResponse } from './lists.js'
import type { ScimAnswer, ScimRequest, ScimRoute } from './request.js'

/** The documents that describe the service (RFC 7644 section 4). */
export const discoveryRoutes: readonly ScimRoute[] = [
  {
    method: 'GET',
    path: '/ServiceProviderConfig',
    operation: 'ServiceProviderConfig/Get',
    handle: describe(({ baseUrl }) => serviceProviderConfig(baseUrl)),
  },
  {
    method: 'GET',
    path: '/ResourceTypes',
    operation: 'ResourceTypes/List',
    handle: describe(({ baseUrl }) => listOf(resourceTypes.map((type) => resourceTypeDocument(type, baseUrl)))),
  },
  {
    method: 'GET',
    path: '/ResourceTypes/{id}',
    operation: 'ResourceTypes/Get',
    handle: describe(({ baseUrl, parameters }) => {
      const type = resourceTypes.find(({ name }) => name === parameters['id'])
      return type === undefined ? notFound(parameters['id']) : resourceTypeDocument(type, baseUrl)
    }),
  },
  {
    method: 'GET',
    path: '/Schemas',
    operation: 'Schemas/List',
    handle: describe(({ baseUrl }) => listOf(schemas.map((schema) => schemaDocument(schema, baseUrl)))),
  },
  {
    method: 'GET',
    path: '/Schemas/{id}',
    operation: 'Schemas/Get',
    handle: describe(({ baseUrl, parameters }) => {
      const schema = schemas.find(({ id }) => id.toLowerCase() === parameters['id']?.toLowerCase())
      return schema === undefined ? notFound(parameters['id']) : schemaDocument(schema, baseUrl)
    }),
  },
]

/** Answers a document. It cannot be searched, so a filter is refused (RFC 7644 section 4). */
function describe(make: (request: ScimRequest) => JsonObject): (request: ScimRequest) => Promise<ScimAnswer> {
  return async (request) => {
    if (request.query.has('filter')) throw new ScimError(403, undefined, 'filter is not supported here')
    return { status: 200, body: make(request) }
  }
}

function listOf(resources: readonly JsonObject[]): JsonObject {
  return listResponse({ total: resources.length, resources })
}

function notFound(id = ''): never {
  throw new ScimError(404, undefined, `${id} does not exist`)
}
