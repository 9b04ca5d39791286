import type { PreparedTransaction, Store } from '../../db/queryable.js'
import type { WriteContext } from '../../runtime/write-context.js'
import { type AppResourceChanges, updateAppResources } from '../../store/app-resource.js'
import { auditedCall } from '../audit/audit-statement.js'
import type { Caller } from '../caller/caller.js'
import { type AppResourceUpdate, refuseRepeatedIds } from './app-resource-batch.js'
import { lockAppResources } from './app-resource-lock.js'

/** From so many resources on, a batch takes the database 10 ms or more. */
const LONG_BATCH = 100

/**
 * Changes all of the resources or none, and returns their JSON in the order of the updates (docs/resources.md). Throws
 * what `refuseRepeatedIds` and `lockAppResources` throw; a value that another resource already has violates a unique
 * constraint.
 */
export async function batchUpdateAppResources(
  tables: Pick<Store, 'preparedTransaction'>,
  caller: Caller,
  updates: readonly AppResourceUpdate[],
  context: WriteContext,
): Promise<string> {
  refuseRepeatedIds(updates)
  const { runtime, requestId } = context
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
    auditEventIds: updates.map(() => runtime.newId()),
    ...auditedCall(caller, requestId),
  }
  const work = async (transaction: PreparedTransaction) => {
    await lockAppResources(transaction, caller, updates)
    return updateAppResources(transaction, changes)
  }
  return tables.preparedTransaction(work, { ...context, isLong: updates.length >= LONG_BATCH })
}
