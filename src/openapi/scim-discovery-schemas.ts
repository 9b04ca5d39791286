import type { JsonObject } from '@bufbuild/protobuf'
import { characteristics } from '../scim/schema.js'

const text = (description: string): JsonObject => ({ description, type: 'string' })
const flag = (description: string): JsonObject => ({ description, type: 'boolean' })
const number = (description: string): JsonObject => ({ description, type: 'integer', minimum: 0 })
const urns: JsonObject = { description: 'The URN of the schema.', type: 'array', items: { type: 'string' } }
const list = (description: string, items: JsonObject): JsonObject => ({ description, type: 'array', items })

/** An object with all members required. */
function whole(description: string, properties: JsonObject): JsonObject {
  return { description, type: 'object', properties, required: Object.keys(properties) }
}

const meta = whole('Metadata of the document.', {
  resourceType: text('The type of the document.'),
  location: text('Its URL.'),
})
const supported = flag('Whether it is supported.')

const attributeMembers = (subAttributes: JsonObject): JsonObject => ({
  description: 'An attribute and its characteristics.',
  type: 'object',
  properties: {
    name: text('The name.'),
    type: {
      description: 'The type of its values.',
      type: 'string',
      enum: [...characteristics.type],
    },
    multiValued: flag('Whether it has several values.'),
    description: text('What it is.'),
    required: flag('Whether requests must include it.'),
    caseExact: flag('Whether comparisons distinguish case.'),
    mutability: {
      description: 'Who writes it.',
      type: 'string',
      enum: [...characteristics.mutability],
    },
    returned: { description: 'When it is returned.', type: 'string', enum: [...characteristics.returned] },
    uniqueness: { description: 'Where values are unique.', type: 'string', enum: [...characteristics.uniqueness] },
    canonicalValues: list('Values with a defined meaning.', { type: 'string' }),
    referenceTypes: list('What it can refer to.', { type: 'string' }),
    ...subAttributes,
  },
  required: ['name', 'type', 'multiValued', 'description', 'required', 'mutability', 'returned', 'uniqueness'],
})

const subAttribute = { $ref: '#/components/schemas/SchemaSubAttribute' }
const attribute = { $ref: '#/components/schemas/SchemaAttribute' }

/** The schemas of the documents that describe the service (RFC 7643 sections 5 to 7), by name. */
export const scimDiscoverySchemas: JsonObject = {
  ServiceProviderConfig: whole('What the service supports.', {
    schemas: urns,
    documentationUri: text('Where to read about it.'),
    patch: whole('PATCH.', { supported }),
    bulk: whole('Bulk operations.', {
      supported,
      maxOperations: number('The maximum number of operations.'),
      maxPayloadSize: number('The maximum size in bytes.'),
    }),
    filter: whole('Filters.', { supported, maxResults: number('The maximum number of resources in a response.') }),
    changePassword: whole('Changing passwords.', { supported }),
    sort: whole('Sorting.', { supported }),
    etag: whole('Versions of resources.', { supported }),
    authenticationSchemes: list(
      'How providers authenticate.',
      whole('An authentication scheme.', {
        type: text('Its kind.'),
        name: text('Its name.'),
        description: text('What to send.'),
        specUri: text('Where it is specified.'),
        documentationUri: text('Where to read about it.'),
        primary: flag('Whether it is preferred.'),
      }),
    ),
    meta,
  }),
  ResourceType: whole('A resource type.', {
    schemas: urns,
    id: text('The name.'),
    name: text('The name.'),
    endpoint: text('The path of its resources, relative to the base URL.'),
    description: text('What they are.'),
    schema: text('The URN of its schema.'),
    schemaExtensions: list(
      'Schema extensions.',
      whole('A schema extension.', { schema: text('The URN.'), required: flag('Whether resources must have it.') }),
    ),
    meta,
  }),
  Schema: whole('The attributes of a schema.', {
    schemas: urns,
    id: text('The URN.'),
    name: text('The name.'),
    description: text('What it describes.'),
    attributes: list('The attributes.', attribute),
    meta,
  }),
  SchemaAttribute: attributeMembers({ subAttributes: list('Its parts, if it is complex.', subAttribute) }),
  SchemaSubAttribute: attributeMembers({}),
}
