import type { Tables } from '../../db/tables.js'
import { type AppResourceChanges, updateAppResources } from '../../store/app-resource.js'
import { auditedCall, recordAuditEvents } from '../audit/audit-event.js'
import type { Scope } from '../caller/scope.js'
import { type AppResourceUpdate, refuseRepeatedIds } from './app-resource-batch.js'
import { lockAppResources } from './app-resource-lock.js'

/** From so many resources on, a batch takes the database 10 ms or more. */
const LONG_BATCH = 100

/**
 * Changes all of the resources or none, and returns their JSON in the order of the updates (docs/resources.md). Throws
 * what `refuseRepeatedIds` and `lockAppResources` throw; a value that another resource already has violates a unique
 * constraint.
 */
export async function batchUpdateAppResources(scope: Scope, updates: readonly AppResourceUpdate[]): Promise<string> {
  refuseRepeatedIds(updates)
  const { tables, caller, runtime } = scope
  const column = (name: keyof AppResourceUpdate) => updates.map((update) => update[name] ?? null)
  // Made before anything is locked.
  const changes: AppResourceChanges = {
    organizationId: caller.organizationId,
    ids: updates.map(({ id }) => id),
    resourceTypes: column('resourceType'),
    names: column('name'),
    descriptions: column('description'),
    externalIds: column('externalId'),
    scopedIds: column('scopedId'),
  }
  const call = { ...auditedCall(scope), action: 'app_resource.update', targetType: 'app_resource' } as const
  const work = async (transaction: Tables) => {
    const locked = await lockAppResources(transaction, caller, updates)
    const updated = await updateAppResources(transaction, changes)
    const teamIds = new Map(locked.map(({ id, teamId }) => [id, teamId]))
    const events = updates.map(({ id }) => ({ ...call, targetId: id, teamId: teamIds.get(id) }))
    await recordAuditEvents(transaction, events, runtime)
    return updated
  }
  return tables.transaction(work, { isLong: updates.length >= LONG_BATCH })
}
