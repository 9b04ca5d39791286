import type { TeamUserRole } from '../../../gen/prisma/enums.js'
import type { Tables, UserTables } from '../../db/tables.js'
import { invalidField, ServiceError } from '../../errors.js'
import type { WriteContext } from '../../runtime/runtime.js'
import { findTeams } from '../../store/organization.js'
import { findMemberRoles } from '../../store/team-member.js'
import type { PageTokens } from '../value/page-token.js'

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
  'teams:read',
  'teams:write',
  'ingestion:write',
  'audit:read',
  'webhooks:read',
  'webhooks:write',
  'keys:read',
  'keys:write',
] as const

export type Permission = (typeof permissions)[number]

/** All that a key can have: no key makes keys. */
export const keyPermissions: readonly Permission[] = permissions.filter((each) => !each.startsWith('keys:'))

/** The kinds of credential that reach the API: the values of `svc.v2.CredentialKind` without their prefix. */
export type CallerKind = 'ORGANIZATION_API_KEY' | 'TEAM_API_KEY' | 'USER_TOKEN' | 'WORKER_TOKEN'

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
  readonly expiresAt?: Date | undefined
  /** When its rights end: those of a key everywhere, those of a person by team. Absent ones do not end. */
  readonly rightEnd?: Date | ReadonlyMap<string, Date> | undefined
}

export interface CallContext extends WriteContext, Pick<UserTables, 'reads' | 'readSnapshot'> {
  /**
   * The tables for the call, whose end ends their statements. With an `Idempotency-Key`, they are those of the
   * transaction that stores the response.
   */
  readonly tables: Tables
  readonly pageTokens: PageTokens
  readonly caller: Caller
  /** Releases the place among the running calls, so that others can run until the caller is admitted again. */
  readonly release: () => void
  /** Admits the caller again, as of now. Throws what admission throws. */
  readonly reacquire: () => Promise<CallContext>
}

/** The ids of the teams that the caller can see; `null` means every team of the organization. */
export function visibleTeamIds(caller: Caller): string[] | null {
  return caller.reach.scope === 'organization' ? null : [...caller.reach.teams.keys()]
}

export function visibilityOf(caller: Caller): { organizationId: string; teamIds: string[] | null } {
  return { organizationId: caller.organizationId, teamIds: visibleTeamIds(caller) }
}

/**
 * Whether the caller can see what belongs to a team of its organization, or, without one, to the organization itself.
 */
export function canSee({ reach }: Caller, teamId: string | null): boolean {
  return reach.scope === 'organization' || (teamId !== null && reach.teams.has(teamId))
}

/** Whether the caller has the permission in any place at all. */
export function hasPermissionAnywhere(caller: Caller, permission: Permission): boolean {
  return permittedTeamIds(caller, permission)?.length !== 0
}

/**
 * Whether the caller has the permission in a team of its organization, or, without one, over the whole organization.
 * People belong to the organization, not to a team, so the permissions of a team role or a team key do not cover them
 * (docs/field-ownership.md).
 */
export function hasPermissionIn(
  { reach }: Pick<Caller, 'reach'>,
  teamId: string | null,
  permission: Permission,
): boolean {
  if (reach.scope === 'organization') return reach.permissions.has(permission)
  return teamId !== null && (reach.teams.get(teamId)?.has(permission) ?? false)
}

/**
 * When the rights of the caller end in a team, or, without one, over the whole organization: nothing that they give
 * lasts longer. Null if they do not end.
 */
export function rightEndIn({ rightEnd }: Caller, teamId: string | null): Date | null {
  return (rightEnd instanceof Date ? rightEnd : rightEnd?.get(teamId ?? '')) ?? null
}

/** Refuses, with `permission_denied`, a caller who lacks the permission in a team, or in the whole organization. */
export function requirePermissionIn(caller: Caller, teamId: string | null, permission: Permission): void {
  if (!hasPermissionIn(caller, teamId, permission)) throw permissionMissing(permission)
}

/** Whether the caller is an administrator, or an organization key with all that a key can have. */
export function isAdministrator({ kind, reach }: Caller): boolean {
  if (kind === 'WORKER_TOKEN' || reach.scope !== 'organization') return false
  return keyPermissions.every((permission) => reach.permissions.has(permission))
}

/** Refuses a caller who lacks, over the organization, a write permission that a key can have. */
export function requireWriter({ reach }: Caller): void {
  const granted: ReadonlySet<Permission> = reach.scope === 'organization' ? reach.permissions : new Set()
  const missing = keyPermissions.find((permission) => permission.endsWith(':write') && !granted.has(permission))
  if (missing !== undefined) throw permissionMissing(missing)
}

export function administratorMissing(action: string): ServiceError {
  return new ServiceError(
    'PERMISSION_MISSING',
    `only administrators and organization API keys with every permission can ${action}: use such a credential`,
    { metadata: { permission: 'USER_ROLE_ORG_ADMIN' } },
  )
}

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
  const { organizationId } = caller
  const [only, ...others] =
    visibleTeamIds(caller) ?? (await findTeams(tables, { organizationId }, 2)).map(({ id }) => id)
  if (only !== undefined && others.length === 0) return only
  throw invalidField(
    'teamId',
    'is required unless the caller has access to exactly one team: send the id of a team, or - for every team',
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
 * Describes the caller of a call: its role, which keys do not have, the permissions that it has for the whole
 * organization, and the teams in which a user has a role, or the team of a key, with the permissions there.
 */
export async function getCaller({ tables, caller, runtime }: CallContext) {
  const { kind, organizationId, id: userId, reach } = caller
  const member =
    kind === 'USER_TOKEN' ? await findMemberRoles(tables, { organizationId, userId, now: runtime.now() }) : null
  const teams: readonly { readonly id: string; readonly name: string; readonly role?: TeamUserRole }[] =
    member?.teamRoles.map(({ role, team }) => ({ ...team, role })) ??
    (await findTeams(tables, { organizationId, ids: visibleTeamIds(caller) ?? [] }))
  return {
    ...caller,
    role: member?.role,
    permissions: permissions.filter((each) => reach.scope === 'organization' && reach.permissions.has(each)),
    teams: teams.map(({ id: teamId, name, role }) => {
      return { teamId, name, role, permissions: permissions.filter((each) => hasPermissionIn(caller, teamId, each)) }
    }),
  }
}
