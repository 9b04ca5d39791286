import { Prisma } from '../../../gen/prisma/client.js'
import { type Columns, createStatement, type Parameter, type Statement } from '../../db/statement.js'
import type { Tables } from '../../db/tables.js'
import type { ScimAttribute } from './attribute.js'
import { comparedText, conditionOf, type Filter, leadsToIndex } from './filter.js'

/** What orders a list; whoever has no value is last, or first if it is descending. */
export interface ScimOrder {
  readonly attribute: ScimAttribute
  /** The attribute of whose entries it is a part: the primary one counts, otherwise any. */
  readonly within?: ScimAttribute | undefined
  readonly isDescending: boolean
}

/** Which resources of an organization to list, and in which order; without one, in the order of their creation. */
export interface ScimSelection {
  readonly organizationId: string
  readonly filter: Filter | undefined
  readonly order: ScimOrder | undefined
}

/** A part of a list. */
export interface ScimSlice {
  /** How many resources to leave out. */
  readonly offset: number
  readonly count: number
}

/** Resources that are rows of one table. */
export interface ScimRows<Row> {
  /** In the form `list_users`. */
  readonly name: string
  /** The table and the alias of its rows, which have an ordinal. */
  readonly table: string
  readonly alias: 'm' | 'g'
  /** The rows that exist for a directory. */
  readonly where: Prisma.Sql
  /** What is read beside the row; OFFSET 0 keeps it from being read for more rows than the page has. */
  readonly beside: Prisma.Sql
  readonly columns: (organizationId: Parameter) => Prisma.Sql
  /** How many references to others a row shows: members of a group, groups of a user. */
  readonly references: (organizationId: Parameter) => Prisma.Sql
  readonly types: Columns<Row>
}

/** The parameters of every such statement, beside those of its condition. */
export interface Selected {
  readonly organizationId: string
}

/** How many references the resources of a page show before it is cut, so that its answer fits into memory. */
const MAX_REFERENCES = 20_000

/** How many resources a slice has before it is cut. */
export interface Uncut {
  readonly found: bigint
}

/** How many resources were counted. */
export interface Counted {
  readonly total: bigint
}

type Values = ReturnType<typeof conditionOf>['values']

/**
 * The statement that reads a slice. Its text follows from the filter and the order, in which nothing is a value, so it
 * is planned for the values of each call.
 */
export function sliceStatement<Row>(
  { name, table, alias, where, beside, columns, references, types }: ScimRows<Row>,
  { filter, order }: Omit<ScimSelection, 'organizationId'>,
): { readonly statement: Statement<Selected & ScimSlice, Row & Uncut>; readonly values: Values } {
  const condition = conditionOf(filter ?? { kind: 'constant', isTrue: true })
  const [row, rows] = [Prisma.raw(alias), Prisma.raw(`${table} ${alias}`)]
  const sort = order === undefined ? Prisma.sql`${row}.ordinal` : Prisma.sql`${sortOf(order)}, ${row}.ordinal`
  // Found first, and cut to the page then: a planner that expects more rows than there are would rather read the list in
  // its order until the page is full.
  const isFew = filter !== undefined && leadsToIndex(filter)
  const statement = createStatement<Selected & ScimSlice, Row & Uncut>({
    name,
    columns: { ...types, found: 'int8' } as Columns<Row & Uncut>,
    planned: 'anew',
    text: ({ organizationId, offset, count }) => {
      const found = Prisma.sql`
            FROM ${rows} WHERE ${row}.organization_id = ${organizationId} AND ${where} AND ${condition.sql}`
      return Prisma.sql`
SELECT ${columns(organizationId)}, ${row}.found
  FROM (
    SELECT ${row}.*, page.place, sum(refers.shown) OVER (ORDER BY page.place) - refers.shown AS shown_before,
           count(*) OVER () AS found
      FROM unnest(ARRAY(
          SELECT ${row}.ordinal ${isFew ? Prisma.sql`FROM (SELECT ${row}.* ${found} OFFSET 0) ${row}` : found}
           ORDER BY ${sort} OFFSET ${offset} LIMIT ${count}
        )) WITH ORDINALITY AS page (ordinal, place)
      JOIN ${rows} ON ${row}.organization_id = ${organizationId} AND ${row}.ordinal = page.ordinal
     CROSS JOIN LATERAL (SELECT ${references(organizationId)} AS shown) refers
  ) ${row}
  ${beside}
 WHERE ${row}.shown_before < ${Prisma.raw(String(MAX_REFERENCES))}
 ORDER BY ${row}.place`
    },
  })
  return { statement, values: condition.values }
}

/** The statement that counts a selection, as `sliceStatement` reads it. */
export function countStatement<Row>(
  { name, table, alias, where }: ScimRows<Row>,
  filter: Filter | undefined,
): { readonly statement: Statement<Selected, Counted>; readonly values: Values } {
  const condition = conditionOf(filter ?? { kind: 'constant', isTrue: true })
  const [row, rows] = [Prisma.raw(alias), Prisma.raw(`${table} ${alias}`)]
  const statement = createStatement<Selected, Counted>({
    name: name.replace('list', 'count'),
    columns: { total: 'int8' },
    planned: 'anew',
    text: ({ organizationId }) => Prisma.sql`
SELECT count(*) AS total FROM ${rows} WHERE ${row}.organization_id = ${organizationId} AND ${where} AND ${condition.sql}`,
  })
  return { statement, values: condition.values }
}

/** Resources of a slice. */
export interface Slice<Row> {
  readonly rows: readonly Row[]
  /** How many the slice has; the last ones are not among the rows where these show many others. */
  readonly found: number
}

/** Reads a slice of a selection. */
export async function readSlice<Row>(
  tables: Tables,
  rows: ScimRows<Row>,
  { organizationId, ...selection }: ScimSelection,
  slice: ScimSlice,
): Promise<Slice<Row>> {
  const { statement, values } = sliceStatement(rows, selection)
  const read = await tables.run(statement, { ...values, ...slice, organizationId })
  return { rows: read, found: Number(read[0]?.found ?? 0) }
}

/** Counts the resources of a selection, reading all of them. */
export async function countSelection<Row>(
  tables: Tables,
  rows: ScimRows<Row>,
  { organizationId, filter }: ScimSelection,
): Promise<number> {
  const { statement, values } = countStatement(rows, filter)
  const [counted] = await tables.run(statement, { ...values, organizationId })
  return Number(counted?.total ?? 0)
}

function sortOf({ attribute, within, isDescending }: ScimOrder): Prisma.Sql {
  const { source } = attribute
  if (source.kind !== 'value') throw new Error(`${attribute.name} cannot order a list`)
  const isText = attribute.type === 'string' || attribute.type === 'reference'
  const value = isText ? comparedText(attribute) : Prisma.sql`(${source.sql})`
  return Prisma.sql`${within === undefined ? value : firstOf(within, value)} ${isDescending ? Prisma.sql`DESC` : Prisma.sql`ASC`}`
}

/** The value in the primary entry of an attribute, or in another one. */
function firstOf({ name, source, subAttributes }: ScimAttribute, value: Prisma.Sql): Prisma.Sql {
  if (source.kind !== 'entries') throw new Error(`${name} has no entries`)
  const primary = subAttributes.find((each) => each.name === 'primary')?.source
  const order = primary?.kind === 'value' ? Prisma.sql`${primary.sql} DESC, 1` : Prisma.sql`1`
  return Prisma.sql`(SELECT ${value} FROM ${source.from} WHERE ${source.where} ORDER BY ${order} LIMIT 1)`
}
