import { ServiceError } from '../../errors.js'
import { endApiKey, findKeyOfRotation, revokeApiKeys } from '../../store/api-key.js'
import { deleteApiKeySessions, shortenApiKeySessions } from '../../store/api-key-session.js'
import { keyPermissions } from '../caller/caller.js'
import {
  addApiKey,
  findKeyFor,
  givableEnd,
  type KeyTools,
  keyEvent,
  lockKeyFor,
  type NewApiKey,
  recordKeyEvents,
  requireGivable,
} from './api-key.js'

/** How long a key stays valid beside its successor by default: 24 hours. */
export const DEFAULT_OVERLAP_SECONDS = 86_400

export interface Rotation extends NewApiKey {
  readonly rotatedFrom: string
  /** When the key that was rotated ends, by the clock of the database; undefined if it is revoked. */
  readonly endsAt: Date | undefined
}

/**
 * Creates the successor of a live key, with the same kind, reach, name and lifetime, but no longer than the caller's
 * own rights last. The old key ends after the overlap, at once if that is 0, or earlier if it was to expire before; its
 * tokens end with it. Records audit events. A key has one successor. Throws `RESOURCE_NOT_FOUND`, `PERMISSION_MISSING`
 * if the key has a permission that the caller lacks, and `API_KEY_NOT_ROTATABLE`.
 */
export async function rotateApiKey(
  tools: KeyTools,
  { id, overlapSeconds }: { readonly id: string; readonly overlapSeconds: number },
): Promise<Rotation> {
  const key = await findKeyFor(tools, id)
  return tools.database.transaction(async (transaction) => {
    const old = await lockKeyFor(tools, transaction, key)
    requireGivable(tools.call, old)
    const { organizationId, chainId, teamId, kind, name, now } = old
    const rotation = old.rotation + 1
    const successorId = await findKeyOfRotation(transaction, { organizationId, chainId, rotation })
    if (successorId !== undefined)
      throw notRotatable(id, `was already rotated: its successor is ${successorId}`, { successorId })
    if (old.revokedAt !== null) throw notRotatable(id, 'is revoked: create a new key instead')
    if (old.expiresAt !== null && old.expiresAt <= now) throw notRotatable(id, 'has expired: create a new key instead')

    // The successor gets the original lifetime of the key.
    const end = old.expiresAt && new Date(now.getTime() + old.expiresAt.getTime() - old.createdAt.getTime())
    const successor = await addApiKey(tools, transaction, {
      organizationId,
      teamId,
      kind,
      name,
      permissions: keyPermissions.filter((permission) => old.permissions.includes(permission)),
      expiresAt: givableEnd(tools.call, old, end),
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
    await recordKeyEvents(tools, transaction, [rotated, created, ...revoked])
    return { ...successor, rotatedFrom: id, endsAt: overlapSeconds > 0 ? endsAt : undefined }
  })
}

function notRotatable(id: string, fault: string, metadata: Readonly<Record<string, string>> = {}): ServiceError {
  return new ServiceError('API_KEY_NOT_ROTATABLE', `${id} ${fault}`, {
    metadata: { resourceType: 'api_key', resourceId: id, ...metadata },
  })
}
