import { notFound } from '../errors.js'
import * as store from '../store/priority.js'
import { actorOf } from './audit/audit-event.js'
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
  const { tables, caller, runtime, requestId, ifMatch } = scope
  const { kind: actorKind, id: actorId, name: actorName } = actorOf(caller)
  const reach = { organizationId: caller.organizationId, teamIds: permittedTeamIds(caller, 'tickets:write') }
  const audited = { auditEventId: runtime.newId(), actorKind, actorId, actorName, requestId }
  const change = { ...update, ...reach, ...audited }
  const write = (queryable: Scope['tables']) => store.updatePriority(queryable, change)
  const accepted = acceptedVersionsFrom(ifMatch)
  // The version is checked under a lock; without a condition, one statement suffices.
  const updated =
    accepted === undefined
      ? await write(tables)
      : await tables.transaction(async (transaction) => {
          const current = await store.priorityStore.lock(transaction, { id, ...reach })
          if (current === undefined) return undefined
          requireAcceptedVersion(accepted, entityTagOf(current.json), { resourceType: 'priority', resourceId: id })
          return write(transaction)
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
