import type { Sql } from '../db/sql.js'
import { invalidField, notFound } from '../errors.js'
import { type Caller, hasPermissionIn, type Permission, requirePermissionIn, visibleTeamIds } from './caller.js'

/**
 * The team that a list is about: the one that the request names, else the only one that the caller reaches (decisions,
 * section 7). Throws `TEAM_REQUIRED` for callers that reach several, or none. Whether the team exists is not judged.
 */
export async function teamIdFor(sql: Sql, caller: Caller, requested: string): Promise<string> {
  if (requested !== '') return requested
  const [only, ...others] = visibleTeamIds(caller) ?? (await firstTeamIds(sql, caller.organizationId))
  if (only !== undefined && others.length === 0) return only
  throw invalidField('teamId', 'is required: the caller reaches several teams', 'TEAM_REQUIRED')
}

/** Two ids tell whether there is more than one. */
async function firstTeamIds(sql: Sql, organizationId: string): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    'SELECT id FROM teams WHERE organization_id = $1 LIMIT 2',
    [organizationId],
    'first_team_ids',
  )
  return rows.map(({ id }) => id)
}

/** Ids of the teams in which the caller has the permission; `null` is every team of the organization. */
export function permittedTeamIds(caller: Caller, permission: Permission): string[] | null {
  const { reach } = caller
  if (reach.scope === 'organization') return reach.permissions.has(permission) ? null : []
  return [...reach.teams.keys()].filter((teamId) => hasPermissionIn(caller, teamId, permission))
}

/** A row of a list that starts at its owner: one row with nothing but nulls where the owner exists and the list is empty. */
export type OptionalRow<Row> = Row | { readonly [Column in keyof Row]: null }

/**
 * The rows of a list that was selected from its team with an outer join. No row at all is a team that does not exist or
 * is hidden from the caller (404); then the permission there is judged (403).
 */
export function rowsOfTeam<Row extends { readonly id: string }>(
  rows: readonly OptionalRow<Row>[],
  caller: Caller,
  teamId: string,
  permission: Permission,
): Row[] {
  if (rows.length === 0) throw notFound('team', teamId)
  requirePermissionIn(caller, teamId, permission)
  return rows.filter((row): row is Row => row.id !== null)
}
