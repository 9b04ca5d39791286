import { Prisma } from '../../gen/prisma/client.js'
import type { PreparedQueryable } from '../db/queryable.js'
import { createPreparedStatement } from '../db/statement.js'
import { objectText, optionalMember, plainText, quotedTimestamp, stringText } from './json-text.js'
import { ownedColumns } from './owned-column.js'
import { pageClassFor, perPageClass } from './page-class.js'

/** Which members to list. */
export interface UserSelection {
  readonly organizationId: string
  /** The ordinal of the member before the page. */
  readonly after: string
  readonly includeDeactivated: boolean
  readonly pageSize: number
}

/** A page: the JSON of its users with commas between them, and the ordinal of the last one. */
export interface UserPageRow {
  readonly text: string
  readonly lastOrdinal: bigint | null
  readonly hasMore: boolean
}

const ownershipText = Prisma.join(
  ownedColumns.map((column) =>
    objectText([
      ['field', Prisma.raw(`'"USER_PROFILE_FIELD_${column.toUpperCase()}"'`)],
      ['owner', plainText(Prisma.raw(`'FIELD_OWNER_' || m.${column}_owner`))],
      ['since', quotedTimestamp(Prisma.raw(`m.${column}_owned_since`))],
    ]),
  ),
  ` || ',' || `,
)

const userText = objectText([
  ['id', plainText(Prisma.sql`m.user_id`)],
  ['email', stringText(Prisma.sql`u.email`)],
  ['firstName', stringText(Prisma.sql`m.first_name`)],
  ['lastName', stringText(Prisma.sql`m.last_name`)],
  ['name', stringText(Prisma.sql`btrim(m.first_name || ' ' || m.last_name)`)],
  ['role', plainText(Prisma.sql`'USER_ROLE_' || m.role`)],
  ['avatarUrl', stringText(Prisma.sql`m.avatar_url`)],
  ['timezone', stringText(Prisma.sql`m.timezone`)],
  ['locale', stringText(Prisma.sql`m.locale`)],
  ['department', stringText(Prisma.sql`m.department`)],
  ['jobTitle', stringText(Prisma.sql`m.job_title`)],
  ['primaryPhone', stringText(Prisma.sql`coalesce(m.primary_phone, '')`)],
  ['managerUserId', plainText(Prisma.sql`coalesce(m.manager_user_id, '')`)],
  ['createdAt', quotedTimestamp(Prisma.sql`m.created_at`)],
  optionalMember('deactivatedAt', Prisma.sql`m.deactivated_at`, quotedTimestamp(Prisma.sql`m.deactivated_at`)),
  ['fieldOwnership', Prisma.sql`'[' || ${ownershipText} || ']'`],
])

/**
 * The statement for pages of up to `most` users. It walks the index of the organization and reads one user more than the
 * page has; OFFSET 0 keeps the planner from reading all email addresses of the table.
 */
const lists = perPageClass((most) =>
  createPreparedStatement<UserSelection, UserPageRow>({
    name: `list_users_${most}`,
    reason: 'printed JSON',
    columns: { text: 'text', lastOrdinal: 'int8', hasMore: 'bool' },
    text: ({ organizationId, after, includeDeactivated, pageSize }) => Prisma.sql`
SELECT coalesce(string_agg(m.text, ',' ORDER BY m.ordinal) FILTER (WHERE m.place <= ${pageSize}), '') AS text,
       max(m.ordinal) FILTER (WHERE m.place <= ${pageSize}) AS "lastOrdinal",
       count(*) > ${pageSize} AS "hasMore"
  FROM (
    SELECT m.ordinal, ${userText} AS text, row_number() OVER (ORDER BY m.ordinal) AS place
      FROM (
        SELECT *
          FROM memberships m
         WHERE m.organization_id = ${organizationId} AND m.ordinal > ${after}
           AND (${includeDeactivated} OR m.deactivated_at IS NULL)
         ORDER BY m.ordinal LIMIT ${Prisma.raw(String(most + 1))}
      ) m
     CROSS JOIN LATERAL (SELECT u.email FROM users u WHERE u.id = m.user_id OFFSET 0) u
     ORDER BY m.ordinal LIMIT ${pageSize} + 1
  ) m`,
  }),
)

/** The statements of this file. */
export const userListStatements = Object.values(lists)

/** A page of the members of an organization, in the order of their creation. */
export async function readUserPage(
  tables: PreparedQueryable,
  selection: UserSelection,
): Promise<UserPageRow | undefined> {
  const [page] = await tables.run(lists[pageClassFor(selection.pageSize)], selection)
  return page
}
