import { Prisma } from '../../../gen/prisma/client.js'
import { countStatement, type ScimRows, sliceStatement } from './list.js'
import { type ScimUserColumns, scimUserColumns, scimUserColumnTypes } from './user.js'

/** The members that a directory sees, as users. */
export const scimUserRows: ScimRows<ScimUserColumns> = {
  name: 'list_scim_users',
  table: 'memberships',
  alias: 'm',
  where: Prisma.sql`m.directory_deleted_at IS NULL`,
  beside: Prisma.sql`CROSS JOIN LATERAL (SELECT u.email FROM users u WHERE u.id = m.user_id OFFSET 0) u`,
  columns: scimUserColumns,
  references: (organizationId) => Prisma.sql`(SELECT count(*) FROM group_members gm
         WHERE gm.organization_id = ${organizationId} AND gm.user_id = m.user_id)`,
  types: scimUserColumnTypes,
}

const all = { filter: undefined, order: undefined }

/** The statements of this file, without the conditions of filters. */
export const scimUserListStatements = [
  sliceStatement(scimUserRows, all).statement,
  countStatement(scimUserRows, undefined).statement,
]
