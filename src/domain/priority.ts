import type { Queryable } from '../db/queryable.js'
import { notFound, refuseViolations } from '../errors.js'
import * as priorities from '../store/priority.js'
import { auditedCall, type WriteContext } from './audit/audit-statement.js'
import { type Caller, requirePermissionIn, visibleScope } from './caller/caller.js'
import { permittedTeamIds } from './caller/team-scope.js'
import { descriptionLimits, nameLimits, textViolations } from './value/text-field.js'

/** How urgent a ticket is, as one team grades it. */
export interface Priority {
  readonly id: string
  readonly teamId: string
  readonly priority: string
  readonly description: string
  readonly scopedId: string
  readonly name: string
  readonly isAiSelectable: boolean
}

/** New values of a priority; what is absent stays as it is. */
export interface PriorityUpdate {
  readonly id: string
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly isAiSelectable?: boolean | undefined
}

/**
 * Changes a priority and answers it as it stands then. Throws `FIELD_INVALID` for texts that do not fit,
 * `RESOURCE_NOT_FOUND`, and `PERMISSION_MISSING` without `tickets:write` in its team.
 */
export async function updatePriority(
  tables: Queryable,
  caller: Caller,
  update: PriorityUpdate,
  { runtime, requestId }: WriteContext,
): Promise<Priority> {
  checkTexts(update)
  const { id, name, description, isAiSelectable } = update
  const updated = await priorities.updatePriority(tables, {
    ...{ id, name, description, isAiSelectable, auditEventId: runtime.newId() },
    ...{ organizationId: caller.organizationId, teamIds: permittedTeamIds(caller, 'tickets:write') },
    ...auditedCall(caller, requestId),
  })
  return updated ?? refuse(tables, caller, id)
}

function checkTexts(update: PriorityUpdate): void {
  refuseViolations([
    ...textViolations('name', update.name, nameLimits),
    ...textViolations('description', update.description, descriptionLimits),
  ])
}

/** Says why no priority could be changed: hidden and missing are one answer, and only what is seen is forbidden. */
async function refuse(tables: Queryable, caller: Caller, id: string): Promise<never> {
  const teamId = await priorities.findTeamOfPriority(tables, id, visibleScope(caller))
  if (teamId !== undefined) requirePermissionIn(caller, teamId, 'tickets:write')
  throw notFound('priority', id)
}
