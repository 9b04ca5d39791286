import type { Sql } from '../db/sql.js'
import { fieldWriteOutcomes } from './audit-event.js'
import type { Caller } from './caller.js'
import { fieldOwners, governedFields } from './field-ownership.js'
import { enumText, objectText, plainText, stringText, timestampText } from './json-text.js'
import { pageSizeFrom } from './page-size.js'
import type { PageQuery, PageTokens } from './page-token.js'
import { permittedTeamIds } from './team-scope.js'
import { timestampOf } from './timestamp.js'
import { timestampColumn } from './timestamp-column.js'

/** Which events to list; 0 and empty texts are absent. */
export interface AuditEventListRequest {
  readonly pageSize: number
  readonly pageToken: string
  readonly targetId: string
  readonly action: string
  /** Inclusive. */
  readonly since: string
  /** Exclusive. */
  readonly until: string
}

/** A page of events: their JSON as the API prints it, with commas between them; the token is empty on the last page. */
export interface AuditEventPage {
  readonly text: string
  readonly nextPageToken: string
}

const actorText = objectText([
  ['kind', plainText(`'ACTOR_KIND_' || e.actor_kind`)],
  ['id', stringText('e.actor_id')],
  ['name', stringText('e.actor_name')],
])

/** The API's enum value under a key of a stored change. */
const changeEnum = (key: string, prefix: string, names: readonly string[]) =>
  enumText(
    `c.change->>'${key}'`,
    names.map((name) => `${prefix}_${name}`),
    `${prefix}_UNSPECIFIED`,
  )

const changeText = objectText([
  ['field', changeEnum('field', 'USER_PROFILE_FIELD', governedFields)],
  ['outcome', changeEnum('outcome', 'FIELD_WRITE_OUTCOME', fieldWriteOutcomes)],
  ['oldOwner', changeEnum('oldOwner', 'FIELD_OWNER', fieldOwners)],
  ['newOwner', changeEnum('newOwner', 'FIELD_OWNER', fieldOwners)],
])

const eventText = objectText([
  ['id', plainText('e.id')],
  ['occurredAt', timestampText('e.occurred_at')],
  ['actor', actorText],
  ['action', stringText('e.action')],
  ['targetType', stringText('e.target_type')],
  ['targetId', stringText('e.target_id')],
  ['teamId', stringText('e.team_id')],
  ['requestId', stringText('e.request_id')],
  [
    'changes',
    `CASE WHEN e.changes = '[]' THEN '[]' ELSE '[' || (
       SELECT string_agg(${changeText}, ',' ORDER BY c.place)
         FROM jsonb_array_elements(e.changes) WITH ORDINALITY c (change, place)
     ) || ']' END`,
  ],
])

interface PageRow {
  readonly text: string
  readonly lastPosition: string | null
  readonly hasMore: boolean
}

/**
 * Reads one event more than the page has. Each column that may be filtered has an index that ends in the order of the
 * list.
 */
const listStatement = `
SELECT coalesce(string_agg(e.text, ',' ORDER BY e.place) FILTER (WHERE e.place <= $9), '') AS text,
       max(e.position) FILTER (WHERE e.place = $9) AS "lastPosition",
       count(*) > $9 AS "hasMore"
  FROM (
    SELECT ${eventText} AS text, ${timestampColumn('e.occurred_at')} || '/' || e.id AS position,
           row_number() OVER (ORDER BY e.occurred_at DESC, e.id DESC) AS place
      FROM (
        SELECT *
          FROM audit_events
         WHERE organization_id = $1
           AND ($2::text[] IS NULL OR team_id = ANY ($2))
           AND ($3::text IS NULL OR target_id = $3)
           AND ($4::text IS NULL OR action = $4)
           AND occurred_at >= coalesce($5::timestamptz, '-infinity')
           AND occurred_at < coalesce($6::timestamptz, 'infinity')
           AND ($7::timestamptz IS NULL OR (occurred_at, id) < ($7, $8::uuid))
         ORDER BY occurred_at DESC, id DESC
         LIMIT $9 + 1
      ) e
  ) e`

/**
 * A page of the events of the caller's organization, the newest first. Who has `audit:read` in teams alone gets the
 * events of these teams. Throws `FIELD_INVALID` for a negative size and for times that are none, `PAGE_TOKEN_INVALID`.
 */
export async function listAuditEvents(
  sql: Sql,
  caller: Caller,
  request: AuditEventListRequest,
  pageTokens: PageTokens,
): Promise<AuditEventPage> {
  const pageSize = pageSizeFrom(request.pageSize)
  const { targetId, action } = request
  const since = timestampOf('since', request.since)
  const until = timestampOf('until', request.until)
  const teamIds = permittedTeamIds(caller, 'audit:read')
  const query: PageQuery = {
    method: 'ListAuditEvents',
    organizationId: caller.organizationId,
    filter: { targetId, action, since: since ?? '', until: until ?? '', teamIds: JSON.stringify(teamIds) },
  }
  const position = await pageTokens.read(query, request.pageToken)
  const [afterTime, afterId] = position?.split('/') ?? []
  // Planned anew each time: which index serves depends on the filters that are there.
  const [page] = await sql.query<PageRow>(listStatement, [
    ...[caller.organizationId, teamIds, targetId || null, action || null, since, until],
    ...[afterTime ?? null, afterId ?? null, pageSize],
  ])
  const hasNext = page?.hasMore === true && page.lastPosition !== null
  return { text: page?.text ?? '', nextPageToken: hasNext ? await pageTokens.issue(query, page.lastPosition) : '' }
}
