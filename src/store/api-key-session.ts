import { Prisma } from '../../gen/prisma/client.js'
import type { ApiKeyModel } from '../../gen/prisma/models.js'
import type { PreparedQueryable, PreparedTransaction } from '../db/queryable.js'
import { createPreparedStatement } from '../db/statement.js'

/** A session to be stored for the live key with this id and one of the hashes. */
export interface NewApiKeySession {
  readonly keyId: string
  readonly secretHashes: readonly Uint8Array[]
  readonly tokenHash: Uint8Array
  readonly seconds: number
}

/** The key of a new session, with the hash under which its secret is stored. */
export type SessionKey = Pick<ApiKeyModel, 'organizationId' | 'secretHash'>

// The share lock and the update of a revocation exclude each other, and a statement that has waited for the lock looks
// at the row again: a token is either deleted by the revocation or never made.
const insert = createPreparedStatement<NewApiKeySession, SessionKey>({
  name: 'insert_session',
  reason: 'lock',
  columns: { organizationId: 'text', secretHash: 'bytea' },
  text: ({ keyId, secretHashes, tokenHash, seconds }) => Prisma.sql`
WITH client AS (
  SELECT id, organization_id, secret_hash FROM api_keys
   WHERE id = ${keyId} AND secret_hash = ANY (${secretHashes}::bytea[]) AND revoked_at IS NULL AND kind <> 'mk'
     FOR SHARE
)
INSERT INTO api_key_sessions AS made (organization_id, token_hash, api_key_id, expires_at)
SELECT organization_id, ${tokenHash}, id, now() + make_interval(secs => ${seconds}) FROM client
RETURNING (SELECT organization_id FROM client) AS "organizationId", (SELECT secret_hash FROM client) AS "secretHash"`,
})

/** A separate statement after the row of the key is locked, so that it sees sessions made in the meantime. */
const remove = createPreparedStatement<Pick<ApiKeyModel, 'organizationId' | 'id'>, Record<never, never>>({
  name: 'delete_sessions',
  reason: 'set',
  columns: {},
  text: ({ organizationId, id }) => Prisma.sql`
DELETE FROM api_key_sessions WHERE organization_id = ${organizationId} AND api_key_id = ${id}`,
})

/** The statements of this file. */
export const apiKeySessionStatements = [insert, remove]

/** Stores a session; undefined if there is no such key that is live and can have one. */
export async function insertApiKeySession(
  tables: PreparedQueryable,
  session: NewApiKeySession,
): Promise<SessionKey | undefined> {
  const [key] = await tables.run(insert, session)
  return key
}

/** Ends the sessions of a key. */
export async function deleteApiKeySessions(
  transaction: PreparedTransaction,
  key: Pick<ApiKeyModel, 'organizationId' | 'id'>,
): Promise<void> {
  await transaction.run(remove, key)
}
