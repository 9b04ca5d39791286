import type { JsonValue } from '@bufbuild/protobuf'
import type { OwnedField } from '../store/owned-column.js'
import { any, type Condition, type Entries, present, type Value } from '../store/search.js'

/**
 * An attribute of resources that are made of rows: its definition (RFC 7643 section 7), how requests give it, how it is
 * searched, and how it is shown.
 */
export interface Attribute<Row = unknown> {
  /** As it is spelled in answers; requests may spell it in any case. */
  readonly name: string
  readonly description: string
  readonly type: 'string' | 'boolean' | 'dateTime' | 'reference' | 'complex'
  readonly multiValued: boolean
  readonly required: boolean
  readonly caseExact: boolean
  readonly mutability: 'readOnly' | 'readWrite' | 'immutable'
  readonly returned: 'always' | 'default'
  readonly uniqueness: 'none' | 'server'
  readonly canonicalValues?: readonly string[]
  readonly referenceTypes?: readonly string[]
  /** Of complex attributes; otherwise empty. */
  readonly subAttributes: readonly Attribute<Row>[]

  /** The governed field of the profile that stores the value. */
  readonly field?: OwnedField
  /** A value that cannot be taken refuses the request, instead of being left out of it and reported. */
  readonly isStrict?: true
  /** Of several entries, the types of the one that the field takes if none is primary: the first type that there is. */
  readonly fieldTypes?: readonly string[]
  /** A value as the field takes it. */
  readonly toField?: (text: string) => string
  /** Filters name it without the URN of its extension, too, as Microsoft Entra writes them. */
  readonly isKnownAlone?: true
  /** The most bytes of a text in UTF-8, for what an index stores whole. */
  readonly maxBytes?: number
  readonly maxEntries: number

  readonly search?: Value
  /** Where the entries are of an attribute that has several. */
  readonly entries?: Entries
  /** What answers show; undefined for none. Complex attributes without it show their sub-attributes. */
  print?(row: Row, baseUrl: string): JsonValue | undefined
}

/** Characteristics of an attribute that differ from the defaults of RFC 7643 section 2.2. */
export type Stated<Row = unknown> = Partial<Omit<Attribute<Row>, 'name' | 'description'>>

export interface Schema<Row = unknown> {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly attributes: readonly Attribute<Row>[]
  /** Names, in lower case, of attributes that RFC 7643 gives the schema and no resource has. */
  readonly unsupported: readonly string[]
}

export interface ResourceType<Row = unknown> {
  readonly name: 'User' | 'Group'
  readonly endpoint: '/Users' | '/Groups'
  readonly description: string
  readonly schema: Schema<Row>
  /** None of them is required. */
  readonly extensions: readonly Schema<Row>[]
  /** Attributes of the schema and common ones: `id`, `externalId`, `schemas`, `meta` (RFC 7643 section 3.1). */
  readonly attributes: readonly Attribute<Row>[]
}

const MAX_ENTRIES = 100

export function attribute<Row>(name: string, description: string, stated: Stated<Row>): Attribute<Row> {
  return {
    name,
    description,
    type: 'string',
    multiValued: false,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    subAttributes: [],
    maxEntries: MAX_ENTRIES,
    ...stated,
  }
}

export function shown<Row>(name: string, description: string, stated: Stated<Row>): Attribute<Row> {
  return attribute(name, description, { mutability: 'readOnly', ...stated })
}

/** Whether requests can give an attribute. */
export function isWritable({ mutability }: Attribute): boolean {
  return mutability !== 'readOnly'
}

export function presenceOf(attribute: Attribute): Condition {
  const searched = attribute.entries ?? attribute.search
  return searched === undefined ? any(attribute.subAttributes.filter(isSearchable).map(presenceOf)) : present(searched)
}

export function isSearchable({ search, entries, subAttributes }: Attribute): boolean {
  return (entries ?? search) !== undefined || subAttributes.some(isSearchable)
}

/** The target of an attribute path (RFC 7644 section 3.10). */
export interface Path<Row = unknown> {
  /** The extension that has the attribute; undefined for attributes of the resource itself. */
  readonly extension: Schema<Row> | undefined
  readonly attribute: Attribute<Row>
  readonly subAttribute: Attribute<Row> | undefined
}

/**
 * Finds what a path names, in any case, with or without the URN of its schema before it; attributes of extensions need
 * theirs. Between both is a colon, or a dot, as some providers write it. `unsupported`: RFC 7643 has it, and no
 * resource does. Undefined: there is no such attribute.
 */
export function findPath<Row>(path: string, type: ResourceType<Row>): Path<Row> | 'unsupported' | undefined {
  const schema = schemasOf(type).find(
    ({ id }) => /^[:.]$/.test(path.charAt(id.length)) && isSameName(id, path.slice(0, id.length)),
  )
  const rest = schema === undefined ? path : path.slice(schema.id.length + 1)
  const extension = schema === type.schema ? undefined : schema
  const [name = '', subName, ...more] = rest.split('.')
  const attribute = named((extension ?? type).attributes, name)
  const subAttribute = subName === undefined ? undefined : named(attribute?.subAttributes ?? [], subName)
  if (attribute !== undefined && more.length === 0 && (subName === undefined || subAttribute !== undefined)) {
    return { extension, attribute, subAttribute }
  }
  const isKnown = schemasOf(type).some(({ unsupported }) =>
    [rest, name].some((each) => unsupported.includes(each.toLowerCase())),
  )
  return isKnown ? 'unsupported' : undefined
}

export function schemasOf<Row>({ schema, extensions }: ResourceType<Row>): readonly Schema<Row>[] {
  return [schema, ...extensions]
}

/** Whether a name is that of a schema, perhaps in the form of a draft of SCIM, which OneLogin sends. */
export function isNameOf({ id }: Schema, name: string): boolean {
  if (!/^\s*urn:/i.test(name)) return false
  const current = name.trim().replace(/^urn:scim:schemas:/i, 'urn:ietf:params:scim:schemas:')
  return isSameName(id, current) || (current !== name && isSameName(id, `${current}:User`))
}

export function named<Row>(attributes: readonly Attribute<Row>[], name: string): Attribute<Row> | undefined {
  return attributes.find((each) => isSameName(each.name, name))
}

export function isSameName(one: string, other: string): boolean {
  return one.length === other.length && one.toLowerCase() === other.toLowerCase()
}
