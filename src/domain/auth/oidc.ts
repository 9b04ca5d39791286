import type { JWTPayload, JWTVerifyGetKey } from 'jose'
import type { Tables } from '../../db/tables.js'
import { ServiceError } from '../../errors.js'
import { findMembersOfEmail, type TokenMember } from '../../store/token-holder.js'
import { emailKeyOf } from '../value/email-address.js'
import { createIssuerKeys, type IssuerKeysOptions } from './issuer-keys.js'

export interface OidcIdentity {
  readonly email: string
  /** The organization that the token names, otherwise the configured one for tokens that name none, if any. */
  readonly organizationId: string | undefined
  readonly issuedAt: Date | undefined
  readonly expiresAt: Date
}

/** Why a JWT opens nothing, in the words of the log. */
export type JwtRefusal =
  | 'malformed'
  | 'other issuer'
  | 'unknown key'
  | 'unusable key'
  | 'wrong signature'
  | 'other audience'
  | 'no expiry'
  | 'not yet valid'
  | 'expired'
  | 'no verified address'
  | 'malformed organization'
  | 'issuer unreachable'
  | 'unknown person'
  | 'unknown organization or person'
  | 'deactivated person'
  | 'ended session'
  | 'ambiguous address'

export interface OidcOptions extends IssuerKeysOptions {
  readonly audience: string
  /** The organization of tokens that name none. */
  readonly organization?: string | undefined
  /** The claim with the address. */
  readonly emailClaim: string
  /** The claim that says whether the address is verified. */
  readonly emailVerifiedClaim: string
}

/** Only asymmetric algorithms: with `none` or a shared secret, anyone who can read the keys could sign. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
/** The last moment that has a form in RFC 3339: some issuers let tokens without an end expire after it. */
const LAST_MOMENT = Date.parse('9999-12-31T23:59:59.999Z')
/** How far the clock of the issuer may be off, in seconds. */
const CLOCK_TOLERANCE_SECONDS = 30

const tokenForm = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/

/**
 * Makes the verifier of the issuer's tokens. It returns undefined for a text that cannot be a JWT. Fetches that a token
 * causes carry its `traceparent` (W3C Trace Context). Throws `SERVICE_UNAVAILABLE` while the key of the token cannot be
 * known.
 */
export function createOidcVerifier(options: OidcOptions) {
  const { issuer, audience, runtime } = options
  const keys = createIssuerKeys(options)
  return async (token: string, traceparent?: string): Promise<OidcIdentity | JwtRefusal | undefined> => {
    if (!tokenForm.test(token)) return undefined
    // Loaded only if an issuer is configured: most services have none, and would start more slowly.
    const { decodeJwt, errors, jwtVerify } = await import('jose')
    const expected = {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: runtime.now(),
      requiredClaims: ['exp'],
    }
    let used: JWTVerifyGetKey | undefined
    const cachedKey: JWTVerifyGetKey = async (header, jws) => {
      used = await keys.current(traceparent)
      return used(header, jws)
    }
    const verifyToken = () =>
      jwtVerify(token, cachedKey, expected).catch(async (cause: unknown) => {
        if (!(cause instanceof errors.JWKSMultipleMatchingKeys)) throw cause
        // It does not name its key, so any of those that fit may be it (RFC 7515 section 4.1.4).
        for await (const key of cause) {
          const verified = await jwtVerify(token, key, expected).catch((fault: unknown) => {
            if (!(fault instanceof errors.JWSSignatureVerificationFailed)) throw fault
          })
          if (verified !== undefined) return verified
        }
        throw new errors.JWSSignatureVerificationFailed()
      })
    const faultsOfKeys = [
      errors.JWKSNoMatchingKey,
      errors.JWSSignatureVerificationFailed,
      errors.JWKSInvalid,
      TypeError,
      DOMException,
    ]
    const isOfKeys = (cause: unknown) => faultsOfKeys.some((kind) => cause instanceof kind)
    try {
      // Whatever another issuer has signed, the keys of this one do not matter to it.
      if (decodeJwt(token).iss !== issuer) return 'other issuer'
      const { payload } = await verifyToken().catch(async (cause: unknown) => {
        // Issuers get new keys, some under the id of the one before.
        if (!isOfKeys(cause) || (await keys.refreshed(traceparent)) === used) throw cause
        return verifyToken()
      })
      return identify(payload, options)
    } catch (cause) {
      // Signature, issuer and audience are verified before the time is.
      if (cause instanceof errors.JWTExpired) return 'expired'
      if (cause instanceof errors.JWTClaimValidationFailed) return refusalByClaim[cause.claim] ?? 'malformed'
      if (cause instanceof errors.JWSSignatureVerificationFailed) return 'wrong signature'
      if (cause instanceof errors.JWKSNoMatchingKey) return 'unknown key'
      // The fault is in the key that the token names: it verifies nothing.
      if (isOfKeys(cause)) return 'unusable key'
      if (cause instanceof errors.JOSEError) return 'malformed'
      throw cause
    }
  }
}

const refusalByClaim: Readonly<Record<string, JwtRefusal>> = {
  aud: 'other audience',
  exp: 'no expiry',
  nbf: 'not yet valid',
}

function identify(payload: JWTPayload, options: OidcOptions): OidcIdentity | JwtRefusal {
  const { [options.emailClaim]: email, org: named, exp = 0 } = payload
  if (typeof email !== 'string' || email === '' || email.includes('\0') || !hasVerifiedAddress(payload, options)) {
    return 'no verified address'
  }
  // Issuers that map an attribute onto a claim send null or an empty text for whoever lacks it.
  const org = (named === '' ? undefined : named) ?? options.organization
  if (org !== undefined && (typeof org !== 'string' || org.includes('\0'))) return 'malformed organization'
  const issuedAt = payload.iat === undefined ? undefined : new Date(payload.iat * 1000)
  return { email, organizationId: org, issuedAt, expiresAt: new Date(Math.min(exp * 1000, LAST_MOMENT)) }
}

/**
 * OpenID Connect defines `email_verified` to be a boolean (Core 1.0 section 5.1), which Apple, Cognito and JumpCloud
 * send as text. Claims with other names have no such definition: Entra's `xms_edov` is a boolean, a number or text.
 */
function hasVerifiedAddress(payload: JWTPayload, { emailVerifiedClaim }: OidcOptions): boolean {
  const { [emailVerifiedClaim]: value } = payload
  if (value === true || value === 'true') return true
  return emailVerifiedClaim !== 'email_verified' && (value === 1 || value === '1')
}

export interface SignInCall {
  readonly requestId?: string | undefined
  readonly traceparent?: string | undefined
}

export type OidcSignIn = ReturnType<typeof createOidcSignIn>

export interface OidcSignInOptions extends OidcOptions {
  readonly database: Tables
  /** Where it is logged why a JWT is refused, which its sender does not learn. */
  readonly log: OidcOptions['log'] & {
    info(fields: { readonly requestId: string | undefined; readonly refusal: JwtRefusal }, message: string): void
  }
}

/**
 * Makes the sign-in with JWTs. It returns the member; `expired` for a genuine token that is too old; and undefined for
 * any other token, whatever the reason. Nothing of a token reaches the database before it is verified. Throws
 * `SERVICE_UNAVAILABLE` while no keys of the issuer are cached.
 */
export function createOidcSignIn(options: OidcSignInOptions) {
  const { database, log, runtime } = options
  const verify = createOidcVerifier(options)
  return async (
    token: string,
    { requestId, traceparent }: SignInCall = {},
  ): Promise<TokenMember | 'expired' | undefined> => {
    const refuse = (refusal: JwtRefusal) => log.info({ requestId, refusal }, 'a JWT is refused')
    const verdict = await verify(token, traceparent).catch((cause: unknown) => {
      if (cause instanceof ServiceError) refuse('issuer unreachable')
      throw cause
    })
    const member = typeof verdict === 'object' ? await findMember(database, verdict, runtime.now()) : verdict
    if (typeof member !== 'string') return member
    refuse(member)
    return member === 'expired' ? member : undefined
  }
}

/**
 * The active member with the email address of a verified token, in the token's organization or else in any. An address
 * of active members in several organizations is refused as ambiguous, so that no organization receives the tokens of
 * another.
 */
async function findMember(
  database: Tables,
  { email, organizationId, issuedAt, expiresAt }: OidcIdentity,
  now: Date,
): Promise<TokenMember | JwtRefusal> {
  const of = organizationId !== undefined && { organizationId }
  const members = await findMembersOfEmail(database, { emailKey: emailKeyOf(email), ...of, now })
  if (members.length === 0) return organizationId === undefined ? 'unknown person' : 'unknown organization or person'
  const [member, ...others] = members.filter(({ isActive }) => isActive)
  if (member === undefined) return 'deactivated person'
  if (others.length > 0) return 'ambiguous address'
  const { sessionsEndedAt } = member
  const isLive = sessionsEndedAt === null || (issuedAt !== undefined && issuedAt >= sessionsEndedAt)
  return isLive ? { ...member, expiresAt } : 'ended session'
}
