import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { ServiceError } from '../errors.js'
import type { Runtime } from './runtime.js'

/** What a token of the OpenID Connect issuer says about its holder. */
export interface OidcIdentity {
  /** The verified address. */
  readonly email: string
  /** The organization that the token names, where it names one. */
  readonly organizationId: string | undefined
}

/**
 * Verifies a token of the issuer; undefined where it is not accepted, whatever the reason. Throws
 * `SERVICE_UNAVAILABLE` where the keys of the issuer cannot be had.
 */
export type OidcVerifier = (token: string) => Promise<OidcIdentity | undefined>

/** The issuer that is trusted. */
export interface OidcOptions {
  readonly issuer: string
  /** What `aud` has to name. */
  readonly audience: string
  readonly runtime: Pick<Runtime, 'now'>
  /** How long after a fetch of the keys none follows, whatever tokens ask for, in milliseconds; default 30 s. */
  readonly cooldownMillis?: number | undefined
}

/** Asymmetric algorithms alone: `none` and those with a shared secret would let anybody sign who can read the keys. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
/** How far the clock of the issuer may be off, in seconds. */
const CLOCK_TOLERANCE_SECONDS = 30
/** How long the issuer may take, in milliseconds. */
const FETCH_TIMEOUT_MILLIS = 5_000
/** How long keys are taken from memory, in milliseconds: so long may a key that the issuer has withdrawn still count. */
const KEYS_MAX_AGE_MILLIS = 10 * 60_000

const tokenForm = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/

/**
 * Makes the verifier. The address of the keys comes from the issuer's discovery document (OpenID Connect Discovery 1.0),
 * and the keys are fetched when they are first needed, when they are old, and when a token names a new one.
 */
export function createOidcVerifier(options: OidcOptions): OidcVerifier {
  const { issuer, audience, runtime } = options
  let found: Promise<JWTVerifyGetKey> | undefined
  const keys = () => {
    found ??= discoverKeys(options).catch((cause: unknown) => {
      found = undefined
      throw cause
    })
    return found
  }
  return async (token) => {
    // Texts of another form cannot be tokens of the issuer, and need none of its keys.
    if (!tokenForm.test(token)) return undefined
    const getKey: JWTVerifyGetKey = async (header, jws) => (await keys())(header, jws)
    try {
      const { payload } = await jwtVerify(token, getKey, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: runtime.now(),
        requiredClaims: ['exp'],
      })
      return identityFrom(payload)
    } catch (cause) {
      if (isOfToken(cause)) return undefined
      throw new ServiceError('SERVICE_UNAVAILABLE', 'the token cannot be verified now; try again', {
        retryAfterSeconds: 5,
        cause,
      })
    }
  }
}

/** Whether the token is at fault, and not the way to the keys. */
function isOfToken(cause: unknown): boolean {
  return (
    cause instanceof errors.JWTClaimValidationFailed ||
    cause instanceof errors.JWTExpired ||
    cause instanceof errors.JWTInvalid ||
    cause instanceof errors.JWSInvalid ||
    cause instanceof errors.JWSSignatureVerificationFailed ||
    cause instanceof errors.JOSEAlgNotAllowed ||
    cause instanceof errors.JOSENotSupported ||
    cause instanceof errors.JWKSNoMatchingKey ||
    cause instanceof errors.JWKSMultipleMatchingKeys
  )
}

function identityFrom(payload: JWTPayload): OidcIdentity | undefined {
  const { email, email_verified: isVerified, org } = payload
  if (typeof email !== 'string' || email === '' || email.includes('\0') || isVerified !== true) return undefined
  if (org === undefined) return { email, organizationId: undefined }
  return typeof org === 'string' && !org.includes('\0') ? { email, organizationId: org } : undefined
}

async function discoverKeys({ issuer, cooldownMillis = 30_000 }: OidcOptions): Promise<JWTVerifyGetKey> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(FETCH_TIMEOUT_MILLIS) })
  if (!answer.ok) throw new Error(`the issuer answers ${answer.status} to ${url}`)
  const document: unknown = await answer.json()
  if (typeof document !== 'object' || document === null) throw new Error(`the issuer has no object at ${url}`)
  if (Reflect.get(document, 'issuer') !== issuer) throw new Error(`the document at ${url} is that of another issuer`)
  const keysUrl: unknown = Reflect.get(document, 'jwks_uri')
  if (typeof keysUrl !== 'string' || !URL.canParse(keysUrl)) throw new Error(`the issuer has no jwks_uri at ${url}`)
  return createRemoteJWKSet(new URL(keysUrl), {
    timeoutDuration: FETCH_TIMEOUT_MILLIS,
    cooldownDuration: cooldownMillis,
    cacheMaxAge: KEYS_MAX_AGE_MILLIS,
  })
}
