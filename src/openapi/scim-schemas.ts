import type { JsonObject } from '@bufbuild/protobuf'
import { resourceTypes } from '../scim/resource-types.js'
import { type Attribute, isWritable, type ResourceType, schemasOf } from '../scim/schema.js'
import { reference, scimFragments } from './fragments.js'

/** Whether a request or a response has an attribute of a resource. */
type Has = (attribute: Attribute) => boolean

const everything: Has = () => true

/** The schemas of the SCIM document, by name: those of resources follow from the declarations of their attributes. */
export function scimSchemas(): JsonObject {
  const { Error: error = {}, ...messages } = scimFragments.messages
  return {
    ...Object.fromEntries(resourceTypes.flatMap(componentsOf)),
    ...messages,
    ResourceTypeList: listOf('ResourceType'),
    SchemaList: listOf('Schema'),
    Error: error,
  }
}

function componentsOf(type: ResourceType): [string, JsonObject][] {
  const { name, description, schema } = type
  const required = schema.attributes.filter((attribute) => attribute.required).map((attribute) => attribute.name)
  const given = `${description} Read-only and unknown attributes are ignored.`
  return [
    [name, { description, ...resource(type, everything), required: ['schemas', 'id'] }],
    [`${name}Input`, { description: given, ...resource(type, isWritable), required }],
    [`${name}List`, listOf(name)],
  ]
}

function resource(resourceType: ResourceType, has: Has): JsonObject {
  const extensions = resourceType.extensions.flatMap(({ id, description, attributes }): [string, JsonObject][] => {
    const { properties } = object(attributes, has)
    return Object.keys(properties).length === 0 ? [] : [[id, { description, type: 'object', properties }]]
  })
  const { type, properties } = object(resourceType.attributes, has)
  const schemas = {
    description: 'The schemas of the attributes that are present.',
    type: 'array',
    items: { type: 'string', examples: schemasOf(resourceType).map(({ id }) => id) },
  }
  return { type, properties: { schemas, ...properties, ...Object.fromEntries(extensions) } }
}

function object(attributes: readonly Attribute[], has: Has): { type: 'object'; properties: JsonObject } {
  const properties = attributes.filter(has).map((attribute) => [attribute.name, schemaOf(attribute, has)])
  return { type: 'object', properties: Object.fromEntries(properties) }
}

function schemaOf(attribute: Attribute, has: Has): JsonObject {
  const { description, multiValued } = attribute
  const one = singleSchemaOf(attribute, has)
  return multiValued ? { description, type: 'array', items: one } : { description, ...one }
}

function singleSchemaOf({ type, subAttributes, canonicalValues, mutability }: Attribute, has: Has): JsonObject {
  if (type === 'complex') return object(subAttributes, has)
  if (type === 'boolean') return { type }
  if (type === 'dateTime') return { type: 'string', format: 'date-time' }
  // Providers may also write values without a defined meaning.
  const values = canonicalValues && { [mutability === 'readOnly' ? 'enum' : 'examples']: [...canonicalValues] }
  return { type: 'string', ...values }
}

function listOf(name: string): JsonObject {
  const { list } = scimFragments
  const Resources = { description: 'The resources.', type: 'array', items: reference('schemas', name) }
  return { ...list, properties: { ...list.properties, Resources } }
}
