import type { ActorKind } from '../../gen/prisma/enums.js'
import type { Sql } from '../db/sql.js'
import type { Caller } from './caller.js'
import { pageSizeFrom } from './page-size.js'
import type { PageQuery, PageTokens } from './page-token.js'
import { permittedTeamIds } from './team-scope.js'
import { timestampOf } from './timestamp.js'
import { timestampColumn } from './timestamp-column.js'

/** An event as it is kept. */
export interface KeptAuditEvent {
  readonly id: string
  readonly occurredAt: string
  readonly actorKind: ActorKind
  readonly actorId: string
  readonly actorName: string
  readonly action: string
  readonly targetType: string
  readonly targetId: string
  readonly teamId: string
  readonly requestId: string
  readonly changes: readonly KeptFieldChange[]
}

/** What happened to a governed field, as it is kept: the names of the API's enum values, whole. */
export interface KeptFieldChange {
  readonly field: string
  readonly outcome: string
  readonly oldOwner: string
  readonly newOwner: string
}

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

/** A page of events; the token is empty on the last one. */
export interface AuditEventPage {
  readonly events: KeptAuditEvent[]
  readonly nextPageToken: string
}

/** Each column that may be filtered has an index that ends in the order of the list. */
const listStatement = `
SELECT id, ${timestampColumn('occurred_at')} AS "occurredAt", actor_kind AS "actorKind", actor_id AS "actorId",
       actor_name AS "actorName", action, target_type AS "targetType", target_id AS "targetId", team_id AS "teamId",
       request_id AS "requestId", changes
  FROM audit_events
 WHERE organization_id = $1
   AND ($2::text[] IS NULL OR team_id = ANY ($2))
   AND ($3::text IS NULL OR target_id = $3)
   AND ($4::text IS NULL OR action = $4)
   AND occurred_at >= coalesce($5::timestamptz, '-infinity')
   AND occurred_at < coalesce($6::timestamptz, 'infinity')
   AND ($7::timestamptz IS NULL OR (occurred_at, id) < ($7, $8::uuid))
 ORDER BY occurred_at DESC, id DESC
 LIMIT $9`

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
  const events = await sql.query<KeptAuditEvent>(listStatement, [
    ...[caller.organizationId, teamIds, targetId || null, action || null, since, until],
    ...[afterTime ?? null, afterId ?? null, pageSize + 1],
  ])
  const hasMore = events.length > pageSize
  if (hasMore) events.pop()
  const last = events.at(-1)
  const hasNext = hasMore && last !== undefined
  return {
    events,
    nextPageToken: hasNext ? await pageTokens.issue(query, `${last.occurredAt}/${last.id}`) : '',
  }
}
