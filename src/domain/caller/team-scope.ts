import type { Tables } from '../../db/tables.js'
import { invalidField, notFound } from '../../errors.js'
import { firstTeamIds } from '../../store/team.js'
import { type Caller, hasPermissionIn, type Permission, requirePermissionIn, visibleTeamIds } from './caller.js'

/**
 * The team that a list is about: the one that the request names, otherwise the only one that the caller reaches
 * (docs/resources.md). Throws `TEAM_REQUIRED` for callers that reach several, or none. Does not check whether the team
 * exists.
 */
export async function teamIdFor(tables: Tables, caller: Caller, requested: string): Promise<string> {
  if (requested !== '') return requested
  const [only, ...others] = visibleTeamIds(caller) ?? (await firstTeamIds(tables, caller.organizationId, 2))
  if (only !== undefined && others.length === 0) return only
  throw invalidField(
    'teamId',
    'is required unless the caller has access to exactly one team: send the id of a team',
    'TEAM_REQUIRED',
  )
}

/** Ids of the teams in which the caller has the permission; `null` means every team of the organization. */
export function permittedTeamIds(caller: Caller, permission: Permission): string[] | null {
  const { reach } = caller
  if (reach.scope === 'organization') return reach.permissions.has(permission) ? null : []
  return [...reach.teams.keys()].filter((teamId) => hasPermissionIn(caller, teamId, permission))
}

/**
 * The JSON of a list that was selected within a team. No list means that the team does not exist or is hidden from the
 * caller (404); otherwise the permission in the team is checked (403).
 */
export function listOfTeam(
  list: { readonly json: string } | undefined,
  caller: Caller,
  teamId: string,
  permission: Permission,
): string {
  if (list === undefined) throw notFound('team', teamId)
  requirePermissionIn(caller, teamId, permission)
  return list.json
}
