import { Prisma } from '../../../gen/prisma/client.js'
import { type ScimGroupRow, scimGroupColumns, scimGroupColumnTypes } from './group.js'
import { countStatement, type ScimRows, sliceStatement } from './list.js'

/** The groups of an organization: with their members, or without. */
export const scimGroupRows = {
  whole: rowsWith('list_scim_groups', Prisma.sql`true`),
  withoutMembers: rowsWith('list_scim_groups_alone', Prisma.sql`false`),
} as const

function rowsWith(name: string, withMembers: Prisma.Sql): ScimRows<ScimGroupRow> {
  return {
    name,
    table: 'groups',
    alias: 'g',
    where: Prisma.sql`true`,
    beside: Prisma.sql``,
    columns: (organizationId) => scimGroupColumns(organizationId, withMembers),
    references: (organizationId) => Prisma.sql`(SELECT count(*) FROM group_members gm
         WHERE ${withMembers} AND gm.organization_id = ${organizationId} AND gm.group_id = g.id)`,
    types: scimGroupColumnTypes,
  }
}

const all = { filter: undefined, order: undefined }

/** The statements of this file, without the conditions of filters. */
export const scimGroupListStatements = Object.values(scimGroupRows).flatMap((rows) => [
  sliceStatement(rows, all).statement,
  countStatement(rows, undefined).statement,
])
