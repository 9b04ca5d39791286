import type { Sql } from '../db/sql.js'
import { ServiceError } from '../errors.js'
import { ACCESS_TOKEN_PREFIX, createOpaqueToken } from './bearer-token.js'
import type { KeyUses } from './key-use.js'
import type { Runtime } from './runtime.js'
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
  readonly database: Sql
  readonly hasher: SecretHasher
  readonly keyUses: KeyUses
  readonly runtime: Runtime
}

// The share lock and the update of a revocation exclude each other, and a statement that has waited for the lock looks
// at the row again: a token is either deleted by the revocation or never made.
const insertSession = `
WITH client AS (
  SELECT id, secret_hash FROM api_keys
   WHERE id = $1 AND secret_hash = ANY($2::bytea[]) AND revoked_at IS NULL AND kind <> 'mk'
     FOR SHARE
)
INSERT INTO api_key_sessions (token_hash, api_key_id, expires_at)
SELECT $3, id, now() + make_interval(secs => $4) FROM client
RETURNING (SELECT secret_hash FROM client) AS secret_hash`

const replaceSecretHash = `UPDATE api_keys SET secret_hash = $3 WHERE id = $1 AND secret_hash = $2`

/**
 * Makes an access token of a live key that can have one, and keeps its hash as a session of the key. Throws
 * `CLIENT_CREDENTIALS_INVALID`, with one text, for every other id and secret.
 */
export async function createAccessToken(options: AccessTokenOptions, credentials: ClientCredentials): Promise<string> {
  const { database, hasher, keyUses, runtime } = options
  const { clientId, clientSecret } = credentials
  const token = createOpaqueToken(ACCESS_TOKEN_PREFIX, runtime)
  const candidates = hasher.candidates(clientSecret)
  const [row] = clientId.includes('\0')
    ? []
    : await database.query<{ secret_hash: Buffer }>(
        insertSession,
        [clientId, candidates, hasher.hash(token), ACCESS_TOKEN_SECONDS],
        'insert_session',
      )
  if (row === undefined) throw clientCredentialsInvalid()
  keyUses.note(clientId)
  const [current] = candidates
  if (current !== undefined && !current.equals(row.secret_hash)) {
    // This is the only time that the secret is at hand to move it to the current pepper.
    await database.execute(replaceSecretHash, [clientId, row.secret_hash, current], 'replace_secret_hash')
  }
  return token
}

/** The one error for every fault of an id and a secret (RFC 6749 section 5.2, `invalid_client`). */
export function clientCredentialsInvalid(): ServiceError {
  return new ServiceError('CLIENT_CREDENTIALS_INVALID', 'the id and the secret do not belong to a live API key', {
    challenge: 'Basic realm="svc"',
  })
}
