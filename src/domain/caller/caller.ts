import type { Tables } from '../../db/tables.js'
import { invalidField, notFound, ServiceError } from '../../errors.js'
import { firstTeamIds } from '../../store/organization.js'

/** Every permission, in the order of the documentation (docs/permissions.md). */
export const permissions = [
  'access:read',
  'access:write',
  'apps:read',
  'apps:write',
  'tickets:read',
  'tickets:write',
  'entities:read',
  'entities:write',
  'users:read',
  'users:write',
  'ingestion:write',
  'audit:read',
] as const

/** What a caller may do. */
export type Permission = (typeof permissions)[number]

/** The kinds of credential that reach the API. */
export type CallerKind = 'organization_api_key' | 'team_api_key' | 'user' | 'worker'

/** How far the permissions of a caller go: over every team of the organization, or team by team. */
export type Reach =
  | { readonly scope: 'organization'; readonly permissions: ReadonlySet<Permission> }
  | { readonly scope: 'teams'; readonly teams: ReadonlyMap<string, ReadonlySet<Permission>> }

/** Who calls. `id` is the id of the key or of the user, `name` its name at the time of the call. */
export interface Caller {
  readonly kind: CallerKind
  readonly id: string
  readonly name: string
  readonly organizationId: string
  readonly reach: Reach
}

/** The ids of the teams that the caller can see; `null` means every team of the organization. */
export function visibleTeamIds(caller: Caller): string[] | null {
  return caller.reach.scope === 'organization' ? null : [...caller.reach.teams.keys()]
}

/** What the caller can see, as stores expect it. */
export function visibleScope(caller: Caller): { organizationId: string; teamIds: string[] | null } {
  return { organizationId: caller.organizationId, teamIds: visibleTeamIds(caller) }
}

/** Whether the caller has the permission in any place at all. */
export function hasPermissionAnywhere(caller: Caller, permission: Permission): boolean {
  if (caller.reach.scope === 'organization') return caller.reach.permissions.has(permission)
  for (const granted of caller.reach.teams.values()) {
    if (granted.has(permission)) return true
  }
  return false
}

/** Whether the caller has the permission in a team of its organization. */
export function hasPermissionIn(caller: Caller, teamId: string, permission: Permission): boolean {
  if (caller.reach.scope === 'organization') return caller.reach.permissions.has(permission)
  return caller.reach.teams.get(teamId)?.has(permission) ?? false
}

/** Refuses, with `permission_denied`, a caller who can see the team but lacks the permission there. */
export function requirePermissionIn(caller: Caller, teamId: string, permission: Permission): void {
  if (!hasPermissionIn(caller, teamId, permission)) throw permissionMissing(permission)
}

/** The error for a permission that the caller lacks. */
export function permissionMissing(permission: string): ServiceError {
  const message = `the permission ${permission} is required: use a credential that has it here`
  return new ServiceError('PERMISSION_MISSING', message, { metadata: { permission } })
}

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
