import { Prisma } from '../../../gen/prisma/client.js'
import type { Columns } from '../../db/statement.js'
import { createLookUp, type Tables } from '../../db/tables.js'
import {
  createMemberView,
  type MemberColumns,
  type MemberKey,
  type MemberOf,
  memberColumns,
  memberColumnTypes,
  memberFrom,
  memberText,
} from '../member.js'
import { ofOrganization } from '../visibility.js'

/** A group of a member, or a member of a group, with the name to display. */
export interface Reference {
  readonly value: string
  readonly display: string
}

export interface DirectoryUserColumns extends MemberColumns {
  /** Null without a manager, or if the manager has no name. */
  readonly managerName: string | null
  readonly groups: readonly Reference[]
}

/** A member as its directory sees one. */
export type DirectoryUserRow = MemberOf<DirectoryUserColumns>

export const managerName = Prisma.sql`(SELECT nullif(btrim(b.first_name || ' ' || b.last_name), '') FROM memberships b
         WHERE ${ofOrganization('b')} AND b.user_id = m.manager_user_id)`

/** The columns of such a member: of the membership `m`, and what is related to it. */
export const directoryUserColumns = Prisma.sql`${memberColumns},
       ${managerName} AS "managerName",
       (SELECT coalesce(json_agg(json_build_object('value', g.id, 'display', g.name) ORDER BY g.ordinal), '[]')
          FROM group_members gm
          JOIN groups g ON ${ofOrganization('g')} AND g.id = gm.group_id
         WHERE ${ofOrganization('gm')} AND gm.user_id = m.user_id) AS groups`

export const directoryUserColumnTypes: Columns<DirectoryUserColumns> = {
  ...memberColumnTypes,
  managerName: 'text',
  groups: 'json',
}

/** A member as its directory sees one, even one whom the directory has deleted. */
export const directoryUserView = createMemberView(
  { find: 'find_directory_user', change: 'change_directory_user' },
  directoryUserColumnTypes,
  directoryUserColumns,
)

const lock = createLookUp<MemberKey, DirectoryUserColumns>({
  name: 'lock_directory_user',
  columns: directoryUserColumnTypes,
  text: (key) => Prisma.sql`${memberText(directoryUserColumns, key)} FOR NO KEY UPDATE OF m`,
})

/** Reads a member as its directory sees one, locked until the transaction ends; undefined if there is none. */
export async function lockDirectoryUser(transaction: Tables, key: MemberKey): Promise<DirectoryUserRow | undefined> {
  const row = await lock(transaction, key)
  return row && memberFrom(row)
}

/** Finds directory accounts of members, and whether they are deleted, the oldest first. */
export function findDirectoryAccounts({ models }: Tables, organizationId: string, userIds: readonly string[]) {
  return models.membership.findMany({
    where: { organizationId, userId: { in: [...userIds] } },
    orderBy: { ordinal: 'asc' },
    select: {
      userId: true,
      deactivatedAt: true,
      directoryExternalId: true,
      directoryDeletedAt: true,
      inSeveralOrganizations: true,
    },
  })
}
