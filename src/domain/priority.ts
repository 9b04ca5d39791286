import type { PreparedQueryable } from '../db/queryable.js'
import { notFound } from '../errors.js'
import type { WriteContext } from '../runtime/write-context.js'
import * as priorities from '../store/priority.js'
import { auditedCall } from './audit/audit-statement.js'
import { type Caller, requirePermissionIn, visibleScope } from './caller/caller.js'
import { permittedTeamIds } from './caller/team-scope.js'

/** New values of a priority; what is absent stays as it is. */
export interface PriorityUpdate {
  readonly id: string
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly isAiSelectable?: boolean | undefined
}

/**
 * Changes a priority and returns its JSON after the change. Throws `RESOURCE_NOT_FOUND`, and `PERMISSION_MISSING`
 * without `tickets:write` in its team.
 */
export async function updatePriority(
  tables: PreparedQueryable,
  caller: Caller,
  update: PriorityUpdate,
  { runtime, requestId }: WriteContext,
): Promise<string> {
  const { id, name, description, isAiSelectable } = update
  const updated = await priorities.updatePriority(tables, {
    id,
    name,
    description,
    isAiSelectable,
    auditEventId: runtime.newId(),
    organizationId: caller.organizationId,
    teamIds: permittedTeamIds(caller, 'tickets:write'),
    ...auditedCall(caller, requestId),
  })
  return updated ?? refuse(tables, caller, id)
}

/**
 * Throws why no priority was changed: the same error for hidden and missing ones, forbidden only for what is visible.
 */
async function refuse(tables: PreparedQueryable, caller: Caller, id: string): Promise<never> {
  const teamId = await priorities.lockTeamOfPriority(tables, id, visibleScope(caller))
  if (teamId !== undefined) requirePermissionIn(caller, teamId, 'tickets:write')
  throw notFound('priority', id)
}
