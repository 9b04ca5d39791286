import type { PriorityModel } from '../../gen/prisma/models.js'
import { notFound } from '../errors.js'
import { consecutiveIds } from '../runtime/runtime.js'
import * as store from '../store/priority.js'
import type { PrintedObject } from '../store/resource/print.js'
import { actorOf } from './audit/audit-event.js'
import { type CallContext, permittedTeamIds, requirePermissionIn, visibilityOf } from './caller/caller.js'
import { updateObject } from './standard-methods.js'
import { standardResource, withScopedId } from './standard-resource.js'
import { acceptedVersionsFrom } from './value/entity-tag.js'

/** Priorities of tickets; an empty handle of a new one is replaced. `updatePriority` updates them. */
export const priorities = standardResource(store.priorityStore, { complete: withScopedId('pri') })

/**
 * Changes a priority and returns it. Throws `RESOURCE_NOT_FOUND`, `PERMISSION_MISSING` without
 * `tickets:write` in its team, and `ETAG_MISMATCH`.
 */
export async function updatePriority(
  context: CallContext,
  id: string,
  changes: Partial<Pick<PriorityModel, 'name' | 'description' | 'isAiSelectable'>>,
  requireUnchanged?: (before: PriorityModel) => void,
): Promise<PrintedObject> {
  const { tables, caller, runtime, requestId, ifMatch } = context
  // The version is checked under a lock; without a condition, one statement suffices.
  if (acceptedVersionsFrom(ifMatch) !== undefined || requireUnchanged !== undefined || tables.isDistributed) {
    return updateObject(context, priorities, id, (before) => {
      requireUnchanged?.(before)
      return changes
    })
  }
  const { kind: actorKind, id: actorId, name: actorName } = actorOf(caller)
  const [auditEventId = ''] = consecutiveIds(runtime, 1)
  const updated = await store.updatePriorityAtOnce(tables, {
    id,
    organizationId: caller.organizationId,
    teamIds: permittedTeamIds(caller, 'tickets:write'),
    ...changes,
    auditEventId,
    actorKind,
    actorId,
    actorName,
    requestId,
  })
  if (updated !== undefined) return updated
  // The same error for hidden and missing ones, forbidden only for what is visible.
  const found = await store.priorityStore.find(tables, { id, ...visibilityOf(caller) })
  if (found !== undefined) requirePermissionIn(caller, found.teamId, 'tickets:write')
  throw notFound('priority', id)
}
