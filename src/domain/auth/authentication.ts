import type { TeamUserRole, UserRole } from '../../../gen/prisma/enums.js'
import {
  type AssignedRole,
  findManagementKeys,
  selectKeysOfTokens,
  selectMembersOfTokens,
  type TokenKey,
  type TokenMember,
} from '../../store/token-holder.js'
import { type Caller, type Permission, permissions, type Reach } from '../caller/caller.js'
import { inspectApiKeySecret } from './api-key-secret.js'
import { ACCESS_TOKEN_PREFIX, type CredentialTools, USER_TOKEN_PREFIX } from './bearer-token.js'
import type { OidcSignIn, SignInCall } from './oidc.js'
import { createOrganizationSearch, createTokenLookup } from './token-lookup.js'

export type Authenticate = ReturnType<typeof createAuthenticator>

/**
 * Makes the authenticator. It returns the caller; `expired` for a token that would be accepted if it had not expired
 * within the last day; and undefined for any other token, whatever the reason. It queries the database for every call
 * and caches only the organizations of tokens, which never change, so a revocation takes effect in every process as
 * soon as it is committed; concurrent calls share a statement. A token with a forged organization is refused without a
 * query. Secrets of keys are not bearer tokens. `oidc` finds the holders of tokens of the OpenID Connect issuer, if one
 * is configured. Throws if the database fails, or the issuer of a JWT cannot be reached.
 */
export function createAuthenticator(
  options: Omit<CredentialTools, 'runtime'> & { readonly oidc?: OidcSignIn | undefined },
) {
  const { bearerTokens, keyUses, oidc } = options
  const ofKeys = (token: string) => bearerTokens.organizationOf(ACCESS_TOKEN_PREFIX, token)
  const findKey = createTokenLookup(options, ofKeys, selectKeysOfTokens)
  const ofMembers = (token: string) => bearerTokens.organizationOf(USER_TOKEN_PREFIX, token)
  const findMember = createTokenLookup(options, ofMembers, selectMembersOfTokens)
  return async (bearerToken: string, call?: SignInCall): Promise<Caller | 'expired' | undefined> => {
    if (bearerToken.startsWith(ACCESS_TOKEN_PREFIX)) {
      const key = await findKey(bearerToken)
      if (key === undefined || key.isExpired) return key && 'expired'
      keyUses.note(key)
      return callerOfKey(key)
    }
    if (bearerToken.startsWith(USER_TOKEN_PREFIX)) {
      const member = await findMember(bearerToken)
      return member?.isExpired === true ? 'expired' : member && callerOfMember(member)
    }
    const holder = await oidc?.(bearerToken, call)
    return holder === 'expired' ? holder : holder && callerOfMember(holder)
  }
}

/** The connection of an identity provider: the organization that it supplies, and the key that it writes with. */
export interface Directory {
  readonly organizationId: string
  readonly keyId: string
  readonly name: string
}

export type FindDirectory = ReturnType<typeof createManagementKeys>

/**
 * Makes the look-up of management keys. It returns undefined for any other text and for revoked keys, `expired` for an
 * expired one, and asks the database for every call, as the authenticator does.
 */
export function createManagementKeys(options: Omit<CredentialTools, 'bearerTokens'>) {
  const { keyUses, runtime } = options
  const searchOrganization = createOrganizationSearch(options)
  const find = createTokenLookup(options, (_, hashes) => searchOrganization(hashes), findManagementKeys)
  return async (secret: string): Promise<Directory | 'expired' | undefined> => {
    const inspected = inspectApiKeySecret(secret)
    const key = inspected.ok && inspected.kind === 'mk' ? await find(secret) : undefined
    if (key === undefined) return undefined
    const { organizationId, id: keyId, name, expiresAt } = key
    if (expiresAt !== null && expiresAt <= runtime.now()) return 'expired'
    keyUses.note(key)
    return { organizationId, keyId, name }
  }
}

function callerOfKey(key: TokenKey): Caller {
  const { id, name, organizationId, teamId, permissions: granted, expiresAt, keyExpiresAt } = key
  const ofApiKey = teamId === null ? 'ORGANIZATION_API_KEY' : 'TEAM_API_KEY'
  const kind = key.kind === 'wk' ? 'WORKER_TOKEN' : ofApiKey
  const reach = reachOfKey(teamId, granted)
  return { kind, id, name, organizationId, reach, expiresAt, rightEnd: keyExpiresAt ?? undefined }
}

export function reachOfKey(teamId: string | null, granted: readonly string[]): Reach {
  const known: ReadonlySet<Permission> = new Set(permissions.filter((permission) => granted.includes(permission)))
  return teamId === null
    ? { scope: 'organization', permissions: known }
    : { scope: 'teams', teams: new Map([[teamId, known]]) }
}

function callerOfMember(member: TokenMember): Caller {
  const { userId: id, name, organizationId, role, teamRoles, expiresAt } = member
  const reach = reachOfUser(role, teamRoles)
  const ending = reach.scope === 'teams' ? teamRoles.filter((each) => each.expiresAt !== null) : []
  const rightEnd = new Map(ending.map((each) => [each.teamId, new Date(each.expiresAt ?? 0)]))
  return { kind: 'USER_TOKEN', id, name, organizationId, reach, expiresAt, rightEnd }
}

const all: ReadonlySet<Permission> = new Set(permissions)
const reads = permissions.filter((permission) => permission.endsWith(':read'))
const readAll: ReadonlySet<Permission> = new Set(reads)

/** The permissions that a role in a team gives there (docs/permissions.md). */
export const teamRolePermissions: Readonly<Record<TeamUserRole, ReadonlySet<Permission>>> = {
  MANAGER: all,
  BUILDER: new Set<Permission>([...reads, 'access:write', 'apps:write']),
  AGENT: new Set<Permission>([...reads, 'tickets:write']),
  CONTRIBUTOR: readAll,
  VIEWER: readAll,
}

/**
 * How far a person's permissions reach: an administrator's over the organization, a member's as the team roles say, a
 * guest's to the reads of the team roles.
 */
export function reachOfUser(role: UserRole, teamRoles: readonly Pick<AssignedRole, 'teamId' | 'role'>[]): Reach {
  if (role === 'ORG_ADMIN') return { scope: 'organization', permissions: all }
  const teams = new Map<string, ReadonlySet<Permission>>()
  for (const { teamId, role: teamRole } of teamRoles) {
    teams.set(teamId, role === 'ORG_GUEST' ? readAll : teamRolePermissions[teamRole])
  }
  return { scope: 'teams', teams }
}
