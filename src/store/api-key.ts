import { Prisma } from '../../gen/prisma/client.js'
import type { ApiKeyModel } from '../../gen/prisma/models.js'
import type { PreparedQueryable, PreparedTransaction, Queryable } from '../db/queryable.js'
import { createPreparedStatement, createStatement } from '../db/statement.js'
import { byOrganization } from './by-organization.js'

/** A key without its hash. */
export type ApiKeyRow = Omit<ApiKeyModel, 'secretHash' | 'revokedBy'>

/** Stores a new key with the hash of its secret. */
export async function insertApiKey(
  tables: Queryable,
  key: Pick<ApiKeyModel, 'id' | 'organizationId' | 'teamId' | 'kind' | 'name' | 'permissions' | 'expiresAt'> & {
    readonly secretHash: Uint8Array
  },
): Promise<void> {
  const data = { ...key, secretHash: new Uint8Array(key.secretHash) }
  await tables.models.apiKey.create({ data, select: { id: true } })
}

/** The keys of an organization, including revoked ones, in the order of creation. */
export function selectApiKeys(tables: Queryable, organizationId: string): Promise<ApiKeyRow[]> {
  return tables.models.apiKey.findMany({
    where: { organizationId },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    select: {
      id: true,
      organizationId: true,
      teamId: true,
      kind: true,
      name: true,
      permissions: true,
      createdAt: true,
      lastUsedAt: true,
      revokedAt: true,
      expiresAt: true,
    },
  })
}

/** The organization of a key, and the hash of its secret. */
type KeyOfId = Pick<ApiKeyModel, 'organizationId' | 'secretHash'>

// Read by every client that wants a token. Of all organizations, because the id of a key does not name its own.
const selectOfId = createPreparedStatement<Pick<ApiKeyModel, 'id'>, KeyOfId>({
  name: 'key_of_id',
  reason: 'set',
  columns: { organizationId: 'text', secretHash: 'bytea' },
  text: ({ id }) => Prisma.sql`
SELECT organization_id AS "organizationId", secret_hash AS "secretHash" FROM api_keys WHERE id = ${id}`,
})

/** A key by its id alone, even if it is revoked. */
export async function findApiKey(tables: PreparedQueryable, id: string): Promise<KeyOfId | undefined> {
  const [key] = await tables.run(selectOfId, { id })
  return key
}

/** How old `last_used_at` may be before a use is recorded. */
const USE_INTERVAL = Prisma.sql`interval '1 minute'`

/** Whether a use of the key `k` must be recorded. */
export const useIsDue = Prisma.sql`(k.last_used_at IS NULL OR k.last_used_at <= now() - ${USE_INTERVAL})`

interface UsedKeys {
  readonly organizationId: string
  readonly ids: readonly string[]
}

// The check is in the statement, so that only one of many processes that record the same key writes. Rows are locked in
// id order.
const writeUses = createStatement<UsedKeys, Record<never, never>>({
  name: 'write_key_uses',
  reason: 'set',
  columns: {},
  text: ({ organizationId, ids }) => Prisma.sql`
WITH used AS (
  SELECT k.id FROM api_keys k
   WHERE k.organization_id = ${organizationId} AND k.id = ANY (${ids}::text[]) AND ${useIsDue}
   ORDER BY k.id FOR NO KEY UPDATE
)
UPDATE api_keys SET last_used_at = now()
  FROM used WHERE api_keys.organization_id = ${organizationId} AND api_keys.id = used.id`,
})

/** A key that has just been revoked. */
export type RevokedKey = Pick<ApiKeyModel, 'id' | 'organizationId' | 'teamId'>

const revokedColumns = { id: 'text', organizationId: 'text', teamId: 'text' } as const
const revokedRow = Prisma.sql`RETURNING id, organization_id AS "organizationId", team_id AS "teamId"`

const revokeBySecret = createPreparedStatement<{ readonly secretHashes: readonly Uint8Array[] }, RevokedKey>({
  name: 'revoke_key_of_secret',
  reason: 'lock',
  columns: revokedColumns,
  text: ({ secretHashes }) => Prisma.sql`
UPDATE api_keys SET revoked_at = now(), revoked_by = 'LEAK_REPORT'
 WHERE secret_hash = ANY (${secretHashes}::bytea[]) AND revoked_at IS NULL
${revokedRow}`,
})

const revokeById = createPreparedStatement<Pick<ApiKeyModel, 'organizationId' | 'id'>, RevokedKey>({
  name: 'revoke_key_of_id',
  reason: 'lock',
  columns: revokedColumns,
  text: ({ organizationId, id }) => Prisma.sql`
UPDATE api_keys SET revoked_at = now(), revoked_by = 'OPERATOR'
 WHERE organization_id = ${organizationId} AND id = ${id} AND revoked_at IS NULL
${revokedRow}`,
})

/** The statements of this file. */
export const apiKeyStatements = [selectOfId, writeUses, revokeBySecret, revokeById]

/** Records that keys are used now, at most once a minute for each. */
export async function writeKeyUses(
  tables: Pick<Queryable, 'run'>,
  keys: readonly Pick<ApiKeyModel, 'organizationId' | 'id'>[],
): Promise<void> {
  for (const [organizationId, used] of byOrganization(keys)) {
    await tables.run(writeUses, { organizationId, ids: used.map(({ id }) => id) })
  }
}

/** Revokes the live key whose secret has one of the hashes, if there is one. */
export function revokeKeyOfSecret(
  transaction: PreparedTransaction,
  secretHashes: readonly Uint8Array[],
): Promise<RevokedKey[]> {
  return transaction.run(revokeBySecret, { secretHashes })
}

/** Revokes a key of an organization, if it is live. */
export function revokeKeyOfId(
  transaction: PreparedTransaction,
  key: Pick<ApiKeyModel, 'organizationId' | 'id'>,
): Promise<RevokedKey[]> {
  return transaction.run(revokeById, key)
}

/** Replaces the hash of a key's secret, unless it has already been replaced. */
export async function replaceSecretHash(
  tables: Queryable,
  key: Pick<ApiKeyModel, 'organizationId' | 'id' | 'secretHash'>,
  secretHash: Uint8Array,
): Promise<void> {
  const where = { ...key, secretHash: new Uint8Array(key.secretHash) }
  await tables.models.apiKey.updateMany({ where, data: { secretHash: new Uint8Array(secretHash) } })
}
