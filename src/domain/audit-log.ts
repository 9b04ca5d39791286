import type { ActorKind } from '../../gen/prisma/enums.js'
import type { AuditAction } from '../store/audit-action.js'
import { readAuditEvents } from '../store/audit-log.js'
import { permittedTeamIds, type Scope } from './caller/caller.js'
import { type Page, type PageQuery, type PageRequest, type PageTokens, pageOf } from './paging.js'
import { timestampOf } from './value/timestamp.js'

/** Which events to list; 0 and empty strings mean absent. */
export interface AuditEventListRequest extends PageRequest {
  readonly targetId: string
  /** Events with any of these; none means all. */
  readonly actions: readonly AuditAction[]
  readonly actorId: string
  readonly actorKind: ActorKind | ''
  readonly requestId: string
  readonly targetType: string
  readonly teamId: string
  /** Inclusive. */
  readonly since: string
  /** Exclusive. */
  readonly until: string
}

/**
 * A page of the events of the caller's organization, newest first. Callers with `audit:read` only in teams get the
 * events of those teams. Throws `FIELD_INVALID` for invalid times, and `PAGE_TOKEN_INVALID`.
 */
export async function listAuditEvents(
  { reads, caller }: Scope,
  request: AuditEventListRequest,
  pageTokens: PageTokens,
): Promise<Page> {
  const { targetId, targetType, actorId, actorKind, teamId, requestId } = request
  const actions = [...new Set(request.actions)].sort()
  const filter = {
    targetId,
    targetType,
    actorId,
    actorKind,
    teamId,
    requestId,
    since: timestampOf('since', request.since) ?? '',
    until: timestampOf('until', request.until) ?? '',
  }
  const { organizationId } = caller
  const teamIds = permittedTeamIds(caller, 'audit:read')
  const query: PageQuery = {
    method: 'ListAuditEvents',
    organizationId,
    filter: { ...filter, actions: JSON.stringify(actions), teamIds: JSON.stringify(teamIds) },
  }
  return pageOf(pageTokens, query, request, {
    read: (range) => readAuditEvents(reads, { ...filter, actions, organizationId, teamIds, ...range }),
  })
}
