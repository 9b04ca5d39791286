import { Prisma } from '../../../gen/prisma/client.js'
import type { Entries, Value } from '../search.js'
import type { SearchRows } from '../search-page.js'
import { ofOrganization } from '../tenant.js'
import { type ScimGroupRow, scimGroupColumns, scimGroupColumnTypes } from './group.js'

/** The groups of an organization: with their members, or without. */
export const searchedGroups = {
  whole: rowsWith('groups', Prisma.sql`true`),
  withoutMembers: rowsWith('groups_alone', Prisma.sql`false`),
} as const

function rowsWith(name: string, withMembers: Prisma.Sql): SearchRows<ScimGroupRow> {
  return {
    name,
    table: 'groups',
    alias: 'g',
    where: Prisma.sql`true`,
    beside: Prisma.sql``,
    columns: (organizationId) => scimGroupColumns(organizationId, withMembers),
    types: scimGroupColumnTypes,
    references: Prisma.sql`group_members gm WHERE ${withMembers} AND ${ofOrganization('gm')} AND gm.group_id = g.id`,
  }
}

/** The values of a group that can be searched. */
export const groupValues = {
  id: { sql: Prisma.sql`g.id`, indexed: ['equals'], ofEvery: true },
  externalId: { sql: Prisma.sql`g.directory_external_id`, indexed: ['equals'] },
  name: { sql: Prisma.sql`nullif(g.name, '')`, indexed: ['equals', 'startsWith'] },
  createdAt: { sql: Prisma.sql`g.created_at`, ofEvery: true },
  updatedAt: { sql: Prisma.sql`g.updated_at`, ofEvery: true },
} satisfies Readonly<Record<string, Value>>

/** The members of a group. */
export const groupMembers: Entries = {
  from: Prisma.sql`group_members x JOIN memberships o ON ${ofOrganization('o')} AND o.user_id = x.user_id
    WHERE ${ofOrganization('x')} AND x.group_id = g.id`,
  narrowed: (value) => Prisma.sql`g.id = ANY (ARRAY(
    SELECT y.group_id FROM group_members y WHERE ${ofOrganization('y')} AND y.user_id = ${value}::text))`,
}

/** The values of a member of a group. */
export const groupMemberValues = {
  id: { sql: Prisma.sql`x.user_id` },
  name: { sql: Prisma.sql`nullif(btrim(o.first_name || ' ' || o.last_name), '')` },
} satisfies Readonly<Record<string, Value>>
