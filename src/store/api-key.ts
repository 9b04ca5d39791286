import { Prisma } from '../../gen/prisma/client.js'
import type { ApiKeyRevocation } from '../../gen/prisma/enums.js'
import type { ApiKeyModel } from '../../gen/prisma/models.js'
import { createStatement } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import type { KeyId } from './api-key-rotation.js'
import { byOrganization } from './by-organization.js'

/** A key without its hash, with the id of the key that it was rotated from, if it was. */
export type ApiKeyRow = Omit<ApiKeyModel, 'secretHash' | 'revokedBy' | 'createdBy'> & {
  readonly rotatedFrom: string | undefined
}

/** Stores a new key with the hash of its secret. */
export async function insertApiKey(
  tables: Tables,
  key: Pick<
    ApiKeyModel,
    'id' | 'organizationId' | 'teamId' | 'kind' | 'name' | 'permissions' | 'expiresAt' | 'createdBy'
  > & {
    readonly secretHash: Uint8Array
  },
): Promise<void> {
  const data = { ...key, secretHash: new Uint8Array(key.secretHash) }
  await tables.models.apiKey.create({ data, select: { id: true } })
}

/** The keys of an organization, including revoked ones, in the order of creation. */
export async function selectApiKeys(tables: Tables, organizationId: string): Promise<ApiKeyRow[]> {
  const keys = await tables.models.apiKey.findMany({
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
      rotation: { select: { previous: { select: { apiKeyId: true } } } },
    },
  })
  return keys.map(({ rotation, ...key }) => ({ ...key, rotatedFrom: rotation?.previous?.apiKeyId }))
}

/** The organization of a key, and the hash of its secret. */
type KeyOfId = Pick<ApiKeyModel, 'organizationId' | 'secretHash'>

/** A key by its id alone, even if it is revoked. Of all organizations, because the id does not name its own. */
export async function findApiKey(tables: Tables, id: string): Promise<KeyOfId | undefined> {
  const select = { organizationId: true, secretHash: true }
  return (await tables.models.apiKey.findFirst({ where: { id }, select })) ?? undefined
}

/** How old `last_used_at` may be before a use is recorded. */
const USE_INTERVAL = Prisma.sql`interval '1 minute'`

/** Whether a use of the key `k` must be recorded. */
export const useIsDue = Prisma.sql`(k.last_used_at IS NULL OR k.last_used_at <= now() - ${USE_INTERVAL})`

/** Keys of an organization. */
interface KeysOfOrganization {
  readonly organizationId: string
  readonly ids: readonly string[]
}

// The check is in the statement, so that only one of many processes that record the same key writes. Rows are locked in
// id order.
const writeUses = createStatement<KeysOfOrganization, Record<never, never>>({
  name: 'write_key_uses',
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

/** A live management key, even if it has expired. */
export type ManagementKeyRow = Pick<ApiKeyModel, 'id' | 'name' | 'secretHash'> & {
  readonly isExpired: boolean
  readonly useIsDue: boolean
}

interface OwnedSecrets {
  readonly organizationId: string
  readonly secretHashes: readonly Uint8Array[]
}

const selectManagementKeys = createStatement<OwnedSecrets, ManagementKeyRow>({
  name: 'select_management_keys',
  columns: { id: 'text', name: 'text', secretHash: 'bytea', isExpired: 'bool', useIsDue: 'bool' },
  text: ({ organizationId, secretHashes }) => Prisma.sql`
SELECT k.id, k.name, k.secret_hash AS "secretHash", coalesce(k.expires_at <= now(), false) AS "isExpired",
       ${useIsDue} AS "useIsDue"
  FROM api_keys k
 WHERE k.organization_id = ${organizationId} AND k.secret_hash = ANY (${secretHashes}::bytea[])
   AND k.kind = 'mk' AND k.revoked_at IS NULL`,
})

/** The statements of this file. */
export const apiKeyStatements = [writeUses, selectManagementKeys]

/** The management keys of an organization with these secrets, except revoked ones. */
export function findManagementKeys(tables: Tables, secrets: OwnedSecrets): Promise<ManagementKeyRow[]> {
  return tables.run(selectManagementKeys, secrets)
}

/** Records that keys are used now, at most once a minute for each. */
export async function writeKeyUses(
  tables: Pick<Tables, 'run'>,
  keys: readonly Pick<ApiKeyModel, 'organizationId' | 'id'>[],
): Promise<void> {
  for (const [organizationId, used] of byOrganization(keys)) {
    await tables.run(writeUses, { organizationId, ids: used.map(({ id }) => id) })
  }
}

/** A key's team, and when it is over; undefined if there is no such key. Always one query. */
export async function findKeyEnd(
  transaction: Tables,
  { organizationId, id }: KeyId,
): Promise<Pick<ApiKeyModel, 'teamId' | 'revokedAt' | 'expiresAt'> | undefined> {
  const found = await transaction.models.apiKey.findUnique({
    where: { organizationId_id: { organizationId, id } },
    select: { teamId: true, revokedAt: true, expiresAt: true },
  })
  return found ?? undefined
}

/** A key that has just been revoked. */
export type RevokedKey = Pick<ApiKeyModel, 'id' | 'organizationId' | 'teamId'>

/** Revokes keys whose chain is locked, and returns those that were not revoked before. */
export function revokeApiKeys(
  transaction: Tables,
  { organizationId, ids }: KeysOfOrganization,
  revocation: { readonly revokedBy: ApiKeyRevocation; readonly revokedAt: Date },
): Promise<RevokedKey[]> {
  return transaction.models.apiKey.updateManyAndReturn({
    where: { organizationId, id: { in: [...ids] }, revokedAt: null },
    data: revocation,
    select: { id: true, organizationId: true, teamId: true },
  })
}

/** Lets a key whose chain is locked end at the time. */
export async function endApiKey(transaction: Tables, key: KeyId, expiresAt: Date): Promise<void> {
  await transaction.models.apiKey.updateMany({ where: { ...key }, data: { expiresAt } })
}

/** Replaces the hash of a key's secret, unless it has already been replaced. */
export async function replaceSecretHash(
  tables: Tables,
  key: Pick<ApiKeyModel, 'organizationId' | 'id' | 'secretHash'>,
  secretHash: Uint8Array,
): Promise<void> {
  const where = { ...key, secretHash: new Uint8Array(key.secretHash) }
  await tables.models.apiKey.updateMany({ where, data: { secretHash: new Uint8Array(secretHash) } })
}
