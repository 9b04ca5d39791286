import { Prisma } from '../../gen/prisma/client.js'
import type { ApiKeyModel, ApiKeySessionModel } from '../../gen/prisma/models.js'
import type { PreparedQueryable, PreparedTransaction } from '../db/queryable.js'
import { createPreparedStatement } from '../db/statement.js'
import { ofOrganization } from './tenant.js'

/** A session to be stored for the live key with this id and one of the hashes. */
export interface NewApiKeySession {
  readonly organizationId: string
  readonly keyId: string
  readonly secretHashes: readonly Uint8Array[]
  readonly tokenHash: Uint8Array
  readonly seconds: number
}

// The share lock and the update of a revocation exclude each other, and a statement that has waited for the lock looks
// at the row again: a token is either deleted by the revocation or never made.
const insert = createPreparedStatement<NewApiKeySession, Pick<ApiKeySessionModel, 'apiKeyId'>>({
  name: 'insert_session',
  reason: 'lock',
  columns: { apiKeyId: 'text' },
  text: ({ keyId, secretHashes, tokenHash, seconds }) => Prisma.sql`
INSERT INTO api_key_sessions AS made (organization_id, token_hash, api_key_id, expires_at)
SELECT k.organization_id, ${tokenHash}, k.id, now() + make_interval(secs => ${seconds})
  FROM api_keys k
 WHERE ${ofOrganization('k')} AND k.id = ${keyId} AND k.secret_hash = ANY (${secretHashes}::bytea[])
   AND k.revoked_at IS NULL AND k.kind <> 'mk'
   FOR SHARE
RETURNING made.api_key_id AS "apiKeyId"`,
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

/** Stores a session, and answers whether it did: only if there is such a key that is live and can have one. */
export async function insertApiKeySession(tables: PreparedQueryable, session: NewApiKeySession): Promise<boolean> {
  return (await tables.run(insert, session)).length > 0
}

/** Ends the sessions of a key. */
export async function deleteApiKeySessions(
  transaction: PreparedTransaction,
  key: Pick<ApiKeyModel, 'organizationId' | 'id'>,
): Promise<void> {
  await transaction.run(remove, key)
}
