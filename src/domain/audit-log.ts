import type { PreparedQueryable } from '../db/queryable.js'
import { type KnownChangeNames, readAuditEvents } from '../store/audit-log.js'
import { fieldWriteOutcomes } from './audit/audit-event.js'
import type { Caller } from './caller/caller.js'
import { permittedTeamIds } from './caller/team-scope.js'
import { pageSizeFrom } from './paging/page-size.js'
import type { PageQuery, PageTokens } from './paging/page-token.js'
import { fieldOwners, governedFields } from './profile/field-ownership.js'
import { timestampOf } from './value/timestamp.js'

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

const changeNames: KnownChangeNames = {
  fieldNames: governedFields.map((name) => `USER_PROFILE_FIELD_${name}`),
  outcomeNames: fieldWriteOutcomes.map((name) => `FIELD_WRITE_OUTCOME_${name}`),
  ownerNames: fieldOwners.map((name) => `FIELD_OWNER_${name}`),
}

/**
 * A page of the events of the caller's organization, the newest first. Who has `audit:read` in teams alone gets the
 * events of these teams. Throws `FIELD_INVALID` for a negative size and for times that are none, `PAGE_TOKEN_INVALID`.
 */
export async function listAuditEvents(
  tables: PreparedQueryable,
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
  const page = await readAuditEvents(tables, {
    ...{ organizationId: caller.organizationId, teamIds, targetId: targetId || null, action: action || null },
    ...{ since: since ?? null, until: until ?? null, afterTime: afterTime ?? null, afterId: afterId ?? null },
    ...changeNames,
    pageSize,
  })
  const hasNext = page?.hasMore === true && page.lastPosition !== null
  return { text: page?.text ?? '', nextPageToken: hasNext ? await pageTokens.issue(query, page.lastPosition) : '' }
}
