import type { JsonObject } from '@bufbuild/protobuf'
import type { ScimAttribute, ScimResourceType, ScimSchema } from '../store/scim/attribute.js'
import { resourceTypes } from '../store/scim/attributes.js'
import { MAX_PAGE_SIZE } from './list-request.js'

const SCHEMAS = 'urn:ietf:params:scim:schemas:core:2.0'

/** What this service supports (RFC 7643 section 5). */
export function serviceProviderConfig(baseUrl: string): JsonObject {
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
export function resourceTypeDocument(type: ScimResourceType, baseUrl: string): JsonObject {
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

/** The schemas of all resources. */
export const schemas: readonly ScimSchema[] = resourceTypes.flatMap(({ schema, extensions }) => [schema, ...extensions])

/** A schema (RFC 7643 section 7). */
export function schemaDocument({ id, name, description, attributes }: ScimSchema, baseUrl: string): JsonObject {
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
function attributeDocument(attribute: ScimAttribute): JsonObject {
  const { name, type, multiValued, description, required, mutability, returned, subAttributes } = attribute
  const isText = type === 'string' || type === 'reference' || type === 'binary'
  return {
    name,
    type,
    multiValued,
    description,
    required,
    ...(type === 'complex' ? { subAttributes: subAttributes.map(attributeDocument) } : {}),
    ...(isText ? { caseExact: attribute.caseExact } : {}),
    ...(attribute.canonicalValues === undefined ? {} : { canonicalValues: [...attribute.canonicalValues] }),
    ...(attribute.referenceTypes === undefined ? {} : { referenceTypes: [...attribute.referenceTypes] }),
    mutability,
    returned,
    uniqueness: attribute.uniqueness,
  }
}
