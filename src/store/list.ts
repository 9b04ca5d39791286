import { Prisma } from '../../gen/prisma/client.js'
import { createStatement, type Places } from '../db/statement.js'
import { firstRow, type Tables } from '../db/tables.js'
import { type PrintedRow, rowText } from './resource/print.js'
import { type Resource, referencedTable } from './resource/resource.js'
import { listText } from './resource/text.js'
import { teamColumn } from './row-lock.js'
import { inTeams, ofOrganization, type Visibility } from './visibility.js'

/** The owner of a list, as a caller asks for it. */
export interface ListOwner extends Visibility {
  readonly ownerId: string
}

/** The list of an owner, with the team to which the owner belongs. */
export interface OwnedListRow extends PrintedRow {
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
}: OwnedListDefinition<Parameters>) {
  const { alias, table } = resource
  const owners = referencedTable(table, parent)
  const team = Prisma.raw(`owner.${teamColumn(owners)}`)
  const list = createStatement<Parameters, OwnedListRow>({
    name,
    columns: { json: 'text', teamId: 'text' },
    text: (places) => {
      const condition = filter === undefined ? Prisma.empty : Prisma.sql`AND ${filter(places)}`
      return Prisma.sql`
SELECT ${team} AS "teamId", list.json
  FROM ${Prisma.raw(owners.name)} owner
 CROSS JOIN LATERAL (
    SELECT ${listText(rowText(resource), order)} AS json
      FROM ${Prisma.raw(`${table.name} ${alias}`)}
     WHERE ${ofOrganization(alias)} AND ${Prisma.raw(`${alias}.${parent}`)} = owner.id ${condition}
  ) list
 WHERE ${ofOrganization('owner')} AND owner.id = ${places.ownerId} AND ${inTeams(team, places.teamIds)}`
    },
  })
  return (tables: Tables, parameters: Parameters) => firstRow(tables, list, parameters)
}
