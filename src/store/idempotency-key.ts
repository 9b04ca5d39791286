import { Prisma } from '../../gen/prisma/client.js'
import type { IdempotencyKeyModel } from '../../gen/prisma/models.js'
import { createLookUp, type Tables } from '../db/tables.js'
import type { ServiceError } from '../errors.js'

/** Identifies a call: its caller chooses the key, which is unique per caller and method. */
export type IdempotencyName = Pick<IdempotencyKeyModel, 'organizationId' | 'actorKind' | 'actorId' | 'method' | 'key'>

export interface IdempotencyClaim extends IdempotencyName {
  readonly requestHash: Uint8Array
  readonly keptSeconds: number
}

/** The parts of an error that are kept: what its caller sees. */
export type StoredError = Pick<ServiceError, 'reason' | 'message' | 'metadata' | 'violations'>

/** The answer of a call: the JSON of its message and its entity tag, or an error. */
export interface StoredAnswer {
  readonly answer: string | null
  readonly entityTag: string | null
  readonly error: StoredError | null
}

/**
 * Claims a call for the transaction; undefined if it was executed already. Waits for any other transaction that is
 * executing it. An expired call is claimed again. An existing row is locked even if it stays unchanged, so that it is
 * still there to be read.
 */
export const claimIdempotencyKey = createLookUp<IdempotencyClaim, { readonly claimed: boolean }>({
  name: 'claim_idempotency_key',
  columns: { claimed: 'bool' },
  text: (call) => Prisma.sql`
INSERT INTO idempotency_keys AS k (organization_id, actor_kind, actor_id, method, key, request_hash, expires_at)
VALUES (${call.organizationId}, ${call.actorKind}::actor_kind, ${call.actorId}, ${call.method}, ${call.key},
        ${call.requestHash}, now() + make_interval(secs => ${call.keptSeconds}))
    ON CONFLICT (organization_id, actor_kind, actor_id, method, key) DO UPDATE
   SET request_hash = excluded.request_hash, answer = NULL, error = NULL,
       created_at = excluded.created_at, expires_at = excluded.expires_at
 WHERE k.expires_at <= excluded.created_at
RETURNING true AS claimed`,
})

export type ExecutedCall = StoredAnswer & Pick<IdempotencyKeyModel, 'requestHash' | 'expiresAt'>

export async function findIdempotencyKey({ models }: Tables, name: IdempotencyName): Promise<ExecutedCall | undefined> {
  const found = await models.idempotencyKey.findFirst({
    where: name,
    select: { requestHash: true, answer: true, entityTag: true, error: true, expiresAt: true },
  })
  if (found === null) return undefined
  const error: StoredError | null = found.error === null ? null : JSON.parse(found.error)
  return { ...found, error }
}

export async function storeIdempotencyAnswer(
  { models }: Tables,
  name: IdempotencyName,
  { answer, entityTag, error }: StoredAnswer,
): Promise<void> {
  // Of many, since `update` would return the key, in which an enum as text is not constant.
  await models.idempotencyKey.updateMany({
    where: name,
    data: { answer, entityTag, error: error === null ? null : JSON.stringify(error) },
  })
}
