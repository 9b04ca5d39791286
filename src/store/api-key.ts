import { Prisma } from '../../gen/prisma/client.js'
import type { ApiKeyRevocation } from '../../gen/prisma/enums.js'
import type { ApiKeyModel } from '../../gen/prisma/models.js'
import { schema } from '../../gen/prisma/schema.js'
import { ApiKeySchema } from '../../gen/svc/v2/api_key_pb.js'
import type { Tables } from '../db/tables.js'
import { declareResource } from './resource/resource.js'
import { createRowLock } from './row-lock.js'
import { createStandardStore } from './standard-methods.js'
import { unendedAt } from './team-member.js'
import { ofOrganization } from './visibility.js'

/** The id of the key at another place of the chain; empty if there is none. */
const rotation = (place: string) => Prisma.sql`
  coalesce((SELECT r.id FROM api_keys r WHERE ${ofOrganization('r')} AND r.chain_id = k.chain_id
               AND r.rotation = ${Prisma.raw(place)}), '')`

export const apiKeyStore = createStandardStore(
  declareResource(ApiKeySchema, schema.ApiKey, 'k', {
    kind: { kind: 'column', name: 'kind', read: Prisma.sql`upper(k.kind::text)` },
    status: {
      kind: 'computed',
      isUnwritten: true,
      sql: Prisma.sql`CASE WHEN k.revoked_at IS NOT NULL THEN 'API_KEY_STATUS_REVOKED'
        WHEN k.expires_at <= now() THEN 'API_KEY_STATUS_EXPIRED' ELSE 'API_KEY_STATUS_ACTIVE' END`,
    },
    revokedBy: {
      kind: 'computed',
      sql: Prisma.sql`'API_KEY_REVOCATION_' || coalesce(k.revoked_by::text, 'UNSPECIFIED')`,
    },
    isCreatorDeactivated: {
      kind: 'computed',
      isUnwritten: true,
      sql: Prisma.sql`EXISTS (SELECT FROM memberships m WHERE ${ofOrganization('m')}
        AND m.user_id = k.created_by_user_id AND m.deactivated_at IS NOT NULL)`,
    },
    rotatedFrom: { kind: 'computed', sql: rotation('k.previous_rotation') },
    rotatedTo: { kind: 'computed', isUnwritten: true, sql: rotation('k.rotation + 1') },
  }),
  { searched: 'name' },
)

/** How many keys can be used: of a team, or of those that a user created. */
export function countLiveKeys(
  { models }: Tables,
  keys: Pick<ApiKeyModel, 'organizationId'> & Partial<Pick<ApiKeyModel, 'teamId' | 'createdByUserId'>>,
  now: Date,
): Promise<number> {
  return models.apiKey.count({ where: { ...keys, revokedAt: null, ...unendedAt(now) } })
}

export type KeyId = Pick<ApiKeyModel, 'organizationId' | 'id'>

export type NewApiKey = Omit<ApiKeyModel, 'lastUsedAt' | 'revokedAt' | 'revokedBy' | 'ordinal' | 'version'>

export async function insertApiKey({ models }: Tables, key: NewApiKey): Promise<void> {
  await models.apiKey.create({ data: key, select: { id: true } })
}

const summary = {
  id: true,
  organizationId: true,
  teamId: true,
  kind: true,
  name: true,
  createdAt: true,
  lastUsedAt: true,
  revokedAt: true,
  expiresAt: true,
} as const

export type ApiKeyRow = Awaited<ReturnType<typeof selectApiKeys>>[number]

/** The keys of an organization, including revoked ones, in the order of creation. */
export function selectApiKeys({ models }: Tables, organizationId: string) {
  return models.apiKey.findMany({
    where: { organizationId },
    orderBy: { ordinal: 'asc' },
    select: { ...summary, permissions: true, previous: { select: { id: true } } },
  })
}

/**
 * A key by its id, or by the hashes under which its secret may be stored; of any organization unless one is given,
 * revoked ones too.
 */
export type KeyReference = (Pick<ApiKeyModel, 'id'> | { readonly hashes: readonly ApiKeyModel['secretHash'][] }) & {
  readonly organizationId?: string
}

const UUID_LENGTH = 36
const MAX_ID_LENGTH = 128

/**
 * The id of a new key: a UUID and the organization, so that an exchange of the id for a token finds the key without a
 * search of all organizations. It says where to look, and proves nothing. The UUID alone if the two are too long for an
 * id, or have a colon, which ends a client id in `Basic` (RFC 7617).
 */
export function newKeyId(uuid: string, organizationId: string): string {
  const id = `${uuid}.${organizationId}`
  return id.length > MAX_ID_LENGTH || id.includes(':') ? uuid : id
}

/** The organization that an id names; undefined for one of the earlier form, a UUID alone. */
function organizationNamedIn(id: string): string | undefined {
  return id[UUID_LENGTH] === '.' ? id.slice(UUID_LENGTH + 1) : undefined
}

function whereOf({ organizationId: given, ...key }: KeyReference) {
  const organizationId = given ?? ('id' in key ? organizationNamedIn(key.id) : undefined)
  const referred = 'id' in key ? { id: key.id } : { secretHash: { in: [...key.hashes] } }
  return { ...(organizationId !== undefined && { organizationId }), ...referred }
}

export type FoundApiKey = Pick<ApiKeyModel, 'organizationId' | 'id' | 'chainId' | 'secretHash'>

/** Finds a key; all organizations are searched unless one is given, or named in the id. */
export async function findApiKey({ models }: Tables, key: KeyReference): Promise<FoundApiKey | undefined> {
  const select = { organizationId: true, id: true, chainId: true, secretHash: true }
  return (await models.apiKey.findFirst({ where: whereOf(key), select })) ?? undefined
}

export type KeyOwnerRow = NonNullable<Awaited<ReturnType<typeof findKeyOwner>>>

export function findKeyOwner({ models }: Tables, key: KeyReference) {
  return models.apiKey.findFirst({
    where: whereOf(key),
    select: { ...summary, createdBy: true, organization: { select: { name: true } }, team: { select: { name: true } } },
  })
}

/** The team of a key; null without a team, and if there is no such key. Always one query. */
export async function findTeamOfKey({ models }: Tables, { organizationId, id }: KeyId): Promise<string | null> {
  const where = { organizationId_id: { organizationId, id } }
  return (await models.apiKey.findUnique({ where, select: { teamId: true } }))?.teamId ?? null
}

// The first key stands for the chain: it stays the first, however the chain grows.
const lock = createRowLock({
  table: schema.ApiKey,
  strength: 'NO KEY UPDATE',
  read: [
    'id',
    'organizationId',
    'teamId',
    'kind',
    'name',
    'permissions',
    'createdAt',
    'expiresAt',
    'revokedAt',
    'revokedBy',
    'chainId',
    'rotation',
  ],
  more: { now: [Prisma.sql`now()`, 'timestamptz'] },
  order: 'rotation',
})

/** A key whose chain is locked, and when the transaction began by the clock of the database. */
export type LockedApiKey = NonNullable<Awaited<ReturnType<typeof lockKeyChain>>>

/**
 * Locks the chain of a key, and then the key, before it is rotated or revoked; undefined if there is no such key. Later
 * statements see all keys of the chain.
 */
export async function lockKeyChain(
  transaction: Tables,
  { organizationId, id, chainId }: Pick<FoundApiKey, 'organizationId' | 'id' | 'chainId'>,
) {
  const locked = await transaction.run(lock, { organizationId, ids: [chainId, id] })
  return locked.find((key) => key.id === id)
}

export async function findKeyOfRotation(
  { models }: Tables,
  { organizationId, chainId, rotation }: Pick<ApiKeyModel, 'organizationId' | 'chainId' | 'rotation'>,
): Promise<string | undefined> {
  const where = { organizationId_chainId_rotation: { organizationId, chainId, rotation } }
  return (await models.apiKey.findUnique({ where, select: { id: true } }))?.id
}

export type RevokedKey = Pick<ApiKeyModel, 'id' | 'organizationId' | 'teamId'>

/** Revokes a key, or a chain, that is locked, and returns the keys that were not revoked before, the oldest first. */
export async function revokeApiKeys(
  { models }: Tables,
  keys: KeyId | Pick<ApiKeyModel, 'organizationId' | 'chainId'>,
  revocation: { readonly revokedBy: ApiKeyRevocation; readonly revokedAt: Date },
): Promise<RevokedKey[]> {
  const revoked = await models.apiKey.updateManyAndReturn({
    where: { ...keys, revokedAt: null },
    data: { ...revocation, version: { increment: 1 } },
    select: { id: true, organizationId: true, teamId: true, rotation: true },
  })
  return revoked.toSorted((one, other) => one.rotation - other.rotation)
}

export async function endApiKey({ models }: Tables, key: KeyId, expiresAt: Date): Promise<void> {
  await models.apiKey.updateMany({ where: { ...key }, data: { expiresAt, version: { increment: 1 } } })
}

/** Records that a key is used now, unless its last recorded use is later than a time. */
export async function writeKeyUse(
  { models }: Tables,
  { organizationId, id }: KeyId,
  { now, ifBefore }: { readonly now: Date; readonly ifBefore: Date },
): Promise<void> {
  const isDue = { OR: [{ lastUsedAt: null }, { lastUsedAt: { lte: ifBefore } }] }
  const data = { lastUsedAt: now, version: { increment: 1 } }
  await models.apiKey.updateMany({ where: { organizationId, id, ...isDue }, data })
}

/** Replaces the hash of a key's secret, unless it has already been replaced. */
export async function replaceSecretHash(
  { models }: Tables,
  { organizationId, id, secretHash }: FoundApiKey,
  replacement: ApiKeyModel['secretHash'],
): Promise<void> {
  await models.apiKey.updateMany({ where: { organizationId, id, secretHash }, data: { secretHash: replacement } })
}
