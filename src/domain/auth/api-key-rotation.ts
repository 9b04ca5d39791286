import type { Tables } from '../../db/tables.js'
import { endApiKey, findApiKey, insertApiKey, revokeApiKeys } from '../../store/api-key.js'
import { findKeyOfRotation, findKeyToRotate, insertKeyRotation, lockKeyChain } from '../../store/api-key-rotation.js'
import { deleteApiKeySessions, shortenApiKeySessions } from '../../store/api-key-session.js'
import { recordAuditEvents, systemActor } from '../audit/audit-event.js'
import { permissions } from '../caller/caller.js'
import { type ApiKeyOptions, keyEvent, type NewApiKey } from './api-key.js'
import { createApiKeySecret } from './api-key-secret.js'

/** What rotating needs. */
export interface RotationOptions extends ApiKeyOptions {
  readonly database: ApiKeyOptions['database'] & Parameters<typeof findApiKey>[0]
}

/** A key to be rotated. */
export interface RotationRequest {
  readonly id: string
  /** How long the key stays valid beside its successor; 0 revokes it at once. */
  readonly overlapSeconds: number
  /** Who rotates it, in words for people; default: not known. */
  readonly createdBy?: string
}

/** The successor of a key. */
export interface Rotation extends NewApiKey {
  readonly rotatedFrom: string
  /** When the key that was rotated ends, by the clock of the database; undefined if it is revoked. */
  readonly endsAt: Date | undefined
}

/** Why a key is not rotated: it does not exist, has ended, or has a successor, whose id is `by`. */
export type RotationRefusal =
  | { readonly refused: 'not found' | 'revoked' | 'expired' }
  | { readonly refused: 'rotated'; readonly by: string }

/**
 * Makes the successor of a live key, of the same kind and with the same reach and name, which lasts as long as the key
 * was made to last. The key ends after the overlap, or before if it was to; its tokens end with it. Records audit
 * events. A key has one successor.
 */
export async function rotateApiKey(
  options: RotationOptions,
  { id, ...request }: RotationRequest,
): Promise<Rotation | RotationRefusal> {
  const { database } = options
  const found = await findApiKey(database, id)
  if (found === undefined) return { refused: 'not found' }
  const key = { organizationId: found.organizationId, id }
  return database.transaction((transaction) => rotate(options, transaction, key, request))
}

interface RotatedKey {
  readonly organizationId: string
  readonly id: string
}

async function rotate(
  { hasher, runtime }: RotationOptions,
  transaction: Tables,
  key: RotatedKey,
  { overlapSeconds, createdBy = '' }: Omit<RotationRequest, 'id'>,
): Promise<Rotation | RotationRefusal> {
  const { organizationId } = key
  const chain = await lockKeyChain(transaction, key)
  const old = await findKeyToRotate(transaction, key)
  if (chain === undefined || old === undefined) return { refused: 'not found' }
  const { chainId, now } = chain
  const rotation = old.rotation + 1
  const successor = await findKeyOfRotation(transaction, { organizationId, chainId, rotation })
  if (successor !== undefined) return { refused: 'rotated', by: successor }
  if (old.revokedAt !== null) return { refused: 'revoked' }
  if (old.expiresAt !== null && old.expiresAt <= now) return { refused: 'expired' }

  const { teamId, kind, name } = old
  const expiresAt = old.expiresAt && new Date(now.getTime() + old.expiresAt.getTime() - old.createdAt.getTime())
  const granted = permissions.filter((permission) => old.permissions.includes(permission))
  const id = runtime.newId()
  const secret = createApiKeySecret(kind, runtime)
  const reach = { organizationId, teamId, kind, name, permissions: granted }
  await insertApiKey(transaction, { ...reach, id, secretHash: hasher.hash(secret), expiresAt, createdBy })
  await insertKeyRotation(transaction, { organizationId, chainId, rotation, id })
  const endsAt = earlier(old.expiresAt, new Date(now.getTime() + overlapSeconds * 1000))
  // A key that ends when it is revoked says that its leak has been dealt with: reports of it leave the successor alone.
  await endApiKey(transaction, key, endsAt)
  if (overlapSeconds > 0) await shortenApiKeySessions(transaction, key, endsAt)
  else {
    const ended = { organizationId, ids: [key.id] }
    await revokeApiKeys(transaction, ended, { revokedBy: 'OPERATOR', revokedAt: endsAt })
    await deleteApiKeySessions(transaction, ended)
  }
  const actions = [
    keyEvent('api_key.rotate', { ...key, teamId }),
    keyEvent('api_key.create', { organizationId, id, teamId }),
    ...(overlapSeconds === 0 ? [keyEvent('api_key.revoke', { ...key, teamId })] : []),
  ]
  const events = actions.map((event) => ({ ...event, actor: systemActor }))
  await recordAuditEvents(transaction, events, runtime)
  const made = { id, secret, kind, organizationId, teamId: teamId ?? undefined, permissions: granted }
  return {
    ...made,
    expiresAt: expiresAt ?? undefined,
    rotatedFrom: key.id,
    endsAt: overlapSeconds > 0 ? endsAt : undefined,
  }
}

function earlier(end: Date | null, other: Date): Date {
  return end !== null && end < other ? end : other
}
