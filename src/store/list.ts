import { Prisma } from '../../gen/prisma/client.js'
import { type Columns, createStatement, type Parameter, type Places } from '../db/statement.js'
import { firstRow, type Tables } from '../db/tables.js'
import { type PrintedRow, rowText } from './resource/print.js'
import { type Resource, referencedTable } from './resource/resource.js'
import { itemsText, listText } from './resource/text.js'
import { teamColumn } from './row-lock.js'
import { inTeams, ofOrganization, type Scope } from './scope.js'

/** Some of the rows of a list: those after an id, at most so many. */
export interface RowRange {
  readonly after: string
  readonly take: number
}

/** More items than nearly every list without pages has. */
const USUAL_ITEMS = 1_000

/** A list as one text, and how many items it has. */
export interface WholeListRow extends PrintedRow {
  readonly size: number
}

/** The types of its columns. */
export const wholeListColumns = { json: 'text', size: 'int4' } as const

/** What is selected from the rows of the list. */
export function wholeListText(resource: Resource, order: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`${listText(rowText(resource), order)} AS json, count(*)::int AS size`
}

/** Reads a list, or a page of one; undefined if there is no owner. */
type ReadList<Parameters, Row> = (tables: Tables, parameters: Parameters) => Promise<Row | undefined>

/**
 * Makes a list without pages, whose text receives a LIMIT clause for the rows of the list's owner.
 *
 * The plan that PostgreSQL keeps for a prepared statement assumes an owner with an average number of rows: if one owner
 * has nearly the whole table, it would read all of it even for the smallest list. The limit says that few rows are
 * expected, so the kept plan walks the index of the owner. A list that reaches the limit is read again.
 */
export function createWholeList<Parameters, Row extends WholeListRow>(
  name: string,
  columns: Columns<Row>,
  text: (places: Places<Parameters>, limit: Prisma.Sql) => Prisma.Sql,
): ReadList<Parameters, Row> {
  const create = (named: string, limit: Prisma.Sql) =>
    createStatement<Parameters, Row>({ name: named, columns, text: (places) => text(places, limit) })
  const usual = create(name, Prisma.raw(`LIMIT ${USUAL_ITEMS}`))
  const whole = create(`${name}_whole`, Prisma.sql`LIMIT ALL`)
  return async (tables, parameters) => {
    const list = await firstRow(tables, usual, parameters)
    return list === undefined || list.size < USUAL_ITEMS ? list : firstRow(tables, whole, parameters)
  }
}

/** The owner of a list, as a caller asks for it. */
export interface ListOwner extends Scope {
  readonly ownerId: string
}

/** The list of an owner, with the team to which the owner belongs. */
export interface OwnedListRow extends WholeListRow {
  readonly teamId: string
}

/** How the list of an owner is read. */
export interface OwnedListDefinition<Parameters> {
  readonly name: string
  readonly resource: Resource
  /** The column of the items that refers to the owner: a team, or something that belongs to one. */
  readonly parent: string
  /** The order of the items. */
  readonly order: Prisma.Sql
  /** A condition on the items. */
  readonly filter?: (places: Places<Parameters>) => Prisma.Sql
}

/** Makes the list of what an owner has, which is there if the owner's team is in the scope. */
export function createOwnedList<Parameters extends ListOwner = ListOwner>({
  name,
  resource,
  parent,
  order,
  filter,
}: OwnedListDefinition<Parameters>): ReadList<Parameters, OwnedListRow> {
  const { alias, table } = resource
  const owners = referencedTable(table, parent)
  const team = Prisma.raw(`owner.${teamColumn(owners)}`)
  return createWholeList<Parameters, OwnedListRow>(name, { ...wholeListColumns, teamId: 'text' }, (places, limit) => {
    const condition = filter === undefined ? Prisma.empty : Prisma.sql`AND ${filter(places)}`
    return Prisma.sql`
SELECT ${team} AS "teamId", list.*
  FROM ${Prisma.raw(owners.name)} owner
 CROSS JOIN LATERAL (
    SELECT ${wholeListText(resource, order)}
      FROM (
        SELECT * FROM ${Prisma.raw(`${table.name} ${alias}`)}
         WHERE ${ofOrganization(alias)} AND ${Prisma.raw(`${alias}.${parent}`)} = owner.id ${condition}
         ORDER BY ${order} ${limit}
      ) ${Prisma.raw(alias)}
  ) list
 WHERE ${ofOrganization('owner')} AND owner.id = ${places.ownerId} AND ${inTeams(team, places.teamIds)}`
  })
}

/** A page: the JSON of its items with commas between them, and the position of the last one if there are more. */
export interface PageRow {
  readonly items: string
  readonly last: string | null
}

/** The types of its columns. */
export const pageColumns = { items: 'text', last: 'text' } as const

/** How the rows of a page, which have the alias, are printed and ordered, and the text of their positions. */
export interface PagedRows {
  readonly alias: string
  readonly text: Prisma.Sql
  readonly order: Prisma.Sql
  readonly position: Prisma.Sql
}

/** Selects a page, given what follows FROM: its rows, and one more if there are more. */
export function pageText(
  { alias, text, order, position, pageSize }: PagedRows & { readonly pageSize: Parameter },
  rows: Prisma.Sql,
): Prisma.Sql {
  const row = Prisma.raw(alias)
  return Prisma.sql`
SELECT ${itemsText(Prisma.sql`${row}.printed`, order, Prisma.sql`${row}.place <= ${pageSize}`)} AS items,
       CASE WHEN count(*) > ${pageSize} THEN max(${row}.last) FILTER (WHERE ${row}.place = ${pageSize}) END AS last
  FROM (
    SELECT ${row}.*, ${text} AS printed, ${position} AS last, row_number() OVER (ORDER BY ${order}) AS place
      FROM ${rows}
  ) ${row}`
}

/** The page sizes that have a statement of their own, the largest last. */
const pageClasses = [100, 1_000, 10_000] as const

/**
 * Makes a list in pages whose plans are kept; the text receives a constant that no page, with one row more, exceeds.
 * PostgreSQL keeps the plan of a prepared statement if it expects it to cost no more than a new one. If the limit were a
 * parameter, it would expect a tenth of all rows, and so plan every page anew, which leaves a page of ten users 0.54 of
 * its throughput, and of ten app instances 0.65.
 */
export function createPagedList<Parameters extends { readonly pageSize: number }>(
  name: string,
  text: (places: Places<Parameters>, most: Prisma.Sql) => Prisma.Sql,
): ReadList<Parameters, PageRow> {
  const statements = pageClasses.map((size) =>
    createStatement<Parameters, PageRow>({
      name: `${name}_${size}`,
      columns: pageColumns,
      text: (places) => text(places, Prisma.raw(String(size + 1))),
    }),
  )
  return (tables, parameters) => {
    const fitting = statements[pageClasses.findIndex((size) => parameters.pageSize <= size)]
    if (fitting === undefined) throw new Error(`no page has ${parameters.pageSize} items`)
    return firstRow(tables, fitting, parameters)
  }
}
