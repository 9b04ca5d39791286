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

/** The columns of such a member: of the membership `m`, and what is related to it. */
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
 WHERE ${ofOrganization('m')} AND m.user_id = ${userId}`,
})

/** How a directory names a person; `nameKey` in lower case. */
export interface DirectoryIdentity {
  readonly organizationId: string
  readonly externalId: string | null
  readonly nameKey: string
}

/** A member with one of the names of an identity. */
export type DirectoryIdentityRow = Pick<
  MemberRow,
  'userId' | 'deactivatedAt' | 'directoryExternalId' | 'directoryDeletedAt'
>

const findIdentity = createStatement<DirectoryIdentity, DirectoryIdentityRow>({
  name: 'find_directory_identity',
  columns: {
    userId: 'text',
    deactivatedAt: 'timestamptz',
    directoryExternalId: 'text',
    directoryDeletedAt: 'timestamptz',
  },
  text: ({ externalId, nameKey }) => Prisma.sql`
SELECT m.user_id AS "userId", m.deactivated_at AS "deactivatedAt", m.directory_external_id AS "directoryExternalId",
       m.directory_deleted_at AS "directoryDeletedAt"
  FROM memberships m
 WHERE ${ofOrganization('m')}
   AND (m.directory_external_id = ${externalId}::text
     OR lower(m.directory_user_name COLLATE "C") = ${nameKey}
     OR (m.directory_user_name IS NULL AND m.email_key = ${nameKey}))
 ORDER BY m.ordinal`,
})

/** The statements of this file. */
export const directoryUserStatements = [find, findIdentity]

/** A member, even one whom the directory has deleted; undefined if there is none. */
export async function findDirectoryUser(tables: Tables, key: UserKey): Promise<DirectoryUserRow | undefined> {
  const [row] = await tables.run(find, key)
  return row && directoryUserFrom(row)
}

/** The members with the external id or the user name, including deactivated and deleted ones. */
export function findDirectoryIdentity(tables: Tables, identity: DirectoryIdentity): Promise<DirectoryIdentityRow[]> {
  return tables.run(findIdentity, identity)
}
