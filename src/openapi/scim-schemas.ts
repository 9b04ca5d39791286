import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import { ERROR_SCHEMA, scimTypes } from '../scim/error.js'
import { resourceTypes } from '../scim/resource-types.js'
import { type Attribute, coreOf, isWritable, type ResourceType, type Schema, schemasOf } from '../scim/schema.js'
import { scimDiscoverySchemas } from './scim-discovery-schemas.js'

/** Whether a request or a response has an attribute of a resource. */
type Has = (attribute: Attribute) => boolean

const everything: Has = () => true
const written: Has = isWritable

/** The schemas of the SCIM document, by name: those of resources follow from the declarations of their attributes. */
export function scimSchemas(): JsonObject {
  return {
    ...Object.fromEntries(resourceTypes.flatMap(componentsOf)),
    PatchRequest: patchRequest,
    SearchRequest: searchRequest,
    ...scimDiscoverySchemas,
    ...Object.fromEntries(
      ['ResourceType', 'Schema'].map((name) => [`${name}List`, listOf(`#/components/schemas/${name}`)]),
    ),
    Error: error,
  }
}

function componentsOf(type: ResourceType): [string, JsonObject][] {
  const { name } = type
  return [
    [name, { description: type.description, ...resource(type, everything), required: ['schemas', 'id'] }],
    [
      `${name}Input`,
      {
        description: `${type.description} Read-only and unknown attributes are ignored.`,
        ...resource(type, written),
        required: type.schema.attributes.filter(({ required }) => required).map((attribute) => attribute.name),
      },
    ],
    [`${name}List`, listOf(`#/components/schemas/${name}`)],
  ]
}

function resource(resourceType: ResourceType, has: Has): JsonObject {
  const { extensions } = resourceType
  const ofExtensions = extensions.flatMap((extension): [string, JsonObject][] => {
    const { properties } = object(extension.attributes, has)
    if (Object.keys(properties).length === 0) return []
    return [[extension.id, { description: extension.description, type: 'object', properties }]]
  })
  const { type, properties } = object(coreOf(resourceType), has)
  const schemas = has === everything ? {} : { schemas: urns(schemasOf(resourceType)) }
  return { type, properties: { ...schemas, ...properties, ...Object.fromEntries(ofExtensions) } }
}

function urns(schemas: readonly Schema[]): JsonObject {
  return {
    description: 'The schemas of the attributes that are present.',
    type: 'array',
    items: { type: 'string', examples: schemas.map(({ id }) => id) },
  }
}

function object(attributes: readonly Attribute[], has: Has): { type: 'object'; properties: JsonObject } {
  return {
    type: 'object',
    properties: Object.fromEntries(
      attributes.filter(has).map((attribute) => [attribute.name, schemaOf(attribute, has)]),
    ),
  }
}

function schemaOf(attribute: Attribute, has: Has): JsonObject {
  const { description, multiValued } = attribute
  const one = singleSchemaOf(attribute, has)
  return multiValued ? { description, type: 'array', items: one } : { description, ...one }
}

function singleSchemaOf(attribute: Attribute, has: Has): JsonObject {
  const { subAttributes, canonicalValues, mutability } = attribute
  switch (attribute.type) {
    case 'complex':
      return object(subAttributes, has)
    case 'boolean':
    case 'integer':
      return { type: attribute.type }
    case 'decimal':
      return { type: 'number' }
    case 'dateTime':
      return { type: 'string', format: 'date-time' }
    case 'string':
    case 'reference':
    case 'binary':
      if (canonicalValues === undefined) return { type: 'string' }
      // Providers may also write values without a defined meaning.
      return { type: 'string', [mutability === 'readOnly' ? 'enum' : 'examples']: [...canonicalValues] }
  }
}

/** The schema of a list of resources (RFC 7644 section 3.4.2). */
function listOf(item: string): JsonObject {
  const count = (description: string) => ({ description, type: 'integer', minimum: 0 })
  return {
    description: 'A page of a list.',
    type: 'object',
    properties: {
      schemas: message('ListResponse'),
      totalResults: count('The total number of matching resources.'),
      startIndex: { description: 'The 1-based index of the first resource of the page.', type: 'integer', minimum: 1 },
      itemsPerPage: count('The number of resources on the page.'),
      Resources: { description: 'The resources.', type: 'array', items: { $ref: item } },
    },
    required: ['schemas', 'totalResults', 'startIndex', 'itemsPerPage', 'Resources'],
  }
}

function message(name: string): JsonObject {
  return {
    description: 'The URN of the message.',
    type: 'array',
    items: { type: 'string', examples: [`urn:ietf:params:scim:api:messages:2.0:${name}`] },
  }
}

const anyValue: JsonValue = {
  description: 'The value of the attribute; without a path, an object with attributes.',
}

const patchRequest: JsonObject = {
  description: 'Changes to a resource, applied in order, all or nothing (RFC 7644 section 3.5.2).',
  type: 'object',
  properties: {
    schemas: message('PatchOp'),
    Operations: {
      description: 'The changes.',
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        properties: {
          op: {
            description: 'The operation, case-insensitive.',
            type: 'string',
            examples: ['add', 'replace', 'remove'],
          },
          path: {
            description: 'The attribute, such as `title` or `emails[type eq "work"].value`; `remove` needs one.',
            type: 'string',
          },
          value: anyValue,
        },
        required: ['op'],
      },
    },
  },
  required: ['Operations'],
}

const names = (description: string): JsonObject => ({ description, type: 'array', items: { type: 'string' } })

const searchRequest: JsonObject = {
  description: 'The parameters of a list, in a body (RFC 7644 section 3.4.3).',
  type: 'object',
  properties: {
    schemas: message('SearchRequest'),
    filter: { description: 'Selects resources.', type: 'string' },
    sortBy: { description: 'The attribute to sort by.', type: 'string' },
    sortOrder: { description: 'The direction.', type: 'string', examples: ['ascending', 'descending'] },
    startIndex: { description: 'The 1-based index of the first result.', type: 'integer' },
    count: { description: 'The maximum number of resources to return.', type: 'integer' },
    attributes: names('The attributes to return.'),
    excludedAttributes: names('The attributes to omit.'),
  },
  required: ['schemas'],
}

const error: JsonObject = {
  description: 'Why a request failed (RFC 7644 section 3.12).',
  type: 'object',
  properties: {
    schemas: { description: 'The URN of the message.', type: 'array', items: { type: 'string', enum: [ERROR_SCHEMA] } },
    status: { description: 'The HTTP status, as text.', type: 'string', pattern: '^[45][0-9]{2}$' },
    scimType: {
      description: 'The kind of failure; absent where the status says enough.',
      type: 'string',
      enum: [...scimTypes],
    },
    detail: { description: 'What is wrong, in English.', type: 'string' },
  },
  required: ['schemas', 'status', 'detail'],
}
