import { databaseFailure } from '../db/errors.js'
import { ServiceError } from '../errors.js'
import { MAX_PAGE_SIZE } from '../limits/known-limits.js'
import { type AuditEventSelection, readAuditEvents } from '../store/audit-log.js'
import { type CallContext, permittedTeamIds } from './caller/caller.js'
import { type Page, type PageRequest, pageOf } from './paging.js'

/** Which events to list; 0 and empty strings mean absent. */
export interface AuditEventListRequest
  extends PageRequest,
    Omit<AuditEventSelection, 'organizationId' | 'teamIds' | 'after' | 'pageSize' | 'q'> {}

/**
 * A page of the events of the caller's organization, newest first. Callers with `audit:read` only in teams get the
 * events of those teams. Throws `PAGE_TOKEN_INVALID`, and `DEADLINE_EXCEEDED` for a filter that too few events match.
 */
export async function listAuditEvents(context: CallContext, request: AuditEventListRequest): Promise<Page> {
  const { reads, caller } = context
  const { targetId, targetType, actorId, actorKind, teamId, requestId, since, until } = request
  const actions = [...new Set(request.actions)].sort()
  const filter = { targetId, targetType, actorId, actorKind, teamId, requestId, since, until }
  const { organizationId } = caller
  const teamIds = permittedTeamIds(caller, 'audit:read')
  return pageOf(context, request, {
    method: 'ListAuditEvents',
    filter: { ...filter, order: 'id', actions: JSON.stringify(actions), teamIds: JSON.stringify(teamIds) },
    usualSize: MAX_PAGE_SIZE,
    read: async (range) => {
      try {
        return await readAuditEvents(reads, { ...filter, actions, organizationId, teamIds, ...range })
      } catch (cause) {
        if (databaseFailure(cause)?.kind !== 'timeout') throw cause
        const advice = 'narrow it by since or targetId'
        throw new ServiceError('DEADLINE_EXCEEDED', `the log takes too long to read: ${advice}`, { cause })
      }
    },
  })
}
