import { Prisma } from '../../gen/prisma/client.js'
import type { ApiKeyModel, ApiKeyRotationModel } from '../../gen/prisma/models.js'
import { createStatement } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { ofOrganization } from './tenant.js'

/** A key by its organization and id. */
export type KeyId = Pick<ApiKeyModel, 'organizationId' | 'id'>

type Chain = Pick<ApiKeyRotationModel, 'chainId'>

// Only the first key is locked: it stays the first, however the chain grows, and one row has no order of locking.
const lock = createStatement<KeyId, Chain>({
  name: 'lock_key_chain',
  columns: { chainId: 'text' },
  text: ({ id }) => Prisma.sql`
SELECT k.id AS "chainId" FROM api_keys k
 WHERE ${ofOrganization('k')} AND k.id = coalesce(
         (SELECT r.chain_id FROM api_key_rotations r WHERE ${ofOrganization('r')} AND r.api_key_id = ${id}), ${id})
   FOR NO KEY UPDATE`,
})

/** A key as its rotation needs it. Times are those of the database's clock. */
export type KeyToRotate = Pick<ApiKeyModel, 'teamId' | 'kind' | 'name' | 'permissions'> & {
  readonly isRevoked: boolean
  readonly isExpired: boolean
  /** When a key ends that begins now and lasts as long as this one was to last. */
  readonly nextExpiresAt: Date | null
  /** How many keys of the chain came before it. */
  readonly rotation: number
}

// Locks the key, too, so that it is not revoked by itself meanwhile.
const find = createStatement<KeyId, KeyToRotate>({
  name: 'find_key_to_rotate',
  columns: {
    teamId: 'text',
    kind: 'enum api_key_kind',
    name: 'text',
    permissions: 'text[]',
    isRevoked: 'bool',
    isExpired: 'bool',
    nextExpiresAt: 'timestamptz',
    rotation: 'int4',
  },
  text: ({ id }) => Prisma.sql`
SELECT k.team_id AS "teamId", k.kind, k.name, k.permissions, k.revoked_at IS NOT NULL AS "isRevoked",
       coalesce(k.expires_at <= now(), false) AS "isExpired", now() + (k.expires_at - k.created_at) AS "nextExpiresAt",
       coalesce((SELECT r.rotation FROM api_key_rotations r
                  WHERE ${ofOrganization('r')} AND r.api_key_id = k.id), 0) AS rotation
  FROM api_keys k
 WHERE ${ofOrganization('k')} AND k.id = ${id}
   FOR NO KEY UPDATE`,
})

interface Place extends Chain {
  readonly organizationId: string
  readonly rotation: number
}

const findAt = createStatement<Place, Pick<ApiKeyModel, 'id'>>({
  name: 'find_key_of_rotation',
  columns: { id: 'text' },
  text: ({ organizationId, chainId, rotation }) => Prisma.sql`
SELECT api_key_id AS id FROM api_key_rotations
 WHERE organization_id = ${organizationId} AND chain_id = ${chainId} AND rotation = ${rotation}`,
})

// A chain has no rows until its first key is rotated.
const insert = createStatement<Place & Pick<ApiKeyModel, 'id'>, Record<never, never>>({
  name: 'insert_key_rotation',
  columns: {},
  text: ({ organizationId, chainId, rotation, id }) => Prisma.sql`
INSERT INTO api_key_rotations (organization_id, chain_id, rotation, previous_rotation, api_key_id)
SELECT ${organizationId}, ${chainId}, place.rotation, nullif(place.rotation, 0) - 1, place.id
  FROM (VALUES (0, ${chainId}), (${rotation}::int, ${id})) AS place (rotation, id)
 WHERE place.rotation > 0 OR ${rotation}::int = 1`,
})

/** The statements of this file. */
export const apiKeyRotationStatements = [lock, find, findAt, insert]

/**
 * Locks the chain of a key, so that until the transaction ends no key is added to it, and returns the chain's id;
 * undefined if there is no such key. Statements after this one see all keys of the chain.
 */
export async function lockKeyChain(transaction: Tables, key: KeyId): Promise<string | undefined> {
  const [chain] = await transaction.run(lock, key)
  return chain?.chainId
}

/** Locks a key whose chain is locked, and returns what its rotation needs. */
export async function findKeyToRotate(transaction: Tables, key: KeyId): Promise<KeyToRotate | undefined> {
  const [found] = await transaction.run(find, key)
  return found
}

/** The id of the key at a place of a chain, if there is one. */
export async function findKeyOfRotation(transaction: Tables, place: Place): Promise<string | undefined> {
  const [found] = await transaction.run(findAt, place)
  return found?.id
}

/** Adds a key to a locked chain, at a place that is free. */
export async function insertKeyRotation(transaction: Tables, key: Place & Pick<ApiKeyModel, 'id'>): Promise<void> {
  await transaction.run(insert, key)
}
