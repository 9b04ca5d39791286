import type { Prisma } from '../../../gen/prisma/client.js'
import type { OwnedField } from '../owned-column.js'

/** The data types of attributes (RFC 7643 section 2.3). */
export type AttributeType =
  | 'string'
  | 'boolean'
  | 'decimal'
  | 'integer'
  | 'dateTime'
  | 'reference'
  | 'binary'
  | 'complex'

/**
 * What filters and sorts read of an attribute, in a statement of one organization where `m` is the membership or `g`
 * the group. Expressions are null if the attribute has no value, and never empty texts.
 */
export type AttributeSource =
  /**
   * One value. `isAscii`: only letters of ASCII have a case. `indexed`: the comparisons that an index serves. `ofEvery`:
   * every row has it.
   */
  | {
      readonly kind: 'value'
      readonly sql: Prisma.Sql
      readonly isAscii?: true
      readonly indexed?: readonly ('eq' | 'sw')[]
      readonly ofEvery?: true
    }
  /**
   * Entries of a complex attribute that has several: a query's `FROM` and `WHERE`, in which sub-attributes read.
   * `narrowed`: a condition on the row that holds where an entry has this value and, if given, this type in lower case.
   * It leads to the rows by an index whatever the planner expects of the values.
   */
  | {
      readonly kind: 'entries'
      readonly from: Prisma.Sql
      readonly where: Prisma.Sql
      readonly narrowed?: (value: Prisma.Sql, type: string | undefined) => Prisma.Sql
    }
  /** The values of the sub-attributes alone. */
  | { readonly kind: 'parts' }
  /** Printed, but not stored in a form that could be searched. */
  | { readonly kind: 'unsearchable' }

/** The source of an attribute with one value. */
export type ValueSource = Extract<AttributeSource, { kind: 'value' }>

/** The source of an attribute with several entries. */
export type EntriesSource = Extract<AttributeSource, { kind: 'entries' }>

/** An attribute of a resource: what `Schemas` tells of it (RFC 7643 section 7), and where its values are. */
export interface ScimAttribute {
  /** As it is spelled in answers; requests may spell it in any case. */
  readonly name: string
  readonly type: AttributeType
  readonly multiValued: boolean
  readonly description: string
  readonly required: boolean
  readonly caseExact: boolean
  readonly mutability: 'readOnly' | 'readWrite' | 'immutable' | 'writeOnly'
  readonly returned: 'always' | 'never' | 'default' | 'request'
  readonly uniqueness: 'none' | 'server' | 'global'
  readonly canonicalValues?: readonly string[]
  readonly referenceTypes?: readonly string[]
  /** Of complex attributes; otherwise empty. */
  readonly subAttributes: readonly ScimAttribute[]
  /** The governed field of the profile that holds the value. */
  readonly field: OwnedField | null
  readonly source: AttributeSource
}

/** A schema of resources. */
export interface ScimSchema {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly attributes: readonly ScimAttribute[]
}

/** A type of resource: where it is, and the schemas of its attributes. */
export interface ScimResourceType {
  readonly name: 'User' | 'Group'
  readonly endpoint: '/Users' | '/Groups'
  readonly description: string
  readonly schema: ScimSchema
  /** None of them is required. */
  readonly extensions: readonly ScimSchema[]
  /** `id`, `externalId`, `schemas` and `meta`, which belong to no schema (RFC 7643 section 3.1). */
  readonly common: readonly ScimAttribute[]
}

type Stated = Partial<Omit<ScimAttribute, 'name' | 'description' | 'source'>>

/** An attribute; what is not stated is as RFC 7643 section 2.2 has it. */
export function attribute(
  name: string,
  description: string,
  source: AttributeSource,
  stated: Stated = {},
): ScimAttribute {
  return {
    name,
    type: 'string',
    multiValued: false,
    description,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    subAttributes: [],
    field: null,
    ...stated,
    source,
  }
}

/** The source of one value. */
export function oneValue(sql: Prisma.Sql): AttributeSource {
  return { kind: 'value', sql }
}

/** The source of one value that every row has. */
export function ofEveryRow(sql: Prisma.Sql): AttributeSource {
  return { kind: 'value', sql, ofEvery: true }
}

/** The source of one value, for which there is an index as it is. */
export function keyValue(sql: Prisma.Sql): ValueSource {
  return { kind: 'value', sql, indexed: ['eq'] }
}

/** The source of a text, for which there is an index in lower case and by code points. */
export function indexedText(sql: Prisma.Sql): AttributeSource {
  return { kind: 'value', sql, indexed: ['eq', 'sw'] }
}

/** The source of an attribute that cannot be searched. */
export const unsearchable: AttributeSource = { kind: 'unsearchable' }

/** The source of a complex attribute with at most one value. */
export const parts: AttributeSource = { kind: 'parts' }
