import type { JsonObject } from '@bufbuild/protobuf'
import { ScimError } from './error.js'
import { MAX_PAGE_SIZE } from './list-request.js'
import type { ScimRequest, ScimRoute } from './request.js'
import { listResponse } from './resource-routes.js'
import { resourceTypes } from './resource-types.js'
import { type Attribute, isSameName, type ResourceType, type Schema, schemasOf } from './schema.js'

const SCHEMAS = 'urn:ietf:params:scim:schemas:core:2.0'

export const schemas = resourceTypes.flatMap(schemasOf)

/** The documents that describe the service (RFC 7644 section 4). */
export const discoveryRoutes: readonly ScimRoute[] = [
  route('/ServiceProviderConfig', 'ServiceProviderConfig/Get', ({ baseUrl }) => serviceProviderConfig(baseUrl)),
  route('/ResourceTypes', 'ResourceTypes/List', ({ baseUrl }) =>
    listResponse(resourceTypes.map((type) => resourceTypeDocument(type, baseUrl))),
  ),
  route('/ResourceTypes/{id}', 'ResourceTypes/Get', ({ baseUrl, id }) => {
    const type = resourceTypes.find(({ name }) => name === id)
    return type && resourceTypeDocument(type, baseUrl)
  }),
  route('/Schemas', 'Schemas/List', ({ baseUrl }) =>
    listResponse(schemas.map((schema) => schemaDocument(schema, baseUrl))),
  ),
  route('/Schemas/{id}', 'Schemas/Get', ({ baseUrl, id }) => {
    const schema = schemas.find((each) => isSameName(each.id, id))
    return schema && schemaDocument(schema, baseUrl)
  }),
]

/** The route of a document. It cannot be searched, so a filter is refused (RFC 7644 section 4). */
function route(path: string, operation: string, make: (request: ScimRequest) => JsonObject | undefined): ScimRoute {
  const handle = async (request: ScimRequest) => {
    if (request.query.has('filter')) throw new ScimError(403, undefined, 'filter is not supported here')
    const body = make(request)
    if (body === undefined) throw new ScimError(404, undefined, `${request.id} does not exist`)
    return { status: 200, body }
  }
  return { method: 'GET', path, operation, handle }
}

/** The service provider configuration (RFC 7643 section 5). */
function serviceProviderConfig(baseUrl: string): JsonObject {
  // The reference of the whole service, beside SCIM.
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
  const isText = type === 'string' || type === 'reference'
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
