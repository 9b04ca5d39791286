import type { Store } from '../../db/queryable.js'
import { updateAppResources } from '../../store/app-resource.js'
import { auditedCall, type WriteContext } from '../audit/audit-statement.js'
import type { Caller } from '../caller/caller.js'
import { type AppResourceUpdate, checkAppResourceUpdates } from './app-resource-batch.js'
import { lockAppResources } from './app-resource-lock.js'

/** Something inside an app that access can be given to. `externalId` is empty where unset. */
export interface AppResource {
  readonly id: string
  readonly appInstanceId: string
  readonly resourceType: string
  readonly name: string
  readonly description: string
  readonly externalId: string
  readonly tagIds: string[]
  readonly scopedId: string
}

/**
 * Changes all of the resources or none, and answers them in the order of the updates (docs/resources.md). Throws what
 * `checkAppResourceUpdates` and `lockAppResources` throw; a value that another resource has violates a unique
 * constraint.
 */
export async function batchUpdateAppResources(
  tables: Pick<Store, 'preparedTransaction'>,
  caller: Caller,
  updates: readonly AppResourceUpdate[],
  context: WriteContext,
): Promise<AppResource[]> {
  checkAppResourceUpdates(updates)
  const { runtime, requestId } = context
  const column = (name: keyof AppResourceUpdate) => updates.map((update) => update[name] ?? null)
  const updated = await tables.preparedTransaction(async (transaction) => {
    await lockAppResources(transaction, caller, updates)
    return updateAppResources(transaction, {
      ...{ organizationId: caller.organizationId, ids: updates.map(({ id }) => id) },
      ...{ resourceTypes: column('resourceType'), names: column('name'), descriptions: column('description') },
      ...{ externalIds: column('externalId'), scopedIds: column('scopedId') },
      auditEventIds: updates.map(() => runtime.newId()),
      ...auditedCall(caller, requestId),
    })
  }, context)
  const byId = new Map(updated.map((resource) => [resource.id, resource]))
  return updates.flatMap(({ id }) => byId.get(id) ?? [])
}
