import type { FetchImplementation, JWTPayload, JWTVerifyGetKey } from 'jose'
import { ServiceError } from '../../errors.js'
import type { Runtime } from '../../runtime/runtime.js'
import { fetchIssuerDocument, IssuerUnavailable } from './issuer-document.js'

/** What a token of the OpenID Connect issuer says about its holder. */
export interface OidcIdentity {
  /** The verified address. */
  readonly email: string
  /** The organization that the token names, otherwise the configured one for tokens that name none, if any. */
  readonly organizationId: string | undefined
}

/**
 * Verifies a token of the issuer; undefined if it is not accepted, `expired` if it is genuine but too old. Throws
 * `SERVICE_UNAVAILABLE` if the keys of the issuer cannot be fetched. What is fetched for a token carries `traceparent`
 * (W3C Trace Context).
 */
export type OidcVerifier = (token: string, traceparent?: string) => Promise<OidcIdentity | 'expired' | undefined>

/** The issuer that is trusted. */
export interface OidcOptions {
  readonly issuer: string
  /** What `aud` must name. */
  readonly audience: string
  /** The organization of tokens that name none. */
  readonly organization?: string | undefined
  readonly runtime: Pick<Runtime, 'now'>
  /** The shortest time between two fetches of the keys, whatever keys tokens name, in milliseconds; default 30 s. */
  readonly cooldownMillis?: number | undefined
}

/** Only asymmetric algorithms: with `none` or a shared secret, anybody who can read the keys could sign. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
/** How far the clock of the issuer may be off, in seconds. */
const CLOCK_TOLERANCE_SECONDS = 30
/** How long the issuer may take, in milliseconds. */
const FETCH_TIMEOUT_MILLIS = 5_000
/** How long keys are cached, in milliseconds: for that time a key that the issuer has withdrawn is still accepted. */
const KEYS_MAX_AGE_MILLIS = 10 * 60_000

/** Loaded only if an issuer is configured: most services have none, and would start more slowly. */
const loadJose = () => import('jose')

const tokenForm = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/

/**
 * Makes the verifier. The address of the keys comes from the issuer's discovery document (OpenID Connect Discovery
 * 1.0), and the keys are fetched when they are first needed, when they are old, and when a token names a new one.
 */
export function createOidcVerifier(options: OidcOptions): OidcVerifier {
  const { issuer, audience, organization, runtime } = options
  let found: Promise<JWTVerifyGetKey> | undefined
  /** Of the token that has asked for keys last. */
  let asking: string | undefined
  const keys = (traceparent: string | undefined) => {
    asking = traceparent
    found ??= discoverKeys(options, () => asking).catch((cause: unknown) => {
      found = undefined
      throw cause
    })
    return found
  }
  return async (token, traceparent) => {
    // Text of any other form cannot be a token of the issuer, so its keys are not needed.
    if (!tokenForm.test(token)) return undefined
    const getKey: JWTVerifyGetKey = async (header, jws) => (await keys(traceparent))(header, jws)
    const { errors, jwtVerify } = await loadJose()
    try {
      const { payload } = await jwtVerify(token, getKey, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: runtime.now(),
        requiredClaims: ['exp'],
      })
      return identityFrom(payload, organization)
    } catch (cause) {
      // Signature, issuer and audience are verified before the time is.
      if (cause instanceof errors.JWTExpired) return 'expired'
      // The fault is in the token, or in the key that it names: an unusable key verifies nothing.
      const isOfToken = cause instanceof errors.JOSEError || cause instanceof TypeError || cause instanceof DOMException
      if (isOfToken) return undefined
      if (!(cause instanceof IssuerUnavailable)) throw cause
      throw new ServiceError('SERVICE_UNAVAILABLE', 'the token cannot be verified now; try again', {
        retryAfterSeconds: 5,
        cause,
      })
    }
  }
}

function identityFrom(payload: JWTPayload, organization: string | undefined): OidcIdentity | undefined {
  const { email, email_verified: isVerified, org = organization } = payload
  if (typeof email !== 'string' || email === '' || email.includes('\0') || isVerified !== true) return undefined
  if (org === undefined) return { email, organizationId: undefined }
  return typeof org === 'string' && !org.includes('\0') ? { email, organizationId: org } : undefined
}

async function discoverKeys(
  { issuer, cooldownMillis = 30_000 }: OidcOptions,
  traceparent: () => string | undefined,
): Promise<JWTVerifyGetKey> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const document = await fetchIssuerDocument(url, AbortSignal.timeout(FETCH_TIMEOUT_MILLIS), traceparent())
  if (Reflect.get(document, 'issuer') !== issuer) throw new IssuerUnavailable(`${url} belongs to another issuer`)
  const keysUrl: unknown = Reflect.get(document, 'jwks_uri')
  if (typeof keysUrl !== 'string' || !URL.canParse(keysUrl)) throw new IssuerUnavailable(`${url} has no jwks_uri`)
  const { createRemoteJWKSet, customFetch } = await loadJose()
  const fetchWithin: FetchImplementation = async (address, { signal }) =>
    Response.json(await fetchKeys(address, signal, traceparent()))
  return createRemoteJWKSet(new URL(keysUrl), {
    timeoutDuration: FETCH_TIMEOUT_MILLIS,
    cooldownDuration: cooldownMillis,
    cacheMaxAge: KEYS_MAX_AGE_MILLIS,
    [customFetch]: fetchWithin,
  })
}

/**
 * The key set of the issuer (RFC 7517 section 5); entries that are not objects are skipped, and do not affect the
 * others.
 */
async function fetchKeys(
  url: string,
  signal: AbortSignal,
  traceparent: string | undefined,
): Promise<{ keys: object[] }> {
  const keys: unknown = Reflect.get(await fetchIssuerDocument(url, signal, traceparent), 'keys')
  if (!Array.isArray(keys)) throw new IssuerUnavailable(`${url} is not a key set`)
  return { keys: keys.filter((key: unknown) => typeof key === 'object' && key !== null) }
}
