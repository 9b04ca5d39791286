import type { Tables } from '../../db/tables.js'
import { notFound } from '../../errors.js'
import * as resources from '../../store/app-resource.js'
import { type Caller, requirePermissionIn, visibleScope } from '../caller/caller.js'
import type { AppResourceUpdate } from './app-resource-batch.js'

/**
 * Locks what a batch changes until the end of the transaction. Throws `RESOURCE_NOT_FOUND` with the index of the first
 * id that is missing or hidden, then `PERMISSION_MISSING` without `apps:write` in the team of one of them.
 */
export async function lockAppResources(
  transaction: Tables,
  caller: Caller,
  updates: readonly AppResourceUpdate[],
): Promise<resources.LockedAppResource[]> {
  const ids = updates.map(({ id }) => id)
  const rows = await resources.lockAppResources(transaction, ids, visibleScope(caller))
  const byId = new Map(rows.map((row) => [row.id, row]))
  for (const [index, { id }] of updates.entries()) {
    if (!byId.has(id)) throw notFound('app resource', id, `resources[${index}]`)
  }
  for (const teamId of new Set(rows.map((row) => row.teamId))) requirePermissionIn(caller, teamId, 'apps:write')
  await lockNewNames(transaction, caller.organizationId, byId, updates)
  return rows
}

/**
 * Two transactions that write the same value under a deferrable unique constraint meet only at the end of their
 * statements, and deadlock. So whoever sets a new value first locks the owner within which it must be unique.
 */
async function lockNewNames(
  transaction: Tables,
  organizationId: string,
  byId: ReadonlyMap<string, resources.LockedAppResource>,
  updates: readonly AppResourceUpdate[],
): Promise<void> {
  const teamIds = new Set<string>()
  const appInstanceIds = new Set<string>()
  for (const { id, resourceType, externalId, scopedId } of updates) {
    const row = byId.get(id)
    if (row === undefined) continue
    if (differs(scopedId, row.scopedId)) teamIds.add(row.teamId)
    if (differs(externalId, row.externalId) || differs(resourceType, row.resourceType)) {
      appInstanceIds.add(row.appInstanceId)
    }
  }
  if (teamIds.size + appInstanceIds.size === 0) return
  await resources.lockOwnersOfAppResources(transaction, {
    organizationId,
    teamIds: [...teamIds],
    appInstanceIds: [...appInstanceIds],
  })
}

function differs(value: string | undefined, stored: string): boolean {
  return value !== undefined && value !== stored
}
