import type { Tables } from '../../db/tables.js'
import {
  endApiKey,
  type FoundApiKey,
  findApiKey,
  findKeyOfRotation,
  lockKeyChain,
  revokeApiKeys,
} from '../../store/api-key.js'
import { deleteApiKeySessions, shortenApiKeySessions } from '../../store/api-key-session.js'
import { recordAuditEvents, systemActor } from '../audit/audit-event.js'
import { permissions } from '../caller/caller.js'
import { type ApiKeyOptions, addApiKey, keyEvent, type NewApiKey } from './api-key.js'

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
  options: ApiKeyOptions,
  request: RotationRequest,
): Promise<Rotation | RotationRefusal> {
  const { database } = options
  const key = await findApiKey(database, request)
  if (key === undefined) return { refused: 'not found' }
  return database.transaction((transaction) => rotate(options, transaction, key, request))
}

async function rotate(
  options: ApiKeyOptions,
  transaction: Tables,
  key: FoundApiKey,
  { overlapSeconds, createdBy = '' }: RotationRequest,
): Promise<Rotation | RotationRefusal> {
  const old = await lockKeyChain(transaction, key)
  if (old === undefined) return { refused: 'not found' }
  const { organizationId, id, chainId, teamId, kind, name, now } = old
  const rotation = old.rotation + 1
  const by = await findKeyOfRotation(transaction, { organizationId, chainId, rotation })
  if (by !== undefined) return { refused: 'rotated', by }
  if (old.revokedAt !== null) return { refused: 'revoked' }
  if (old.expiresAt !== null && old.expiresAt <= now) return { refused: 'expired' }

  const successor = await addApiKey(options, transaction, {
    organizationId,
    teamId,
    kind,
    name,
    permissions: permissions.filter((permission) => old.permissions.includes(permission)),
    expiresAt: old.expiresAt && new Date(now.getTime() + old.expiresAt.getTime() - old.createdAt.getTime()),
    createdBy,
    chainId,
    rotation,
    previousRotation: old.rotation,
  })
  const overlapEnd = new Date(now.getTime() + overlapSeconds * 1000)
  const endsAt = old.expiresAt !== null && old.expiresAt < overlapEnd ? old.expiresAt : overlapEnd
  await endApiKey(transaction, { organizationId, id }, endsAt)
  if (overlapSeconds > 0) await shortenApiKeySessions(transaction, old, endsAt)
  else {
    await revokeApiKeys(transaction, { organizationId, id }, { revokedBy: 'ROTATION', revokedAt: endsAt })
    await deleteApiKeySessions(transaction, organizationId, [old])
  }
  const rotated = keyEvent('api_key.rotate', old)
  const created = keyEvent('api_key.create', { organizationId, id: successor.id, teamId })
  const revoked = overlapSeconds > 0 ? [] : [keyEvent('api_key.revoke', old)]
  const events = [rotated, created, ...revoked].map((event) => ({ ...event, actor: systemActor }))
  await recordAuditEvents(transaction, events, options.runtime)
  return { ...successor, rotatedFrom: id, endsAt: overlapSeconds > 0 ? endsAt : undefined }
}
