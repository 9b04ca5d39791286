import type { Tables } from '../../db/tables.js'
import { ServiceError } from '../../errors.js'
import { findApiKey, replaceSecretHash } from '../../store/api-key.js'
import { insertApiKeySession } from '../../store/api-key-session.js'
import { ACCESS_TOKEN_PREFIX, type BearerTokens } from './bearer-token.js'
import type { KeyUses } from './key-use.js'
import type { SecretHasher } from './secret-hash.js'

/** How long an access token of a key lasts, in seconds, unless the key ends before. */
const ACCESS_TOKEN_SECONDS = 3600

/** Has no character that an id may have. */
const NO_ORGANIZATION = ' '

/** Id and secret of an API key, as a client presents them. */
export interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret: string
}

/** An access token, and how many seconds it lasts. */
export interface AccessToken {
  readonly token: string
  readonly seconds: number
}

/** What making access tokens needs. */
export interface AccessTokenOptions {
  readonly database: Tables
  readonly hasher: SecretHasher
  readonly keyUses: KeyUses
  readonly bearerTokens: BearerTokens
}

/**
 * Makes an access token for a live key that can have one, and stores its hash as a session of the key. Throws
 * `CLIENT_CREDENTIALS_INVALID`, always with the same text, for every other id and secret.
 */
export async function createAccessToken(
  options: AccessTokenOptions,
  credentials: ClientCredentials,
): Promise<AccessToken> {
  const { database, hasher, keyUses, bearerTokens } = options
  const { clientId, clientSecret } = credentials
  if (clientId.includes('\0')) throw clientCredentialsInvalid()
  const key = await findApiKey(database, { id: clientId })
  // For unknown ids, the same steps are done for an organization that does not exist.
  const organizationId = key?.organizationId ?? NO_ORGANIZATION
  const token = await bearerTokens.issue(ACCESS_TOKEN_PREFIX, organizationId)
  const candidates = hasher.candidates(clientSecret)
  const session = { organizationId, keyId: clientId, secretHashes: candidates, tokenHash: hasher.hash(token) }
  const seconds = await insertApiKeySession(database, { ...session, seconds: ACCESS_TOKEN_SECONDS })
  if (key === undefined || seconds === undefined) throw clientCredentialsInvalid()
  keyUses.note({ organizationId, id: clientId })
  const [current] = candidates
  if (current !== undefined && !current.equals(key.secretHash)) {
    // Only here is the secret known, so that it can be rehashed with the current pepper.
    await replaceSecretHash(database, key, current)
  }
  return { token, seconds }
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
