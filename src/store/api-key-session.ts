import { Prisma } from '../../gen/prisma/client.js'
import { createStatement } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import type { KeyId } from './api-key-rotation.js'
import { ofOrganization } from './tenant.js'

/** A session to be stored for the live key with this id and one of the hashes. It ends with the key at the latest. */
export interface NewApiKeySession {
  readonly organizationId: string
  readonly keyId: string
  readonly secretHashes: readonly Uint8Array[]
  readonly tokenHash: Uint8Array
  readonly seconds: number
}

// The share lock and the update of a revocation exclude each other, and a statement that has waited for the lock reads
// the row again: a token is either deleted by the revocation or never made.
const insert = createStatement<NewApiKeySession, { readonly seconds: number }>({
  name: 'insert_session',
  columns: { seconds: 'int4' },
  text: ({ keyId, secretHashes, tokenHash, seconds }) => Prisma.sql`
INSERT INTO api_key_sessions AS made (organization_id, token_hash, api_key_id, expires_at)
SELECT k.organization_id, ${tokenHash}, k.id, least(now() + make_interval(secs => ${seconds}), k.expires_at)
  FROM api_keys k
 WHERE ${ofOrganization('k')} AND k.id = ${keyId} AND k.secret_hash = ANY (${secretHashes}::bytea[])
   AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now()) AND k.kind <> 'mk'
   FOR SHARE
RETURNING floor(extract(epoch FROM made.expires_at - made.created_at))::int AS seconds`,
})

interface KeysOfOrganization {
  readonly organizationId: string
  readonly ids: readonly string[]
}

/** A separate statement after the rows of the keys are locked, so that it sees sessions made in the meantime. */
const remove = createStatement<KeysOfOrganization, Record<never, never>>({
  name: 'delete_sessions',
  columns: {},
  text: ({ organizationId, ids }) => Prisma.sql`
DELETE FROM api_key_sessions WHERE organization_id = ${organizationId} AND api_key_id = ANY (${ids}::text[])`,
})

/** Separate for the same reason. */
const shorten = createStatement<KeyId & { readonly expiresAt: Date }, Record<never, never>>({
  name: 'shorten_sessions',
  columns: {},
  text: ({ organizationId, id, expiresAt }) => Prisma.sql`
UPDATE api_key_sessions SET expires_at = ${expiresAt}
 WHERE organization_id = ${organizationId} AND api_key_id = ${id} AND expires_at > ${expiresAt}`,
})

/** The statements of this file. */
export const apiKeySessionStatements = [insert, remove, shorten]

/**
 * Stores a session, and returns how many seconds it lasts; undefined if there is no such live key that can have one.
 */
export async function insertApiKeySession(tables: Tables, session: NewApiKeySession): Promise<number | undefined> {
  const [made] = await tables.run(insert, session)
  return made?.seconds
}

/** Ends the sessions of keys. */
export async function deleteApiKeySessions(transaction: Tables, keys: KeysOfOrganization): Promise<void> {
  await transaction.run(remove, keys)
}

/** Lets no session of a key last beyond the time. */
export async function shortenApiKeySessions(transaction: Tables, key: KeyId, expiresAt: Date): Promise<void> {
  await transaction.run(shorten, { ...key, expiresAt })
}
