import { selectKeysOfTokens, selectMembersOfTokens, type TokenKey, type TokenMember } from '../../store/token-holder.js'
import { type Caller, type CallerKind, type Permission, permissions, type Reach } from '../caller/caller.js'
import { reachOfUser } from '../caller/role.js'
import { ACCESS_TOKEN_PREFIX, USER_TOKEN_PREFIX } from './bearer-token.js'
import type { KeyUses } from './key-use.js'
import type { OidcSignIn, SignInCall } from './oidc-sign-in.js'
import { createTokenLookups, type TokenLookupOptions } from './token-lookup.js'

/**
 * Finds who holds a bearer token; undefined if it is not accepted, for whatever reason except one: `expired` for a
 * token that would still be accepted if it had not expired within the last day.
 */
export type Authenticate = (bearerToken: string, call?: SignInCall) => Promise<Caller | 'expired' | undefined>

/** What authentication depends on. */
export interface AuthenticatorOptions extends TokenLookupOptions {
  readonly keyUses: KeyUses
  /** Finds the holders of the tokens of the OpenID Connect issuer, if there is one. */
  readonly oidc?: OidcSignIn | undefined
}

/**
 * Makes the authenticator. It asks the database again for every call and caches nothing, so a revocation takes effect
 * in every process as soon as it is committed; calls that arrive together share a statement. A token with a forged
 * organization is refused without asking. Secrets of keys are not bearer tokens. Throws if the database fails, or the
 * issuer of a JWT cannot be asked.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticate {
  const { keyUses, oidc } = options
  const createTokenLookup = createTokenLookups(options)
  const findKey = createTokenLookup(ACCESS_TOKEN_PREFIX, selectKeysOfTokens)
  const findMember = createTokenLookup(USER_TOKEN_PREFIX, selectMembersOfTokens)
  return async (bearerToken, call) => {
    if (bearerToken.startsWith(ACCESS_TOKEN_PREFIX)) {
      const key = await findKey(bearerToken)
      if (key === undefined || key.isExpired) return key && 'expired'
      if (key.useIsDue) keyUses.note({ organizationId: key.organizationId, id: key.id })
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

function callerOfKey(key: TokenKey): Caller {
  const { id, name, organizationId, teamId, permissions: granted } = key
  return { kind: callerKindOf(key), id, name, organizationId, reach: reachOfKey(teamId, granted) }
}

function callerKindOf({ kind, teamId }: TokenKey): CallerKind {
  if (kind === 'wk') return 'worker'
  return teamId === null ? 'organization_api_key' : 'team_api_key'
}

function reachOfKey(teamId: string | null, granted: readonly string[]): Reach {
  const known: ReadonlySet<Permission> = new Set(permissions.filter((permission) => granted.includes(permission)))
  return teamId === null
    ? { scope: 'organization', permissions: known }
    : { scope: 'teams', teams: new Map([[teamId, known]]) }
}

function callerOfMember({ userId: id, name, organizationId, role, teamRoles }: TokenMember): Caller {
  return { kind: 'user', id, name, organizationId, reach: reachOfUser(role, teamRoles) }
}
