import type { Sql } from '../db/sql.js'
import { notFound } from '../errors.js'
import type { AppResourceUpdate } from './app-resource-batch.js'
import { type Caller, requirePermissionIn, visibleTeamIds } from './caller.js'

interface LockedResource {
  readonly id: string
  readonly teamId: string
  readonly appInstanceId: string
  readonly resourceType: string
  readonly externalId: string
  readonly scopedId: string
}

/** In id order, so that batches that share rows wait for each other instead of deadlocking. */
const lockResources = `
SELECT id, team_id AS "teamId", app_instance_id AS "appInstanceId", resource_type AS "resourceType",
       coalesce(external_id, '') AS "externalId", scoped_id AS "scopedId"
  FROM app_resources
 WHERE organization_id = $1 AND id = ANY ($2) AND ($3::text[] IS NULL OR team_id = ANY ($3))
 ORDER BY id
   FOR UPDATE`

/** After the resources, and teams before app instances: everyone waits in one order. */
const lockOwners = `
WITH owning_teams AS MATERIALIZED (
  SELECT id FROM teams WHERE organization_id = $1 AND id = ANY ($2) ORDER BY id FOR NO KEY UPDATE
)
SELECT id FROM app_instances
 WHERE organization_id = $1 AND id = ANY ($3) AND (SELECT count(*) FROM owning_teams) >= 0
 ORDER BY id
   FOR NO KEY UPDATE`

/**
 * Locks what a batch changes until the end of the transaction. Throws `RESOURCE_NOT_FOUND` with the index of the first id
 * that is missing or hidden, then `PERMISSION_MISSING` without `apps:write` in the team of one of them.
 */
export async function lockAppResources(sql: Sql, caller: Caller, updates: readonly AppResourceUpdate[]): Promise<void> {
  const rows = await sql.query<LockedResource>(
    lockResources,
    [caller.organizationId, updates.map(({ id }) => id), visibleTeamIds(caller)],
    'lock_app_resources',
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  for (const [index, { id }] of updates.entries()) {
    if (!byId.has(id)) throw notFound('app resource', id, `resources[${index}]`)
  }
  for (const teamId of new Set(rows.map((row) => row.teamId))) requirePermissionIn(caller, teamId, 'apps:write')
  await lockNewNames(sql, caller.organizationId, byId, updates)
}

/**
 * Two transactions that write one value under a deferrable unique constraint find each other at the end of their
 * statements and deadlock. Who takes a new value therefore holds what the value has to be unique in.
 */
async function lockNewNames(
  sql: Sql,
  organizationId: string,
  byId: ReadonlyMap<string, LockedResource>,
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
  await sql.query(lockOwners, [organizationId, [...teamIds], [...appInstanceIds]], 'lock_owners_of_app_resources')
}

function differs(value: string | undefined, stored: string): boolean {
  return value !== undefined && value !== stored
}
