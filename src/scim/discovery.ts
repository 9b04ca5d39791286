import type { JsonObject } from '@bufbuild/protobuf'
import { ScimError } from './error.js'
import { MAX_PAGE_SIZE } from './list-request.js'
import { listResponse } from './lists.js'
import type { ScimAnswer, ScimRequest, ScimRoute } from './request.js'
import { resourceTypes } from './resource-types.js'
import { type Attribute, type ResourceType, type Schema, schemasOf } from './schema.js'

const SCHEMAS = 'urn:ietf:params:scim:schemas:core:2.0'

const types: readonly ResourceType[] = resourceTypes
export const schemas: readonly Schema[] = types.flatMap(schemasOf)

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
    handle: describe(({ baseUrl }) => listOf(types.map((type) => resourceTypeDocument(type, baseUrl)))),
  },
  {
    method: 'GET',
    path: '/ResourceTypes/{id}',
    operation: 'ResourceTypes/Get',
    handle: describe(({ baseUrl, parameters }) => {
      const type = types.find(({ name }) => name === parameters['id'])
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
  return listResponse(resources)
}

function notFound(id = ''): never {
  throw new ScimError(404, undefined, `${id} does not exist`)
}

/** What this service supports (RFC 7643 section 5). */
function serviceProviderConfig(baseUrl: string): JsonObject {
  // The reference of the whole service, beside the door.
  const documentationUri = baseUrl.replace(/\/scim\/v2$/, '/docs')
  return {
    schemas: [`${SCHEMAS}:ServiceProviderConfig`],
    documentationUri,
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: MAX_PAGE_SIZE },
    changePassword: { supported: false },
    sort: { supported: true },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Management key',
        description: "The secret of the organization's management key (mk) as a bearer token.",
        specUri: 'https://www.rfc-editor.org/info/rfc6750',
        documentationUri,
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${baseUrl}/ServiceProviderConfig` },
  }
}

/** A type of resource (RFC 7643 section 6). */
function resourceTypeDocument(type: ResourceType, baseUrl: string): JsonObject {
  const { name, endpoint, description, schema, extensions } = type
  return {
    schemas: [`${SCHEMAS}:ResourceType`],
    id: name,
    name,
    endpoint,
    description,
    schema: schema.id,
    schemaExtensions: extensions.map(({ id }) => ({ schema: id, required: false })),
    meta: { resourceType: 'ResourceType', location: `${baseUrl}/ResourceTypes/${name}` },
  }
}

/** A schema (RFC 7643 section 7). */
function schemaDocument({ id, name, description, attributes }: Schema, baseUrl: string): JsonObject {
  return {
    schemas: [`${SCHEMAS}:Schema`],
    id,
    name,
    description,
    attributes: attributes.map(attributeDocument),
    meta: { resourceType: 'Schema', location: `${baseUrl}/Schemas/${id}` },
  }
}

/** RFC 7643 section 7 gives the characteristics that each type of attribute has. */
function attributeDocument(attribute: Attribute): JsonObject {
  const { name, type, multiValued, description, required, subAttributes, canonicalValues, referenceTypes } = attribute
  const { caseExact, mutability, returned, uniqueness } = attribute
  const isText = type === 'string' || type === 'reference' || type === 'binary'
  return {
    name,
    type,
    multiValued,
    description,
    required,
    ...(type === 'complex' && { subAttributes: subAttributes.map(attributeDocument) }),
    ...(isText && { caseExact }),
    ...(canonicalValues !== undefined && { canonicalValues: [...canonicalValues] }),
    ...(referenceTypes !== undefined && { referenceTypes: [...referenceTypes] }),
    mutability,
    returned,
    uniqueness,
  }
}
