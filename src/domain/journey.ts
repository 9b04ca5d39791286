import { notFound } from '../errors.js'
import { printJourney } from '../store/journey.js'
import { requirePermissionIn, visibleScope } from './caller/caller.js'
import type { Scope } from './caller/scope.js'

/**
 * The API's JSON of a journey with all its parts, as of one moment; tasks are overdue by today's date in UTC.
 * Callers with `tickets:read` in its team see it, and so do its requester and the requester's manager
 * (docs/resources.md). Throws `RESOURCE_NOT_FOUND`, and `PERMISSION_MISSING` if the caller can see the team but not the
 * journey.
 */
export async function getJourney({ reads, caller, runtime }: Scope, id: string): Promise<string> {
  const userId = caller.kind === 'user' ? caller.id : null
  const today = runtime.now().toISOString().slice(0, 10)
  const row = await printJourney(reads, { id, userId, today, ...visibleScope(caller) })
  if (row === undefined) throw notFound('journey', id)
  const isRelated = userId !== null && (row.requesterUserId === userId || row.requesterManagerUserId === userId)
  if (!isRelated) requirePermissionIn(caller, row.teamId, 'tickets:read')
  return row.json
}
