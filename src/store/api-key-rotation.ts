import { Prisma } from '../../gen/prisma/client.js'
import type { ApiKeyModel, ApiKeyRotationModel } from '../../gen/prisma/models.js'
import { createStatement } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { ofOrganization } from './tenant.js'

/** A key by its organization and id. */
export type KeyId = Pick<ApiKeyModel, 'organizationId' | 'id'>

/** A chain that is locked, and when its transaction began by the clock of the database. */
export interface LockedChain extends Pick<ApiKeyRotationModel, 'chainId'> {
  readonly now: Date
}

// Only the first key is locked: it stays the first, however the chain grows, and one row has no order of locking.
const lock = createStatement<KeyId, LockedChain>({
  name: 'lock_key_chain',
  columns: { chainId: 'text', now: 'timestamptz' },
  text: ({ id }) => Prisma.sql`
SELECT k.id AS "chainId", now() AS now FROM api_keys k
 WHERE ${ofOrganization('k')} AND k.id = coalesce(
         (SELECT r.chain_id FROM api_key_rotations r WHERE ${ofOrganization('r')} AND r.api_key_id = ${id}), ${id})
   FOR NO KEY UPDATE`,
})

/** The statements of this file. */
export const apiKeyRotationStatements = [lock]

/**
 * Locks the chain of a key, as whoever adds a key to it or revokes one does; undefined if there is no such key. What is
 * sent after this sees all keys of the chain.
 */
export async function lockKeyChain(transaction: Tables, key: KeyId): Promise<LockedChain | undefined> {
  const [chain] = await transaction.run(lock, key)
  return chain
}

/** A key as its rotation needs it, with how many keys of the chain came before it. */
export type KeyToRotate = Pick<
  ApiKeyModel,
  'teamId' | 'kind' | 'name' | 'permissions' | 'createdAt' | 'expiresAt' | 'revokedAt'
> &
  Pick<ApiKeyRotationModel, 'rotation'>

/** A key whose chain is locked; undefined if there is none. */
export async function findKeyToRotate(
  transaction: Tables,
  { organizationId, id }: KeyId,
): Promise<KeyToRotate | undefined> {
  const key = await transaction.models.apiKey.findUnique({
    where: { organizationId_id: { organizationId, id } },
    select: {
      teamId: true,
      kind: true,
      name: true,
      permissions: true,
      createdAt: true,
      expiresAt: true,
      revokedAt: true,
      rotation: { select: { rotation: true } },
    },
  })
  return key === null ? undefined : { ...key, rotation: key.rotation?.rotation ?? 0 }
}

type Chain = Pick<ApiKeyRotationModel, 'organizationId' | 'chainId'>
type Place = Chain & Pick<ApiKeyRotationModel, 'rotation'>

/** The ids of the keys of a chain. */
export async function findKeysOfChain(transaction: Tables, { organizationId, chainId }: Chain): Promise<string[]> {
  const where = { organizationId, chainId, rotation: { gt: 0 } }
  const rotated = await transaction.models.apiKeyRotation.findMany({ where, select: { apiKeyId: true } })
  return [chainId, ...rotated.map(({ apiKeyId }) => apiKeyId)]
}

/** The id of the key at a place of a chain, if there is one. */
export async function findKeyOfRotation(transaction: Tables, place: Place): Promise<string | undefined> {
  const { organizationId, chainId, rotation } = place
  const where = { organizationId_chainId_rotation: { organizationId, chainId, rotation } }
  const found = await transaction.models.apiKeyRotation.findUnique({ where, select: { apiKeyId: true } })
  return found?.apiKeyId
}

/** Adds a key to a locked chain, at a place that is free. A chain has no rows until its first key is rotated. */
export async function insertKeyRotation(
  transaction: Tables,
  { organizationId, chainId, rotation, id }: Place & Pick<ApiKeyModel, 'id'>,
): Promise<void> {
  const first = { organizationId, chainId, rotation: 0, previousRotation: null, apiKeyId: chainId }
  const added = { organizationId, chainId, rotation, previousRotation: rotation - 1, apiKeyId: id }
  await transaction.models.apiKeyRotation.createMany({ data: rotation === 1 ? [first, added] : [added] })
}
