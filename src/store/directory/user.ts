import { Prisma } from '../../../gen/prisma/client.js'
import { type Columns, createStatement } from '../../db/statement.js'
import type { Tables } from '../../db/tables.js'
import { type MemberColumns, type MemberRow, memberColumns, memberColumnTypes, memberFrom } from '../member.js'
import { ofOrganization } from '../scope.js'

/** A group of a member, or a member of a group, with the name to display. */
export interface Reference {
  readonly value: string
  readonly display: string
}

/** What a directory sees of a member beside the membership. */
interface Related {
  /** Null without a manager, or if the manager has no name. */
  readonly managerName: string | null
  readonly groups: readonly Reference[]
  /** Of the row of the membership: every write of the row changes it. */
  readonly version: string
}

/** A member as its directory sees one. */
export type DirectoryUserRow = MemberRow & Related

/** A row of `directoryUserColumns`. */
export type DirectoryUserColumns = MemberColumns & Related

/** The columns of such a member: of the membership `m`, the person `u`, and what is related to them. */
export const directoryUserColumns = Prisma.sql`${memberColumns},
       (SELECT nullif(btrim(b.first_name || ' ' || b.last_name), '') FROM memberships b
         WHERE ${ofOrganization('b')} AND b.user_id = m.manager_user_id) AS "managerName",
       (SELECT coalesce(json_agg(json_build_object('value', g.id, 'display', g.name) ORDER BY g.ordinal), '[]')
          FROM group_members gm
          JOIN groups g ON ${ofOrganization('g')} AND g.id = gm.group_id
         WHERE ${ofOrganization('gm')} AND gm.user_id = m.user_id) AS groups,
       m.xmin::text AS version`

/** The types of these columns. */
export const directoryUserColumnTypes: Columns<DirectoryUserColumns> = {
  ...memberColumnTypes,
  managerName: 'text',
  groups: 'json',
  version: 'text',
}

/** The user of a row. */
export function directoryUserFrom({ managerName, groups, version, ...row }: DirectoryUserColumns): DirectoryUserRow {
  return Object.assign(memberFrom(row), { managerName, groups, version })
}

interface UserKey {
  readonly organizationId: string
  readonly userId: string
}

const find = createStatement<UserKey, DirectoryUserColumns>({
  name: 'find_directory_user',
  columns: directoryUserColumnTypes,
  text: ({ userId }) => Prisma.sql`
SELECT ${directoryUserColumns}
  FROM memberships m
  JOIN users u ON u.id = m.user_id
 WHERE ${ofOrganization('m')} AND m.user_id = ${userId}`,
})

/** How a directory names a person; `nameKey` in lower case. */
export interface DirectoryIdentity {
  readonly organizationId: string
  readonly externalId: string | null
  readonly nameKey: string
}

/** A member with one of the names of an identity. */
export type DirectoryIdentityRow = DirectoryUserRow & { readonly hasExternalId: boolean }

const findIdentity = createStatement<DirectoryIdentity, DirectoryUserColumns & { readonly hasExternalId: boolean }>({
  name: 'find_directory_identity',
  columns: { ...directoryUserColumnTypes, hasExternalId: 'bool' },
  text: ({ externalId, nameKey }) => Prisma.sql`
SELECT ${directoryUserColumns},
       coalesce(m.directory_external_id = ${externalId}::text, false) AS "hasExternalId"
  FROM memberships m
  JOIN users u ON u.id = m.user_id
 WHERE ${ofOrganization('m')}
   AND (m.directory_external_id = ${externalId}::text
     OR lower(m.directory_user_name COLLATE "C") = ${nameKey}
     OR (m.directory_user_name IS NULL AND m.email_key = ${nameKey}))
 ORDER BY coalesce(m.directory_external_id = ${externalId}::text, false) DESC, m.ordinal`,
})

/** The statements of this file. */
export const directoryUserStatements = [find, findIdentity]

/** A member, even one whom the directory has deleted; undefined if there is none. */
export async function findDirectoryUser(tables: Tables, key: UserKey): Promise<DirectoryUserRow | undefined> {
  const [row] = await tables.run(find, key)
  return row && directoryUserFrom(row)
}

/** The members with the external id, first, or with the user name, including deactivated and deleted ones. */
export async function findDirectoryIdentity(
  tables: Tables,
  identity: DirectoryIdentity,
): Promise<DirectoryIdentityRow[]> {
  const rows = await tables.run(findIdentity, identity)
  return rows.map(({ hasExternalId, ...columns }) => Object.assign(directoryUserFrom(columns), { hasExternalId }))
}
