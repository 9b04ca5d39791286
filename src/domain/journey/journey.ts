import { type JourneyHealthCheckStatus, type JourneyTaskStatus, WorkflowRunStatus } from '../../../gen/prisma/enums.js'
import type { PreparedQueryable } from '../../db/queryable.js'
import { invalidField, notFound } from '../../errors.js'
import { type JourneyRow, readJourney } from '../../store/journey.js'
import { type Caller, requirePermissionIn, visibleScope } from '../caller/caller.js'

/**
 * A journey with all that belongs to it (spec, Journey). Dates are `2026-01-31`. Tasks and health checks, of which there
 * are many, are the API's JSON of their messages, separated by commas, beside the statuses that values are computed from.
 */
export interface Journey extends Omit<JourneyRow, 'taskStatuses' | 'healthCheckStatuses'> {
  readonly taskStatuses: readonly JourneyTaskStatus[]
  readonly healthCheckStatuses: readonly JourneyHealthCheckStatus[]
}

const runStatuses = Object.keys(WorkflowRunStatus).map((name) => `WORKFLOW_RUN_STATUS_${name}`)
const uuidFormat = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * A journey as it stood at one moment, with tasks overdue by the date `today` (UTC, `2026-01-31`). Callers with
 * `tickets:read` in its team see it, and so do its requester and the requester's manager (docs/resources.md). Throws
 * `FIELD_INVALID` for an id that is no UUID, `RESOURCE_NOT_FOUND`, and `PERMISSION_MISSING` where the caller sees the
 * team and nothing more.
 */
export async function getJourney(
  tables: PreparedQueryable,
  caller: Caller,
  id: string,
  today: string,
): Promise<Journey> {
  if (!uuidFormat.test(id)) throw invalidField('id', 'must be a UUID such as 0190b8f4-5d2e-7c3a-9b1f-2d6e8a4c7f10')
  const userId = caller.kind === 'user' ? caller.id : null
  const row = await readJourney(tables, { ...visibleScope(caller), id, userId, today, runStatuses })
  if (row === undefined) throw notFound('journey', id)
  const isRelated = userId !== null && (row.requesterUserId === userId || row.requesterManagerUserId === userId)
  if (!isRelated) requirePermissionIn(caller, row.teamId, 'tickets:read')
  return {
    ...row,
    taskStatuses: split(row.taskStatuses) as JourneyTaskStatus[],
    healthCheckStatuses: split(row.healthCheckStatuses) as JourneyHealthCheckStatus[],
  }
}

function split(statuses: string): string[] {
  return statuses === '' ? [] : statuses.split(',')
}
