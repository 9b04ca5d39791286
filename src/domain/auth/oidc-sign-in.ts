import type { Tables } from '../../db/tables.js'
import { ServiceError } from '../../errors.js'
import { findMembersOfEmail, type TokenMember } from '../../store/token-holder.js'
import { emailKeyOf } from '../value/email-address.js'
import { createOidcVerifier, type OidcIdentity, type OidcOptions, type OidcRefusal } from './oidc.js'

/** Why a JWT opens nothing, in the words of the log. */
export type JwtRefusal =
  | OidcRefusal
  | 'issuer unreachable'
  | 'unknown person'
  | 'unknown organization or person'
  | 'deactivated person'
  | 'ambiguous address'

/** What signing in is told about a call. */
export interface SignInCall {
  readonly requestId?: string | undefined
  readonly traceparent?: string | undefined
}

/**
 * Finds the member whom a JWT names; undefined if it is not accepted, for whatever reason except one: `expired` for a
 * genuine token that is too old. Throws `SERVICE_UNAVAILABLE` while no keys of the issuer are cached.
 */
export type OidcSignIn = (token: string, call?: SignInCall) => Promise<TokenMember | 'expired' | undefined>

/** What signing in depends on. */
export interface OidcSignInOptions extends OidcOptions {
  readonly database: Tables
  /** Where it is logged why a JWT is refused, which its sender is not told. */
  readonly log: OidcOptions['log'] & {
    info(fields: { readonly requestId: string | undefined; readonly refusal: JwtRefusal }, message: string): void
  }
}

/** Makes the sign-in with JWTs. Nothing of a token reaches the database before it is verified. */
export function createOidcSignIn(options: OidcSignInOptions): OidcSignIn {
  const { database, log } = options
  const verify = createOidcVerifier(options)
  return async (token, { requestId, traceparent } = {}) => {
    const verdict = await verify(token, traceparent)
    if (verdict === undefined) return undefined
    const refuse = (refusal: JwtRefusal) => log.info({ requestId, refusal }, 'a JWT is refused')
    if (verdict.kind === 'issuer unreachable') {
      refuse(verdict.kind)
      const { retryAfterSeconds } = verdict
      throw new ServiceError('SERVICE_UNAVAILABLE', 'the token cannot be verified at the moment; try again', {
        retryAfterSeconds,
      })
    }
    const member = verdict.kind === 'refused' ? verdict.refusal : await findMember(database, verdict.identity)
    if (typeof member !== 'string') return member
    refuse(member)
    return member === 'expired' ? member : undefined
  }
}

/**
 * The member whom an address names: in one organization the member who has it, otherwise the oldest active membership
 * of the only person who has it. An organization that gives it to another person, active or not, makes it ambiguous,
 * and so cannot take anyone's tokens.
 */
async function findMember(
  database: Tables,
  { email, organizationId }: OidcIdentity,
): Promise<TokenMember | JwtRefusal> {
  const members = await findMembersOfEmail(database, { emailKey: emailKeyOf(email), organizationId })
  const [member] = members
  if (member === undefined) return organizationId === undefined ? 'unknown person' : 'unknown organization or person'
  if (members.some(({ userId }) => userId !== member.userId)) return 'ambiguous address'
  return member.isActive ? member : 'deactivated person'
}
