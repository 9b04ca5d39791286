import type { Queryable } from '../../db/queryable.js'
import { ServiceError } from '../../errors.js'
import type { Runtime } from '../../runtime/runtime.js'
import { replaceSecretHash } from '../../store/api-key.js'
import { insertApiKeySession } from '../../store/api-key-session.js'
import { ACCESS_TOKEN_PREFIX, createOpaqueToken } from './bearer-token.js'
import type { KeyUses } from './key-use.js'
import type { SecretHasher } from './secret-hash.js'

/** How long an access token of a key lasts, in seconds. */
export const ACCESS_TOKEN_SECONDS = 3600

/** Id and secret of an API key, as a client presents them. */
export interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret: string
}

/** What making access tokens needs. */
export interface AccessTokenOptions {
  readonly database: Queryable
  readonly hasher: SecretHasher
  readonly keyUses: KeyUses
  readonly runtime: Runtime
}

/**
 * Makes an access token for a live key that can have one, and stores its hash as a session of the key. Throws
 * `CLIENT_CREDENTIALS_INVALID`, always with the same text, for every other id and secret.
 */
export async function createAccessToken(options: AccessTokenOptions, credentials: ClientCredentials): Promise<string> {
  const { database, hasher, keyUses, runtime } = options
  const { clientId, clientSecret } = credentials
  const token = createOpaqueToken(ACCESS_TOKEN_PREFIX, runtime)
  const candidates = hasher.candidates(clientSecret)
  const session = { keyId: clientId, secretHashes: candidates, tokenHash: hasher.hash(token) }
  const key = clientId.includes('\0')
    ? undefined
    : await insertApiKeySession(database, { ...session, seconds: ACCESS_TOKEN_SECONDS })
  if (key === undefined) throw clientCredentialsInvalid()
  keyUses.note({ organizationId: key.organizationId, id: clientId })
  const [current] = candidates
  if (current !== undefined && !current.equals(key.secretHash)) {
    // This is the only time that the secret is at hand to move it to the current pepper.
    await replaceSecretHash(database, { ...key, id: clientId }, current)
  }
  return token
}

/**
 * The error for every fault of an id and a secret (RFC 6749 section 5.2, `invalid_client`). Only faults in the form of
 * the request have a text of their own: unknown, wrong and revoked credentials share one.
 */
export function clientCredentialsInvalid(
  fault = 'the id and the secret do not belong to a live API key: check both, or create another key',
): ServiceError {
  return new ServiceError('CLIENT_CREDENTIALS_INVALID', fault, { challenge: 'Basic realm="svc"' })
}
