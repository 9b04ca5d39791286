import { Prisma } from '../../gen/prisma/client.js'
import { type Columns, createStatement } from '../db/statement.js'
import { firstRow, type Tables } from '../db/tables.js'
import { countStatement } from './pages.js'
import type { Table } from './resource/resource.js'
import { type Condition, type Order, orderBy } from './search.js'
import { ofOrganization } from './visibility.js'

/** Which rows of an organization to list, by default all, and in which order, by default that of their creation. */
export interface Selection {
  readonly organizationId: string
  readonly condition?: Condition | undefined
  readonly order?: Order | undefined
}

/** What of it the texts of the statements follow from; the organization is their parameter. */
type Search = Omit<Selection, 'organizationId'>
type OfOrganization = Pick<Selection, 'organizationId'>

/** The rows of a list to read: none if the total alone is wanted. */
export interface Range {
  readonly offset: number
  readonly count: number
}

export interface SearchRows<Row> {
  /** Names the statements, in the form `directory_members`. */
  readonly name: string
  /** The table and the alias of its rows, which have an ordinal. */
  readonly table: Table
  readonly alias: string
  /** The rows that there are. */
  readonly where: Prisma.Sql
  readonly columns: Prisma.Sql
  readonly types: Columns<Row>
  /** How many references to others a row shows: members of a group, groups of a member. */
  readonly references: Prisma.Sql
}

/** A part of a list, and how many rows the whole list has. */
export interface Page<Row> {
  readonly rows: readonly Row[]
  readonly total: number
}

/** How many references the rows of a page show before it is cut, so that its answer fits into memory. */
const MAX_REFERENCES = 20_000

/** How many rows a page has before it is cut. */
type Uncut = { readonly found: bigint }

/** The statements that read a page of a selection and count the selection. */
export function searchStatements<Row>(
  { name, table, alias, where, columns, types, references }: SearchRows<Row>,
  { condition, order }: Search = {},
  { offset, count }: Range = { offset: 0, count: 100 },
) {
  const [row, rows] = [Prisma.raw(alias), Prisma.raw(`${table.name} ${alias}`)]
  const wanted = Prisma.join([where, ...(condition === undefined ? [] : [condition.sql])], ' AND ')
  const sort = order === undefined ? Prisma.sql`${row}.ordinal` : Prisma.sql`${orderBy(order)}, ${row}.ordinal`
  const found = Prisma.sql`FROM ${rows} WHERE ${ofOrganization(alias)} AND ${wanted}`
  // Found first, and cut to the page then: a planner that expects more rows than there are would rather read the list in
  // its order until the page is full.
  const source = condition?.isIndexed ? Prisma.sql`FROM (SELECT ${row}.* ${found} OFFSET 0) ${row}` : found
  const text = Prisma.sql`
SELECT ${columns}, ${row}.found
  FROM (
    SELECT ${row}.*, page.place, sum(refers.shown) OVER (ORDER BY page.place) - refers.shown AS shown_before,
           count(*) OVER () AS found
      FROM unnest(ARRAY(SELECT ${row}.ordinal ${source} ORDER BY ${sort} OFFSET ${offset} LIMIT ${count}))
           WITH ORDINALITY AS page (ordinal, place)
      JOIN ${rows} ON ${ofOrganization(alias)} AND ${row}.ordinal = page.ordinal
     CROSS JOIN LATERAL (SELECT count(*) AS shown FROM ${references}) refers
  ) ${row}
 WHERE ${row}.shown_before < ${Prisma.raw(String(MAX_REFERENCES))}
 ORDER BY ${row}.place`
  const page = createStatement<OfOrganization, Row & Uncut>({
    name: `list_${name}`,
    columns: { ...types, found: 'int8' } as Columns<Row & Uncut>,
    planned: 'anew',
    text: () => text,
  })
  const total = countStatement<OfOrganization>(`count_${name}`, { table, alias, condition: () => wanted })
  return [page, total] as const
}

/** Reads a page of a selection. Counts the selection only if the page does not already show how many rows there are. */
export async function readPage<Row>(
  tables: Tables,
  searched: SearchRows<Row>,
  { organizationId, ...search }: Selection,
  range: Range,
): Promise<Page<Row>> {
  const { offset, count } = range
  const [page, counting] = searchStatements(searched, search, range)
  const rows = count === 0 ? [] : await tables.run(page, { organizationId })
  const found = Number(rows[0]?.found ?? 0)
  if (found < count && (found > 0 || offset === 0)) return { rows, total: found === 0 ? 0 : offset + found }
  const total = (await firstRow(tables, counting, { organizationId }))?.count ?? 0
  // Others may write between the two reads: what was read is counted at least.
  return { rows, total: found === 0 ? total : Math.max(total, offset + found) }
}
