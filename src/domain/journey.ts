import { WorkflowRunStatus } from '../../gen/prisma/enums.js'
import type { PreparedQueryable } from '../db/queryable.js'
import { invalidField, notFound } from '../errors.js'
import { printJourney } from '../store/journey.js'
import { type Caller, requirePermissionIn, visibleScope } from './caller/caller.js'

const runStatuses = Object.keys(WorkflowRunStatus).map((name) => `WORKFLOW_RUN_STATUS_${name}`)
const uuidFormat = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * The API's JSON of a journey with all that belongs to it, as it stands at one moment; what is overdue is so by the date of
 * `now` in UTC. Callers with `tickets:read` in its team see it, and so do its requester and the requester's manager
 * (docs/resources.md). Throws `FIELD_INVALID` for an id that is no UUID, `RESOURCE_NOT_FOUND`, and `PERMISSION_MISSING`
 * where the caller sees the team and nothing more.
 */
export async function getJourney(tables: PreparedQueryable, caller: Caller, id: string, now: Date): Promise<string> {
  if (!uuidFormat.test(id)) throw invalidField('id', 'must be a UUID such as 0190b8f4-5d2e-7c3a-9b1f-2d6e8a4c7f10')
  const userId = caller.kind === 'user' ? caller.id : null
  const today = now.toISOString().slice(0, 10)
  const row = await printJourney(tables, { ...visibleScope(caller), id, userId, today, runStatuses })
  if (row === undefined) throw notFound('journey', id)
  const isRelated = userId !== null && (row.requesterUserId === userId || row.requesterManagerUserId === userId)
  if (!isRelated) requirePermissionIn(caller, row.teamId, 'tickets:read')
  return row.json
}
