import type { Tables } from '../db/tables.js'
import { notFound, refuseViolations } from '../errors.js'
import * as resources from '../store/app-resource.js'
import { auditedCall, recordAuditEvents } from './audit/audit-event.js'
import { type Caller, requirePermissionIn, visibleScope } from './caller/caller.js'
import type { Scope } from './caller/scope.js'

/** New values of one resource; absent ones stay as they are, and an empty description or external id clears it. */
export interface AppResourceUpdate {
  readonly id: string
  readonly resourceType?: string | undefined
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly externalId?: string | undefined
  readonly scopedId?: string | undefined
}

/** From so many resources on, a batch takes the database 10 ms or more. */
const LONG_BATCH = 100

/**
 * Changes all of the resources or none, and returns their JSON in the order of the updates (docs/resources.md). Throws
 * `DUPLICATE_ID` for ids that the batch repeats, `RESOURCE_NOT_FOUND` with the index of the first id that is missing or
 * hidden, then `PERMISSION_MISSING` without `apps:write` in the team of one of them; a value that another resource
 * already has violates a unique constraint.
 */
export async function batchUpdateAppResources(scope: Scope, updates: readonly AppResourceUpdate[]): Promise<string> {
  refuseRepeatedIds(updates)
  const { tables, caller, runtime } = scope
  const column = (name: keyof AppResourceUpdate) => updates.map((update) => update[name] ?? null)
  // Made before anything is locked.
  const changes: resources.AppResourceChanges = {
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
    const updated = await resources.updateAppResources(transaction, changes)
    const events = updates.map(({ id }) => ({ ...call, targetId: id, teamId: locked.get(id)?.teamId }))
    await recordAuditEvents(transaction, events, runtime)
    return updated
  }
  return tables.transaction(work, { isLong: updates.length >= LONG_BATCH })
}

function refuseRepeatedIds(updates: readonly AppResourceUpdate[]): void {
  const firstIndexes = new Map<string, number>()
  for (const [index, { id }] of updates.entries()) if (!firstIndexes.has(id)) firstIndexes.set(id, index)
  refuseViolations(
    updates.flatMap(({ id }, index) => {
      const first = firstIndexes.get(id)
      if (first === index) return []
      const description = `repeats resources[${first}].id: name each resource once`
      return [{ field: `resources[${index}].id`, description, reason: 'DUPLICATE_ID' }]
    }),
  )
}

type LockedAppResources = ReadonlyMap<string, resources.LockedAppResource>

/** Locks what a batch changes until the end of the transaction, by id. */
async function lockAppResources(
  transaction: Tables,
  caller: Caller,
  updates: readonly AppResourceUpdate[],
): Promise<LockedAppResources> {
  const ids = updates.map(({ id }) => id)
  const rows = await resources.lockAppResources(transaction, ids, visibleScope(caller))
  const locked = new Map(rows.map((row) => [row.id, row]))
  for (const [index, { id }] of updates.entries()) {
    if (!locked.has(id)) throw notFound('app resource', id, `resources[${index}]`)
  }
  for (const teamId of new Set(rows.map((row) => row.teamId))) requirePermissionIn(caller, teamId, 'apps:write')
  await lockNewNames(transaction, caller.organizationId, locked, updates)
  return locked
}

/**
 * Two transactions that write the same value under a deferrable unique constraint meet only at the end of their
 * statements, and deadlock. So whoever sets a new value first locks the owner within which it must be unique.
 */
async function lockNewNames(
  transaction: Tables,
  organizationId: string,
  locked: LockedAppResources,
  updates: readonly AppResourceUpdate[],
): Promise<void> {
  const differs = (value: string | undefined, stored: string) => value !== undefined && value !== stored
  const teamIds = new Set<string>()
  const appInstanceIds = new Set<string>()
  for (const { id, resourceType, externalId, scopedId } of updates) {
    const row = locked.get(id)
    if (row === undefined) continue
    if (differs(scopedId, row.scopedId)) teamIds.add(row.teamId)
    if (differs(externalId, row.externalId) || differs(resourceType, row.resourceType)) {
      appInstanceIds.add(row.appInstanceId)
    }
  }
  if (teamIds.size + appInstanceIds.size === 0) return
  const owners = { organizationId, teamIds: [...teamIds], appInstanceIds: [...appInstanceIds] }
  await resources.lockOwnersOfAppResources(transaction, owners)
}
