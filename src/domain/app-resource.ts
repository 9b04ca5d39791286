import type { Tables } from '../db/tables.js'
import { type FieldViolation, notFound, refuseViolations } from '../errors.js'
import * as resources from '../store/app-resource.js'
import { type CallEvent, recordCallEvents } from './audit/audit-event.js'
import { type CallContext, type Caller, requirePermissionIn, visibilityOf } from './caller/caller.js'
import { newScopedId, standardResource, withScopedId } from './standard-resource.js'
import { repeats, takenValueOf, takenValueText } from './value/taken-value.js'

/** Resources inside apps. An empty handle of a new one is replaced. `batchUpdateAppResources` updates them. */
export const appResources = standardResource(resources.appResourceStore, { complete: withScopedId('ares') })

/** A resource to create; an empty external id is none, and an empty handle is replaced. */
export interface AppResourceCreation {
  readonly appInstanceId: string
  readonly resourceType: string
  readonly name: string
  readonly description: string
  readonly externalId: string
  readonly tagIds: readonly string[]
  readonly scopedId: string
}

/** From so many resources on, a batch takes the database 10 ms or more. */
const LONG_BATCH = 100

/**
 * Changes all of the resources or none, and returns their JSON in the order of the updates (docs/resources.md). Throws
 * `DUPLICATE_ID` for ids that the batch repeats, `RESOURCE_NOT_FOUND` with the index of the first id that is missing or
 * hidden, then `PERMISSION_MISSING` without `apps:write` in the team of one of them, then whatever the checks of the
 * updates throw, then `EXTERNAL_ID_TAKEN` or `SCOPED_ID_TAKEN`, which name each entry at fault.
 */
export async function batchUpdateAppResources(
  context: CallContext,
  updates: readonly resources.AppResourceUpdate[],
  checks: readonly (((before: resources.LockedAppResource) => void) | undefined)[] = [],
): Promise<string> {
  const ids = updates.map(({ id }) => id)
  refuseViolations(repeats('resources', 'id', ids, 'name each resource once').flat())
  const { tables, caller } = context
  let locked: LockedAppResources = new Map()
  const work = async (transaction: Tables) => {
    locked = await lockAppResources(transaction, caller, updates)
    for (const [index, { id }] of updates.entries()) {
      const before = locked.get(id)
      if (before !== undefined) checks[index]?.(before)
    }
    const updated = await resources.updateAppResources(transaction, caller.organizationId, updates)
    const events = updates.map(({ id }): CallEvent => {
      return { action: 'app_resource.update', targetId: id, teamId: locked.get(id)?.teamId }
    })
    await recordCallEvents(context, transaction, events)
    return updated
  }
  try {
    return await tables.transaction(work, { isLong: updates.length >= LONG_BATCH })
  } catch (error) {
    // The unique constraint judges the batch as a whole and names no entry.
    if (takenValueOf(error) !== undefined) refuseViolations(await takenAfter(tables, caller, locked, updates), error)
    throw error
  }
}

/** A fault for each entry that would have the value of an earlier entry, or of a resource outside the batch. */
async function takenAfter(
  tables: Tables,
  { organizationId }: Caller,
  locked: LockedAppResources,
  updates: readonly resources.AppResourceUpdate[],
): Promise<FieldViolation[]> {
  const rows = updates.flatMap(({ id, ...update }): UniqueValues[] => {
    const before = locked.get(id)
    if (before === undefined) return []
    const { resourceType = before.resourceType, externalId = before.externalId, scopedId = before.scopedId } = update
    return [{ ...before, resourceType, externalId: externalId || null, scopedId }]
  })
  const repeated = repeatedValues(rows).map((fault): FieldViolation => {
    return { ...fault, reason: fault.field.endsWith('.scopedId') ? 'SCOPED_ID_TAKEN' : 'EXTERNAL_ID_TAKEN' }
  })
  return [...repeated, ...(await takenValues(tables, organizationId, rows, locked))]
}

/**
 * Creates all of the resources or none, each in the team of its app instance, and returns them in the order of the
 * entries. Throws `RESOURCE_NOT_FOUND` with the index of the first entry whose app instance is missing or hidden,
 * then `PERMISSION_MISSING` without `apps:write` in the team of one of them, then `DUPLICATE_ID` for values that the
 * batch repeats, then `EXTERNAL_ID_TAKEN` or `SCOPED_ID_TAKEN`, which name each entry at fault.
 */
export async function batchCreateAppResources(
  context: CallContext,
  entries: readonly AppResourceCreation[],
): Promise<resources.NewAppResource[]> {
  const { tables, caller, runtime } = context
  const { organizationId } = caller
  const named = [...new Set(entries.map(({ appInstanceId }) => appInstanceId))]
  const work = async (transaction: Tables) => {
    const { owner } = resources.appResourceStore
    // Not locked yet: batches that took a shared lock first would deadlock when each upgrades its own.
    const teams = new Map(await owner?.findTeams(transaction, { ids: named, ...visibilityOf(caller) }))
    const noInstance = (index: number) =>
      notFound('app instance', entries[index]?.appInstanceId ?? '', `resources[${index}].appInstanceId`)
    const rows = entries.map((entry, index): resources.NewAppResource => {
      const { appInstanceId, resourceType, name, description, externalId, tagIds, scopedId } = entry
      const teamId = teams.get(appInstanceId)
      if (teamId === undefined) throw noInstance(index)
      return {
        id: runtime.newId(),
        appInstanceId,
        resourceType,
        name,
        description,
        externalId: externalId || null,
        tagIds: [...tagIds],
        scopedId: scopedId || newScopedId('ares', runtime),
        teamId,
      }
    })
    const teamIds = [...new Set(teams.values())]
    for (const teamId of teamIds) requirePermissionIn(caller, teamId, 'apps:write')
    refuseViolations(repeatedValues(rows))
    const owners = { organizationId, teamIds, appInstanceIds: named }
    const locked = await resources.lockOwnersOfAppResources(transaction, owners)
    // Deleted since it was found: the foreign key would only be judged by the commit.
    const gone = entries.findIndex(({ appInstanceId }) => !locked.has(appInstanceId))
    if (gone >= 0) throw noInstance(gone)
    refuseViolations(await takenValues(transaction, organizationId, rows))
    await resources.createAppResources(transaction, organizationId, rows)
    const events = rows.map(({ teamId, ...row }): CallEvent => {
      const target = { targetId: row.id, teamId }
      return { action: 'app_resource.create', ...target, changedFields: Object.keys(row) }
    })
    await recordCallEvents(context, transaction, events)
    return rows
  }
  return tables.transaction(work, { isLong: entries.length >= LONG_BATCH })
}

type UniqueValues = Pick<
  resources.NewAppResource,
  'teamId' | 'appInstanceId' | 'resourceType' | 'externalId' | 'scopedId'
>

/** A fault for each value that an earlier entry of a batch has as well. */
function repeatedValues(rows: readonly UniqueValues[]): FieldViolation[] {
  const externalIds = rows.map(({ appInstanceId, resourceType, externalId }) =>
    externalId === null ? undefined : JSON.stringify([appInstanceId, resourceType, externalId]),
  )
  const handles = rows.map(({ teamId, scopedId }) => JSON.stringify([teamId, scopedId]))
  return [
    ...repeats('resources', 'externalId', externalIds, 'it is unique per app instance and resource type').flat(),
    ...repeats('resources', 'scopedId', handles, 'it is unique in the team').flat(),
  ]
}

/** A fault for each value that a resource outside the batch has. */
async function takenValues(
  tables: Tables,
  organizationId: string,
  rows: readonly UniqueValues[],
  batch: LockedAppResources = new Map(),
): Promise<FieldViolation[]> {
  const taken = await resources.takenOfAppResources(tables, { organizationId, rows: JSON.stringify(rows) })
  return taken.flatMap(({ place, holder, field }): FieldViolation[] => {
    if (batch.has(holder)) return []
    const value = field === 'externalId' ? 'external id of resource' : 'short handle of resource'
    const [reason, description] = takenValueText(value)
    return [{ field: `resources[${Number(place) - 1}].${field}`, description, reason }]
  })
}

type LockedAppResources = ReadonlyMap<string, resources.LockedAppResource>

async function lockAppResources(
  transaction: Tables,
  caller: Caller,
  updates: readonly resources.AppResourceUpdate[],
): Promise<LockedAppResources> {
  const ids = updates.map(({ id }) => id)
  const rows = await resources.lockAppResources(transaction, { ids, ...visibilityOf(caller) })
  const locked = new Map(rows.map((row) => [row.id, row]))
  for (const [index, { id }] of updates.entries()) {
    if (!locked.has(id)) throw notFound('app resource', id, `resources[${index}]`)
  }
  for (const teamId of new Set(rows.map((row) => row.teamId))) requirePermissionIn(caller, teamId, 'apps:write')
  await lockNewNames(transaction, caller.organizationId, locked, updates)
  return locked
}

/**
 * Locks the owner within which a new value must be unique. Otherwise two transactions that write the same value under a
 * deferrable unique constraint meet only at the end of their statements, and deadlock.
 */
async function lockNewNames(
  transaction: Tables,
  organizationId: string,
  locked: LockedAppResources,
  updates: readonly resources.AppResourceUpdate[],
): Promise<void> {
  const differs = (value: string | undefined, stored: string) => value !== undefined && value !== stored
  const teamIds = new Set<string>()
  const appInstanceIds = new Set<string>()
  for (const { id, resourceType, externalId, scopedId } of updates) {
    const row = locked.get(id)
    if (row === undefined) continue
    if (differs(scopedId, row.scopedId)) teamIds.add(row.teamId)
    if (differs(externalId, row.externalId ?? '') || differs(resourceType, row.resourceType)) {
      appInstanceIds.add(row.appInstanceId)
    }
  }
  if (teamIds.size + appInstanceIds.size === 0) return
  const owners = { organizationId, teamIds: [...teamIds], appInstanceIds: [...appInstanceIds] }
  await resources.lockOwnersOfAppResources(transaction, owners)
}
