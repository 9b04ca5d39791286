import type { ScimAttribute, ScimResourceType, ScimSchema } from '../store/scim/attribute.js'

/** What a path of attributes leads to (RFC 7644 section 3.10). */
export interface AttributePath {
  /** The schema of the attribute; undefined for common attributes. */
  readonly schema: ScimSchema | undefined
  readonly attribute: ScimAttribute
  readonly subAttribute: ScimAttribute | undefined
}

/** Attributes of the schemas of RFC 7643 that this service does not hold: no resource has a value of them. */
const unheld: Readonly<Record<ScimResourceType['name'], readonly string[]>> = {
  User: [
    'nickname',
    'profileurl',
    'usertype',
    'preferredlanguage',
    'addresses',
    'ims',
    'entitlements',
    'roles',
    'x509certificates',
    'employeenumber',
    'costcenter',
    'organization',
    'division',
    'name.middlename',
    'name.honorificprefix',
    'name.honorificsuffix',
  ],
  Group: [],
}

/**
 * Finds what a path names, in any case, with or without the URN of its schema before it; attributes of extensions need
 * theirs. `unheld`: it is of a schema that the type of resource has, and of no resource. Undefined: there is no such
 * attribute.
 */
export function attributePath(path: string, type: ScimResourceType): AttributePath | 'unheld' | undefined {
  const { schema, rest } = schemaOf(path, type)
  const [name = '', subName, ...more] = rest.split('.')
  const isCore = schema === undefined || schema === type.schema
  const attributes = isCore ? [...type.common, ...type.schema.attributes] : schema.attributes
  const attribute = named(attributes, name)
  const subAttribute = subName === undefined ? undefined : named(attribute?.subAttributes ?? [], subName)
  if (attribute === undefined || more.length > 0 || (subName !== undefined && subAttribute === undefined)) {
    const isUnheld = [rest, name].some((each) => unheld[type.name].includes(each.toLowerCase()))
    return isUnheld ? 'unheld' : undefined
  }
  return {
    schema: type.common.includes(attribute) ? undefined : isCore ? type.schema : schema,
    attribute,
    subAttribute,
  }
}

/** The schema whose URN a path begins with, and what is behind it; the whole path if it begins with none. */
function schemaOf(path: string, type: ScimResourceType): { schema: ScimSchema | undefined; rest: string } {
  const schema = [type.schema, ...type.extensions].find(
    ({ id }) => path.charAt(id.length) === ':' && isSameName(id, path.slice(0, id.length)),
  )
  return { schema, rest: schema === undefined ? path : path.slice(schema.id.length + 1) }
}

/** The attribute with a name, in any case. */
export function named(attributes: readonly ScimAttribute[], name: string): ScimAttribute | undefined {
  return attributes.find((each) => isSameName(each.name, name))
}

/** Whether two names are the same but for their case. */
export function isSameName(one: string, other: string): boolean {
  return one.length === other.length && one.toLowerCase() === other.toLowerCase()
}
