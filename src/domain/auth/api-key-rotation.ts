import type { Tables } from '../../db/tables.js'
import { endKey, findApiKey, insertApiKey, revokeKeyOfId } from '../../store/api-key.js'
import { findKeyOfRotation, findKeyToRotate, insertKeyRotation, lockKeyChain } from '../../store/api-key-rotation.js'
import { deleteApiKeySessions, shortenApiKeySessions } from '../../store/api-key-session.js'
import { recordAuditEvents, systemActor } from '../audit/audit-event.js'
import { permissions } from '../caller/caller.js'
import type { ApiKeyOptions, NewApiKey } from './api-key.js'
import { keyEvent } from './api-key-event.js'
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
  const chainId = await lockKeyChain(transaction, key)
  const old = await findKeyToRotate(transaction, key)
  if (chainId === undefined || old === undefined) return { refused: 'not found' }
  const rotation = old.rotation + 1
  const successor = await findKeyOfRotation(transaction, { organizationId, chainId, rotation })
  if (successor !== undefined) return { refused: 'rotated', by: successor }
  if (old.isRevoked) return { refused: 'revoked' }
  if (old.isExpired) return { refused: 'expired' }

  const { teamId, kind, name, nextExpiresAt: expiresAt } = old
  const granted = permissions.filter((permission) => old.permissions.includes(permission))
  const id = runtime.newId()
  const secret = createApiKeySecret(kind, runtime)
  const reach = { organizationId, teamId, kind, name, permissions: granted }
  await insertApiKey(transaction, { ...reach, id, secretHash: hasher.hash(secret), expiresAt, createdBy })
  await insertKeyRotation(transaction, { organizationId, chainId, rotation, id })
  const endsAt = await endOldKey(transaction, key, overlapSeconds)
  const actions = [
    keyEvent('api_key.rotate', { ...key, teamId }),
    keyEvent('api_key.create', { organizationId, id, teamId }),
    ...(endsAt === undefined ? [keyEvent('api_key.revoke', { ...key, teamId })] : []),
  ]
  const events = actions.map((event) => ({ ...event, actor: systemActor }))
  await recordAuditEvents(transaction, events, runtime)
  const made = { id, secret, kind, organizationId, teamId: teamId ?? undefined, permissions: granted }
  return { ...made, expiresAt: expiresAt ?? undefined, rotatedFrom: key.id, endsAt }
}

/** Ends the key and its tokens, and returns when; undefined if it is revoked. */
async function endOldKey(transaction: Tables, key: RotatedKey, seconds: number): Promise<Date | undefined> {
  if (seconds === 0) {
    // By ending when it is revoked, it says that its leak has been dealt with: reports of it leave the successor alone.
    await endKey(transaction, key, seconds)
    await revokeKeyOfId(transaction, key, 'OPERATOR')
    await deleteApiKeySessions(transaction, { organizationId: key.organizationId, ids: [key.id] })
    return undefined
  }
  const endsAt = await endKey(transaction, key, seconds)
  if (endsAt !== undefined) await shortenApiKeySessions(transaction, key, endsAt)
  return endsAt
}
