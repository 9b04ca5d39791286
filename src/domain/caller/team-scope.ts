import type { Tables } from '../../db/tables.js'
import { invalidField, notFound } from '../../errors.js'
import { firstTeamIds } from '../../store/organization.js'
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
 * The JSON of the list of an owner. No list means that the owner does not exist or is hidden from the caller (404);
 * otherwise the permission in its team is checked (403).
 */
export function listOfOwner(
  list: { readonly json: string; readonly teamId: string } | undefined,
  caller: Caller,
  owner: Parameters<typeof notFound>,
  permission: Permission,
): string {
  if (list === undefined) throw notFound(...owner)
  requirePermissionIn(caller, list.teamId, permission)
  return list.json
}
