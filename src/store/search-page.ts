import { Prisma } from '../../gen/prisma/client.js'
import { type Columns, createStatement } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import type { Table } from './resource/resource.js'
import { type Condition, type Order, orderBy } from './search.js'
import { ofOrganization } from './visibility.js'

/** Which rows of an organization to list, by default all, and in which order, by default that of their creation. */
export interface Selection {
  readonly organizationId: string
  readonly condition?: Condition | undefined
  readonly order?: Order | undefined
}

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

/** An empty page has one row, whose place is null. */
type Counted = Readonly<{ place: bigint | null; total: number }>

/** The statement that reads a page of a selection, and counts the selection as of the same moment. */
export function searchStatement<Row>(
  { name, table, alias, where, columns, types, references }: SearchRows<Row>,
  { condition, order }: Omit<Selection, 'organizationId'> = {},
  { offset, count }: Range = { offset: 0, count: 100 },
) {
  const [row, rows] = [Prisma.raw(alias), Prisma.raw(`${table.name} ${alias}`)]
  const wanted = condition === undefined ? where : Prisma.sql`${where} AND ${condition.sql}`
  const sort = order === undefined ? Prisma.sql`${row}.ordinal` : Prisma.sql`${orderBy(order)}, ${row}.ordinal`
  // No array has more items, and a page may begin behind all.
  const [first, last] = [offset + 1, offset + count].map((place) => Math.min(place, 2 ** 31 - 1))
  const text = Prisma.sql`
SELECT ${columns}, ${row}.place, cardinality(found.ordinals) AS total
  FROM (SELECT ARRAY(SELECT ${row}.ordinal FROM ${rows} WHERE ${ofOrganization(alias)} AND ${wanted} ORDER BY ${sort}) AS ordinals OFFSET 0) found
  LEFT JOIN LATERAL (
    SELECT ${row}.*, page.place, sum(refers.shown) OVER (ORDER BY page.place) - refers.shown AS shown_before
      FROM unnest(found.ordinals[${first}::int : ${last}::int]) WITH ORDINALITY AS page (ordinal, place)
      JOIN ${rows} ON ${ofOrganization(alias)} AND ${row}.ordinal = page.ordinal
     CROSS JOIN LATERAL (SELECT count(*) AS shown FROM ${references}) refers
  ) ${row} ON ${row}.shown_before < ${Prisma.raw(String(MAX_REFERENCES))}
 ORDER BY ${row}.place`
  return createStatement<Pick<Selection, 'organizationId'>, Row & Counted>({
    name: `list_${name}`,
    columns: { ...types, place: 'int8', total: 'int4' } as Columns<Row & Counted>,
    planned: 'anew',
    text: () => text,
  })
}

export async function readPage<Row>(
  { run }: Pick<Tables, 'run'>,
  searched: SearchRows<Row>,
  { organizationId, ...search }: Selection,
  range: Range,
): Promise<Page<Row>> {
  const rows = await run(searchStatement(searched, search, range), { organizationId })
  return { rows: rows.filter(({ place }) => place !== null), total: rows[0]?.total ?? 0 }
}
