import type { Store } from '../../db/queryable.js'
import type { WriteContext } from '../../runtime/write-context.js'
import { updateAppResources } from '../../store/app-resource.js'
import { auditedCall } from '../audit/audit-statement.js'
import type { Caller } from '../caller/caller.js'
import { type AppResourceUpdate, refuseRepeatedIds } from './app-resource-batch.js'
import { lockAppResources } from './app-resource-lock.js'

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
  return tables.preparedTransaction(async (transaction) => {
    await lockAppResources(transaction, caller, updates)
    return updateAppResources(transaction, {
      organizationId: caller.organizationId,
      ids: updates.map(({ id }) => id),
      resourceTypes: column('resourceType'),
      names: column('name'),
      descriptions: column('description'),
      externalIds: column('externalId'),
      scopedIds: column('scopedId'),
      auditEventIds: updates.map(() => runtime.newId()),
      ...auditedCall(caller, requestId),
    })
  }, context)
}
