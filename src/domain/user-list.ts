import type { Sql } from '../db/sql.js'
import type { Caller } from './caller.js'
import { governedFields } from './field-ownership.js'
import { objectText, optionalMember, plainText, stringText, timestampText } from './json-text.js'
import { ownedColumnOf } from './membership.js'
import { pageClassFor, pageSizeFrom, perPageClass } from './page-size.js'
import type { PageQuery, PageTokens } from './page-token.js'

/** Which users to list; 0 and the empty token are absent. */
export interface UserListRequest {
  readonly pageSize: number
  readonly pageToken: string
  readonly includeDeactivated: boolean
}

/**
 * A page of users: their JSON as the API prints it, with commas between them; the token is empty on the last page.
 */
export interface UserPage {
  readonly text: string
  readonly nextPageToken: string
}

const ownershipText = governedFields
  .map((field) => {
    const column = ownedColumnOf[field]
    return objectText([
      ['field', `'"USER_PROFILE_FIELD_${field}"'`],
      ['owner', plainText(`'FIELD_OWNER_' || m.${column}_owner`)],
      ['since', timestampText(`m.${column}_owned_since`)],
    ])
  })
  .join(` || ',' || `)

const userText = objectText([
  ['id', plainText('m.user_id')],
  ['email', stringText('u.email')],
  ['firstName', stringText('m.first_name')],
  ['lastName', stringText('m.last_name')],
  ['name', stringText(`btrim(m.first_name || ' ' || m.last_name)`)],
  ['role', plainText(`'USER_ROLE_' || m.role`)],
  ['avatarUrl', stringText('m.avatar_url')],
  ['timezone', stringText('m.timezone')],
  ['locale', stringText('m.locale')],
  ['department', stringText('m.department')],
  ['jobTitle', stringText('m.job_title')],
  ['primaryPhone', stringText(`coalesce(m.primary_phone, '')`)],
  ['managerUserId', plainText(`coalesce(m.manager_user_id, '')`)],
  ['createdAt', timestampText('m.created_at')],
  optionalMember('deactivatedAt', 'm.deactivated_at', timestampText('m.deactivated_at')),
  ['fieldOwnership', `'[' || ${ownershipText} || ']'`],
])

interface PageRow {
  readonly text: string
  readonly lastOrdinal: string | null
  readonly hasMore: boolean
}

/**
 * The statement for pages of up to `most` users. It walks the index of the organization and reads one user more than the
 * page has; OFFSET 0 keeps the planner from reading all email addresses of the table.
 */
const listStatement = (most: number) => `
SELECT coalesce(string_agg(m.text, ',' ORDER BY m.ordinal) FILTER (WHERE m.place <= $4), '') AS text,
       max(m.ordinal) FILTER (WHERE m.place <= $4) AS "lastOrdinal",
       count(*) > $4 AS "hasMore"
  FROM (
    SELECT m.ordinal, ${userText} AS text, row_number() OVER (ORDER BY m.ordinal) AS place
      FROM (
        SELECT *
          FROM memberships m
         WHERE m.organization_id = $1 AND m.ordinal > $2 AND ($3 OR m.deactivated_at IS NULL)
         ORDER BY m.ordinal LIMIT ${most + 1}
      ) m
     CROSS JOIN LATERAL (SELECT u.email FROM users u WHERE u.id = m.user_id OFFSET 0) u
     ORDER BY m.ordinal LIMIT $4 + 1
  ) m`

const listStatements = perPageClass(listStatement)

/**
 * A page of the members of the caller's organization, in the order of their creation. Throws `FIELD_INVALID` for a
 * negative size and `PAGE_TOKEN_INVALID`.
 */
export async function listUsers(
  sql: Sql,
  { organizationId }: Caller,
  request: UserListRequest,
  pageTokens: PageTokens,
): Promise<UserPage> {
  const pageSize = pageSizeFrom(request.pageSize)
  const { includeDeactivated } = request
  const query: PageQuery = {
    method: 'ListUsers',
    organizationId,
    filter: { includeDeactivated: String(includeDeactivated) },
  }
  const after = (await pageTokens.read(query, request.pageToken)) ?? '0'
  const pageClass = pageClassFor(pageSize)
  const [page] = await sql.query<PageRow>(
    listStatements[pageClass],
    [organizationId, after, includeDeactivated, pageSize],
    `list_users_${pageClass}`,
  )
  const hasNext = page?.hasMore === true && page.lastOrdinal !== null
  return { text: page?.text ?? '', nextPageToken: hasNext ? await pageTokens.issue(query, page.lastOrdinal) : '' }
}
