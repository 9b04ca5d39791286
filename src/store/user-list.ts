import { Prisma } from '../../gen/prisma/client.js'
import { createStatement, type Places } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { pageClassFor, perPageClass } from './list.js'
import { rowText } from './resource/print.js'
import { itemsText } from './resource/text.js'
import { userResource } from './user.js'

/** Which members to list. */
export interface UserSelection {
  readonly organizationId: string
  /** The ordinal of the member before the page. */
  readonly after: string
  readonly includeDeactivated: boolean
  /** Only the member with this address; undefined for all. */
  readonly emailKey: string | undefined
  readonly pageSize: number
}

/** A page: the JSON of its items with commas between them, and the ordinal of the last user. */
export interface UserPageRow {
  readonly items: string
  readonly lastOrdinal: bigint | null
  readonly hasMore: boolean
}

type Page = Omit<UserSelection, 'emailKey'>

const columns = { items: 'text', lastOrdinal: 'int8', hasMore: 'bool' } as const

/**
 * A statement for pages of up to `most` users. It walks an index of the organization and reads one user more than the
 * page needs; OFFSET 0 keeps the planner from reading all email addresses of the table.
 */
const pageText = (
  most: number,
  { organizationId, after, includeDeactivated, pageSize }: Places<Page>,
  isWanted: Prisma.Sql,
) =>
  Prisma.sql`
SELECT ${itemsText(Prisma.sql`m.text`, Prisma.sql`m.ordinal`, Prisma.sql`m.place <= ${pageSize}`)} AS items,
       max(m.ordinal) FILTER (WHERE m.place <= ${pageSize}) AS "lastOrdinal",
       count(*) > ${pageSize} AS "hasMore"
  FROM (
    SELECT m.ordinal, ${rowText(userResource)} AS text, row_number() OVER (ORDER BY m.ordinal) AS place
      FROM (
        SELECT *
          FROM memberships m
         WHERE m.organization_id = ${organizationId} AND m.ordinal > ${after}
           AND (${includeDeactivated} OR m.deactivated_at IS NULL) ${isWanted}
         ORDER BY m.ordinal LIMIT ${Prisma.raw(String(most + 1))}
      ) m
     CROSS JOIN LATERAL (SELECT u.email FROM users u WHERE u.id = m.user_id OFFSET 0) u
     ORDER BY m.ordinal LIMIT ${pageSize} + 1
  ) m`

const lists = perPageClass((most) =>
  createStatement<Page, UserPageRow>({
    name: `list_users_${most}`,
    columns,
    text: (page) => pageText(most, page, Prisma.empty),
  }),
)

const listOfEmail = createStatement<Page & { readonly emailKey: string }, UserPageRow>({
  name: 'list_users_of_email',
  columns,
  text: (page) => pageText(1, page, Prisma.sql`AND m.email_key = ${page.emailKey}`),
})

/** The statements of this file. */
export const userListStatements = [...Object.values(lists), listOfEmail]

/** A page of the members of an organization, in the order of their creation. */
export async function readUserPage(
  tables: Tables,
  { emailKey, ...selection }: UserSelection,
): Promise<UserPageRow | undefined> {
  const [page] =
    emailKey === undefined
      ? await tables.run(lists[pageClassFor(selection.pageSize)], selection)
      : await tables.run(listOfEmail, { ...selection, emailKey })
  return page
}
