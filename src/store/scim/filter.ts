import { Prisma } from '../../../gen/prisma/client.js'
import type { Parameter } from '../../db/statement.js'
import type { AttributeSource, ScimAttribute } from './attribute.js'

/** How an attribute is compared (RFC 7644 section 3.4.2.2). */
export type Comparison = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le'

/**
 * A filter whose paths are resolved and whose values fit their attributes. It is true or false of each resource, and
 * never unknown: `ne` and `not` are the opposite of what they negate, for resources without the value too.
 */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly filters: readonly Filter[] }
  | { readonly kind: 'not'; readonly filter: Filter }
  /** The attribute has a value. */
  | { readonly kind: 'present'; readonly attribute: ScimAttribute }
  /** The value of a simple attribute. Texts are compared without regard to case unless the attribute is case-exact. */
  | {
      readonly kind: 'compare'
      readonly attribute: ScimAttribute
      readonly comparison: Comparison
      readonly value: string | boolean | Date
    }
  /** One of the entries of a multi-valued attribute satisfies the filter, in which sub-attributes are compared. */
  | { readonly kind: 'some'; readonly attribute: ScimAttribute; readonly filter: Filter }
  /** The same for all resources: what is compared is an attribute that none of them has. */
  | { readonly kind: 'constant'; readonly isTrue: boolean }

/** A condition with its parameters, which are called `f0`, `f1` and so on. */
export interface Condition {
  readonly sql: Prisma.Sql
  readonly values: Readonly<Record<string, string | boolean>>
}

/** The condition of a filter on rows under the aliases of `AttributeSource`. */
export function conditionOf(filter: Filter): Condition {
  const values: Record<string, string | boolean> = {}
  const place = (value: string | boolean): Parameter => {
    const name = `f${Object.keys(values).length}`
    values[name] = value
    return { parameter: name }
  }
  return { sql: sqlOf(filter, place), values }
}

/** Whether an index leads to all rows that a filter can be true of. */
export function leadsToIndex(filter: Filter): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.filters.some(leadsToIndex)
    case 'or':
      return filter.filters.every(leadsToIndex)
    case 'compare': {
      const { source } = filter.attribute
      return source.kind === 'value' && source.indexed?.some((each) => each === filter.comparison) === true
    }
    case 'some':
      return (
        filter.attribute.source.kind === 'entries' &&
        filter.attribute.source.narrowed !== undefined &&
        equalIn(filter.filter, 'value') !== undefined
      )
    case 'not':
    case 'present':
    case 'constant':
      return false
  }
}

/** Gives a value a parameter. */
type Place = (value: string | boolean) => Parameter

function sqlOf(filter: Filter, place: Place): Prisma.Sql {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const conditions = filter.filters.map((each) => sqlOf(each, place))
      return Prisma.sql`(${Prisma.join(conditions, filter.kind === 'and' ? ' AND ' : ' OR ')})`
    }
    case 'not':
      return opposite(sqlOf(filter.filter, place))
    case 'present':
      return presence(filter.attribute)
    case 'compare':
      return comparison(filter, place)
    case 'some':
      return someEntry(filter, place)
    case 'constant':
      return Prisma.raw(String(filter.isTrue))
  }
}

/** What is unknown counts as false, so its opposite is true. */
function opposite(condition: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(${condition}) IS NOT TRUE`
}

function presence({ source, subAttributes }: ScimAttribute): Prisma.Sql {
  switch (source.kind) {
    case 'value':
      return Prisma.sql`(${source.sql}) IS NOT NULL`
    case 'entries':
      return Prisma.sql`EXISTS (SELECT FROM ${source.from} WHERE ${source.where})`
    case 'parts': {
      const searchable = subAttributes.filter((sub) => sub.source.kind === 'value')
      return Prisma.sql`(${Prisma.join(searchable.map(presence), ' OR ')})`
    }
    case 'unsearchable':
      throw unsearchableFault(source)
  }
}

function comparison(
  { attribute, comparison: how, value }: Extract<Filter, { kind: 'compare' }>,
  place: Place,
): Prisma.Sql {
  const { source } = attribute
  if (source.kind !== 'value') throw unsearchableFault(source)
  if (how === 'ne') return opposite(comparison({ kind: 'compare', attribute, comparison: 'eq', value }, place))
  if (typeof value === 'boolean') return Prisma.sql`(${source.sql}) = ${place(value)}::boolean`
  if (value instanceof Date) {
    return Prisma.sql`(${source.sql}) ${operators[how]} ${place(value.toISOString())}::timestamptz`
  }
  const text = textPlace(attribute, how, value, place)
  // Whatever the collation, equal is equal, and indexes have that of their columns.
  const isOfColumn = how === 'eq' && attribute.caseExact
  return Prisma.sql`${isOfColumn ? Prisma.sql`(${source.sql})` : comparedText(attribute)} ${operators[how]} ${text}`
}

const operators: Readonly<Record<Comparison, Prisma.Sql>> = {
  eq: Prisma.sql`=`,
  ne: Prisma.sql`<>`,
  co: Prisma.sql`LIKE`,
  sw: Prisma.sql`LIKE`,
  ew: Prisma.sql`LIKE`,
  gt: Prisma.sql`>`,
  ge: Prisma.sql`>=`,
  lt: Prisma.sql`<`,
  le: Prisma.sql`<=`,
}

/**
 * The text of a value as it is compared and ordered: by code points, in lower case unless the attribute is case-exact.
 * Throws for attributes without a text.
 */
export function comparedText({ source, caseExact }: ScimAttribute): Prisma.Sql {
  if (source.kind !== 'value') throw unsearchableFault(source)
  if (source.isAscii) return lowerAscii(source.sql)
  return caseExact ? Prisma.sql`(${source.sql}) COLLATE "C"` : Prisma.sql`lower(${source.sql}) COLLATE "C"`
}

/** Collated by code points as well. */
function lowerAscii(text: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`lower(${text} COLLATE "C")`
}

/** The text that is compared with, or the pattern for it. */
function textPlace({ caseExact, source }: ScimAttribute, how: Comparison, value: string, place: Place): Prisma.Sql {
  const before = how === 'co' || how === 'ew' ? '%' : ''
  const after = how === 'co' || how === 'sw' ? '%' : ''
  const isPattern = before !== '' || after !== ''
  const text = isPattern ? `${before}${value.replaceAll(/[\\%_]/g, String.raw`\$&`)}${after}` : value
  const given = Prisma.sql`${place(text)}::text`
  if (caseExact) return given
  return source.kind === 'value' && source.isAscii ? lowerAscii(given) : Prisma.sql`lower(${given})`
}

function someEntry({ attribute, filter }: Extract<Filter, { kind: 'some' }>, place: Place): Prisma.Sql {
  const { source } = attribute
  if (source.kind !== 'entries') throw unsearchableFault(source)
  const exact = Prisma.sql`EXISTS (SELECT FROM ${source.from} WHERE ${source.where} AND ${sqlOf(filter, place)})`
  const value = equalIn(filter, 'value')
  if (value === undefined || source.narrowed === undefined) return exact
  const narrow = source.narrowed(Prisma.sql`${place(value)}::text`, equalIn(filter, 'type')?.toLowerCase())
  return Prisma.sql`(${narrow} AND ${exact})`
}

/** The text that a sub-attribute must equal for the filter to be true. */
function equalIn(filter: Filter, name: string): string | undefined {
  if (filter.kind === 'and') return filter.filters.map((each) => equalIn(each, name)).find((text) => text !== undefined)
  const isIt = filter.kind === 'compare' && filter.comparison === 'eq' && filter.attribute.name === name
  return isIt && typeof filter.value === 'string' ? filter.value : undefined
}

function unsearchableFault({ kind }: AttributeSource): Error {
  return new Error(`an attribute of kind ${kind} cannot be compared`)
}
