import { Prisma } from '../../gen/prisma/client.js'
import type { ApiKeySessionModel } from '../../gen/prisma/models.js'
import { createLookUp, type Tables } from '../db/tables.js'
import type { KeyId } from './api-key.js'
import { ofOrganization } from './visibility.js'

interface NewApiKeySession {
  readonly organizationId: string
  readonly keyId: string
  readonly secretHashes: readonly Uint8Array[]
  readonly tokenHash: Uint8Array
  readonly seconds: number
}

/**
 * Stores a session for the live key with the id and one of the hashes, and returns how many seconds it lasts, no longer
 * than the key. The share lock and the update of a revocation exclude each other, and a statement that has waited for
 * the lock reads the row again: a token is either deleted by the revocation or never made.
 */
export const insertApiKeySession = createLookUp<NewApiKeySession, { readonly seconds: number }>({
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

/** Finds a session, and its key, by the hashes under which it may be stored, in all organizations. */
export async function findApiKeySession({ models }: Tables, hashes: readonly ApiKeySessionModel['tokenHash'][]) {
  const where = { tokenHash: { in: [...hashes] } }
  const select = { organizationId: true, tokenHash: true, apiKeyId: true }
  return (await models.apiKeySession.findFirst({ where, select })) ?? undefined
}

export async function deleteApiKeySession(
  { models }: Tables,
  { organizationId, tokenHash }: Pick<ApiKeySessionModel, 'organizationId' | 'tokenHash'>,
): Promise<boolean> {
  return (await models.apiKeySession.deleteMany({ where: { organizationId, tokenHash } })).count > 0
}

/** Ends the sessions of keys. After the keys are revoked, so that it sees the sessions made in the meantime. */
export async function deleteApiKeySessions(
  { models }: Tables,
  organizationId: string,
  keys: readonly Pick<KeyId, 'id'>[],
): Promise<void> {
  await models.apiKeySession.deleteMany({ where: { organizationId, apiKeyId: { in: keys.map(({ id }) => id) } } })
}

/** Lets no session of a key last beyond the time. After the key ends then, for the same reason. */
export async function shortenApiKeySessions(
  { models }: Tables,
  { organizationId, id }: KeyId,
  expiresAt: Date,
): Promise<void> {
  const where = { organizationId, apiKeyId: id, expiresAt: { gt: expiresAt } }
  await models.apiKeySession.updateMany({ where, data: { expiresAt } })
}
