import { Prisma } from '../../gen/prisma/client.js'
import { type Columns, createStatement, type Places } from '../db/statement.js'
import { firstRow, type Tables } from '../db/tables.js'
import { type PrintedRow, rowText } from './resource/print.js'
import { type Resource, referencedTable } from './resource/resource.js'
import { listText } from './resource/text.js'
import { teamColumn } from './row-lock.js'
import { inTeams, ofOrganization, type Scope } from './scope.js'

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

/** Reads a list; undefined if there is no owner. */
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
