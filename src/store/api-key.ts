import { Prisma } from '../../gen/prisma/client.js'
import type { ApiKeyRevocation } from '../../gen/prisma/enums.js'
import type { ApiKeyModel } from '../../gen/prisma/models.js'
import { createStatement } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import type { KeyId } from './api-key-rotation.js'
import { byOrganization } from './by-organization.js'
import { ofOrganization } from './tenant.js'

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

// Read by every client that wants a token. Of all organizations, because the id of a key does not name its own.
const selectOfId = createStatement<Pick<ApiKeyModel, 'id'>, KeyOfId>({
  name: 'key_of_id',
  columns: { organizationId: 'text', secretHash: 'bytea' },
  text: ({ id }) => Prisma.sql`
SELECT organization_id AS "organizationId", secret_hash AS "secretHash" FROM api_keys WHERE id = ${id}`,
})

/** A key by its id alone, even if it is revoked. */
export async function findApiKey(tables: Tables, id: string): Promise<KeyOfId | undefined> {
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

/** A key that has just been revoked. */
export type RevokedKey = Pick<ApiKeyModel, 'id' | 'organizationId' | 'teamId'>

const revokedColumns = { id: 'text', organizationId: 'text', teamId: 'text' } as const
const revokedRow = Prisma.sql`
RETURNING revoked.id, revoked.organization_id AS "organizationId", revoked.team_id AS "teamId"`

type RevokedBy = { readonly revokedBy: ApiKeyRevocation }

const revokeOfId = createStatement<KeyId & RevokedBy, RevokedKey>({
  name: 'revoke_key_of_id',
  columns: revokedColumns,
  text: ({ organizationId, id, revokedBy }) => Prisma.sql`
UPDATE api_keys revoked SET revoked_at = now(), revoked_by = ${revokedBy}::api_key_revocation
 WHERE revoked.organization_id = ${organizationId} AND revoked.id = ${id} AND revoked.revoked_at IS NULL
${revokedRow}`,
})

/** A chain to be revoked. */
interface RevokedChain extends RevokedBy {
  readonly organizationId: string
  readonly chainId: string
  /** The key whose secret has leaked: if its rotation has dealt with that, the chain is left alone. */
  readonly leaked: string | null
}

// Rows are locked in id order. A key that ended when it was revoked was rotated without an overlap.
const revokeChain = createStatement<RevokedChain, RevokedKey>({
  name: 'revoke_key_chain',
  columns: revokedColumns,
  text: ({ organizationId, chainId, leaked, revokedBy }) => Prisma.sql`
WITH live AS (
  SELECT k.id FROM api_keys k
   WHERE ${ofOrganization('k')} AND k.revoked_at IS NULL
     AND k.id = ANY (${chainId}::text || ARRAY(SELECT r.api_key_id FROM api_key_rotations r
                                          WHERE ${ofOrganization('r')} AND r.chain_id = ${chainId}))
     AND NOT EXISTS (
           SELECT FROM api_keys one
            WHERE ${ofOrganization('one')} AND one.id = ${leaked}::text AND one.revoked_at = one.expires_at)
   ORDER BY k.id FOR NO KEY UPDATE OF k
)
UPDATE api_keys revoked SET revoked_at = now(), revoked_by = ${revokedBy}::api_key_revocation
  FROM live WHERE revoked.organization_id = ${organizationId} AND revoked.id = live.id
${revokedRow}`,
})

// A key that ends before that anyway is not kept longer.
const end = createStatement<KeyId & { readonly seconds: number }, { readonly expiresAt: Date }>({
  name: 'end_key',
  columns: { expiresAt: 'timestamptz' },
  text: ({ organizationId, id, seconds }) => Prisma.sql`
UPDATE api_keys SET expires_at = least(expires_at, now() + make_interval(secs => ${seconds}))
 WHERE organization_id = ${organizationId} AND id = ${id}
RETURNING expires_at AS "expiresAt"`,
})

/** The statements of this file. */
export const apiKeyStatements = [selectOfId, writeUses, selectManagementKeys, revokeOfId, revokeChain, end]

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

/** Revokes a key of an organization, unless it is revoked. */
export function revokeKeyOfId(transaction: Tables, key: KeyId, revokedBy: ApiKeyRevocation): Promise<RevokedKey[]> {
  return transaction.run(revokeOfId, { ...key, revokedBy })
}

/** Revokes the keys of a locked chain, except those that are revoked. */
export function revokeKeyChain(transaction: Tables, chain: RevokedChain): Promise<RevokedKey[]> {
  return transaction.run(revokeChain, chain)
}

/** Lets a key end after the seconds, unless it ends before, and returns the time. */
export async function endKey(transaction: Tables, key: KeyId, seconds: number): Promise<Date | undefined> {
  const [ended] = await transaction.run(end, { ...key, seconds })
  return ended?.expiresAt
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
