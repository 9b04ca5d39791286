import { notFound } from '../errors.js'
import * as store from '../store/priority.js'
import { auditedCall, recordAuditEvents } from './audit/audit-event.js'
import { permittedTeamIds, requirePermissionIn, visibleScope } from './caller/caller.js'
import type { Scope } from './caller/scope.js'
import { standardResource } from './standard-resource.js'
import { acceptedVersionsFrom, entityTagOf, requireAcceptedVersion } from './value/entity-tag.js'
import { newScopedId } from './value/scoped-id.js'

/** Priorities of tickets; an empty handle of a new one is replaced. `updatePriority` updates them. */
export const priorities = standardResource(store.priorityStore, {
  complete: (given, { runtime }) => ({ ...given, scopedId: given['scopedId'] || newScopedId('pri', runtime) }),
})

/** New values of a priority; what is absent stays as it is. */
export interface PriorityUpdate {
  readonly id: string
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly isAiSelectable?: boolean | undefined
}

/**
 * Changes a priority and returns its JSON after the change. Throws `RESOURCE_NOT_FOUND`, `PERMISSION_MISSING` without
 * `tickets:write` in its team, and `ETAG_MISMATCH`.
 */
export async function updatePriority(scope: Scope, update: PriorityUpdate): Promise<string> {
  const { id } = update
  const { tables, caller, runtime, ifMatch } = scope
  const reach = { organizationId: caller.organizationId, teamIds: permittedTeamIds(caller, 'tickets:write') }
  const accepted = acceptedVersionsFrom(ifMatch)
  const updated = await tables.transaction(async (transaction) => {
    if (accepted !== undefined) {
      const current = await store.priorityStore.lock(transaction, { id, ...reach })
      if (current === undefined) return undefined
      requireAcceptedVersion(accepted, entityTagOf(current.json), { resourceType: 'priority', resourceId: id })
    }
    const changed = await store.updatePriority(transaction, { ...update, ...reach })
    if (changed === undefined) return undefined
    const { json, teamId, changedFields } = changed
    const event = { action: 'priority.update', targetType: 'priority', targetId: id, teamId, changedFields } as const
    await recordAuditEvents(transaction, [{ ...auditedCall(scope), ...event }], runtime)
    return json
  })
  return updated ?? refuse(scope, id)
}

/**
 * Throws why no priority was changed: the same error for hidden and missing ones, forbidden only for what is visible.
 */
async function refuse({ tables, caller }: Scope, id: string): Promise<never> {
  const found = await store.priorityStore.find(tables, { id, ...visibleScope(caller) })
  if (found !== undefined) requirePermissionIn(caller, found.teamId, 'tickets:write')
  throw notFound('priority', id)
}
