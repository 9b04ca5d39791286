import { schemas } from '../../../src/scim/discovery.js'
import { resourceTypes } from '../../../src/scim/resource-types.js'
import type { Attribute } from '../../../src/scim/schema.js'
import type { BadRequest } from './protocol.js'

// biome-ignore lint/suspicious/noExplicitAny: an answer is walked by its own structure.
type Json = any

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error'
const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
/** RFC 7644 section 3.12, table 9. */
const details = [
  'invalidFilter',
  'tooMany',
  'uniqueness',
  'mutability',
  'invalidSyntax',
  'invalidPath',
  'noTarget',
  'invalidValue',
]
const attributesOf = new Map(schemas.map(({ id, attributes }) => [id, attributes]))

/** What is wrong with an answer of SCIM, by the schemas that the protocol itself publishes. */
export function scimFault({ path }: BadRequest, status: number, type: string, text: string): string | undefined {
  if (type !== 'application/scim+json') return `${status} in ${type}`
  const body: Json = JSON.parse(text)
  if (status >= 400) return errorFault(body, status)
  if (status !== 200 && status !== 201) return `the status ${status}`
  if (!/^\/scim\/v2\/(?:Users|Groups)/i.test(path)) return undefined
  if (!body.schemas?.includes(LIST)) return resourceFault(body)
  const { totalResults, startIndex, itemsPerPage, Resources = [] } = body
  if (![totalResults, startIndex, itemsPerPage].every(Number.isSafeInteger)) return 'a list without its numbers'
  if (Resources.length !== itemsPerPage || itemsPerPage > 200) return 'a list with another number of resources'
  const end = startIndex - 1 + itemsPerPage
  if (itemsPerPage > 0 && totalResults < end) return `a list to ${end} with a total of ${totalResults}`
  return Resources.map(resourceFault).find((fault: string | undefined) => fault !== undefined)
}

function errorFault(body: Json, status: number): string | undefined {
  const { schemas: given, scimType, detail, status: reported } = body
  if (JSON.stringify(given) !== JSON.stringify([ERROR])) return 'an error without its schema'
  if (reported !== String(status)) return `an error of ${reported} with the status ${status}`
  if (typeof detail !== 'string' || detail === '') return 'an error without a detail'
  return scimType === undefined || details.includes(scimType) ? undefined : `an error of the type ${scimType}`
}

function resourceFault(resource: Json): string | undefined {
  const type = resourceTypes.find(({ schema }) => resource.schemas?.includes(schema.id))
  if (type === undefined) return `a resource of the schemas ${JSON.stringify(resource.schemas)}`
  if (typeof resource.id !== 'string') return 'a resource without its id'
  for (const [name, value] of Object.entries<Json>(resource)) {
    if (['schemas', 'id', 'externalId', 'meta'].includes(name)) continue
    const extension = attributesOf.get(name)
    const fault =
      extension === undefined ? valueFault(type.schema.attributes, name, value) : membersFault(extension, name, value)
    if (fault !== undefined) return fault
  }
  return undefined
}

function membersFault(attributes: readonly Attribute[], name: string, value: Json): string | undefined {
  if (typeof value !== 'object' || value === null) return `${name} is no object`
  for (const [member, memberValue] of Object.entries(value)) {
    const fault = valueFault(attributes, member, memberValue)
    if (fault !== undefined) return `${name}.${fault}`
  }
  return undefined
}

function valueFault(attributes: readonly Attribute[], name: string, value: Json): string | undefined {
  const attribute = attributes.find((each) => each.name === name)
  if (attribute === undefined) return `${name} is in no schema`
  const items: Json[] = attribute.multiValued ? value : [value]
  if (!Array.isArray(items)) return `${name} is no list`
  for (const item of items) {
    if (attribute.type === 'complex') {
      const fault = membersFault(attribute.subAttributes, name, item)
      if (fault !== undefined) return fault
    } else if (typeof item !== (attribute.type === 'boolean' ? 'boolean' : 'string')) {
      return `${name} is no ${attribute.type}`
    }
  }
  return undefined
}
