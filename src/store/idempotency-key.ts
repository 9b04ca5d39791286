import { Prisma } from '../../gen/prisma/client.js'
import type { IdempotencyKeyModel } from '../../gen/prisma/models.js'
import type { PreparedQueryable, PreparedTransaction, Queryable } from '../db/queryable.js'
import { createPreparedStatement, createStatement, type Places } from '../db/statement.js'
import type { ServiceError } from '../errors.js'

/** Which call it is: what its caller calls it is the caller's own, and one of the method. */
export type IdempotencyName = Pick<IdempotencyKeyModel, 'organizationId' | 'actorKind' | 'actorId' | 'method' | 'key'>

/** A call that is executed unless it has been. */
export interface IdempotencyClaim extends IdempotencyName {
  /** SHA-256 of what is asked for. */
  readonly requestHash: Uint8Array
  readonly keptSeconds: number
}

/** What of an error is kept: what its caller sees. */
export type StoredError = Pick<ServiceError, 'reason' | 'message' | 'metadata' | 'violations'>

/** What a call was answered: the JSON of its message and its entity tag, or an error. */
export interface StoredAnswer {
  readonly answer: string | null
  readonly entityTag: string | null
  readonly error: StoredError | null
}

const isNamed = (name: Places<IdempotencyName>) => Prisma.sql`
       organization_id = ${name.organizationId} AND actor_kind = ${name.actorKind}::actor_kind
   AND actor_id = ${name.actorId} AND method = ${name.method} AND key = ${name.key}`

// A row that is there is locked even where it stays as it is, so that it is there to be read.
const claim = createPreparedStatement<IdempotencyClaim, { readonly claimed: boolean }>({
  name: 'claim_idempotency_key',
  reason: 'lock',
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

/** A call that was executed: what it had asked for, what it was answered, and whether that is to be forgotten. */
export type ExecutedCall = StoredAnswer & Pick<IdempotencyKeyModel, 'requestHash'> & { readonly isExpired: boolean }

const select = createPreparedStatement<IdempotencyName, ExecutedCall>({
  name: 'select_idempotency_key',
  reason: 'lock',
  columns: { requestHash: 'bytea', answer: 'text', entityTag: 'text', error: 'json', isExpired: 'bool' },
  text: (name) => Prisma.sql`
SELECT request_hash AS "requestHash", answer, entity_tag AS "entityTag", error, expires_at <= now() AS "isExpired"
  FROM idempotency_keys WHERE ${isNamed(name)}`,
})

/** `error` is its JSON. */
type Kept = IdempotencyName & Pick<StoredAnswer, 'answer' | 'entityTag'> & { readonly error: string | null }

const keep = createPreparedStatement<Kept, Record<never, never>>({
  name: 'keep_idempotency_answer',
  reason: 'lock',
  columns: {},
  text: (kept) => Prisma.sql`
UPDATE idempotency_keys SET answer = ${kept.answer}, entity_tag = ${kept.entityTag}, error = ${kept.error}::json WHERE ${isNamed(kept)}`,
})

interface SweptKeys {
  readonly organizationId: string
  readonly rows: number
}

// Rows that somebody works on are left to the next sweep.
const sweep = createStatement<SweptKeys, { readonly deleted: number }>({
  name: 'sweep_idempotency_keys',
  reason: 'set',
  columns: { deleted: 'int4' },
  text: ({ organizationId, rows }) => Prisma.sql`
WITH deleted AS (
  DELETE FROM idempotency_keys k
   WHERE k.organization_id = ${organizationId}
     AND k.ctid = ANY (ARRAY(SELECT ctid FROM idempotency_keys
                              WHERE organization_id = ${organizationId} AND expires_at <= now()
                              LIMIT ${rows} FOR UPDATE SKIP LOCKED))
  RETURNING true
)
SELECT count(*)::int AS deleted FROM deleted`,
})

/** The statements of this file. */
export const idempotencyKeyStatements = [claim, select, keep, sweep]

/**
 * Claims a call for the transaction. False where it was executed already; a transaction that is about to do so, anywhere,
 * is waited for. What has expired is claimed anew.
 */
export async function claimIdempotencyKey(transaction: PreparedTransaction, call: IdempotencyClaim): Promise<boolean> {
  const claimed = await transaction.run(claim, call)
  return claimed.length > 0
}

/** The call of a name; undefined where none was executed. */
export async function selectIdempotencyKey(
  tables: PreparedQueryable,
  name: IdempotencyName,
): Promise<ExecutedCall | undefined> {
  const [row] = await tables.run(select, name)
  return row
}

/** Keeps the answer of a call that the transaction has claimed. */
export async function keepIdempotencyAnswer(
  transaction: PreparedTransaction,
  name: IdempotencyName,
  { answer, entityTag, error }: StoredAnswer,
): Promise<void> {
  await transaction.run(keep, { answer, entityTag, error: error === null ? null : JSON.stringify(error), ...name })
}

/** Deletes what has expired of an organization, `rows` at a time. Answers how many rows went. */
export async function sweepIdempotencyKeys(
  tables: Pick<Queryable, 'run'>,
  { organizationId, rows }: SweptKeys,
): Promise<number> {
  let swept = 0
  for (let last = rows; last === rows; swept += last) {
    const [row] = await tables.run(sweep, { organizationId, rows })
    last = row?.deleted ?? 0
  }
  return swept
}
