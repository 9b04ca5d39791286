import { Prisma } from '../../gen/prisma/client.js'
import type { IdempotencyKeyModel } from '../../gen/prisma/models.js'
import { createStatement, type Places } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import type { ServiceError } from '../errors.js'

/** Identifies a call: its caller chooses the key, which is unique per caller and method. */
export type IdempotencyName = Pick<IdempotencyKeyModel, 'organizationId' | 'actorKind' | 'actorId' | 'method' | 'key'>

/** A call to be executed unless it has been already. */
export interface IdempotencyClaim extends IdempotencyName {
  /** SHA-256 of the request. */
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

const isNamed = (name: Places<IdempotencyName>) => Prisma.sql`
       organization_id = ${name.organizationId} AND actor_kind = ${name.actorKind}::actor_kind
   AND actor_id = ${name.actorId} AND method = ${name.method} AND key = ${name.key}`

// An existing row is locked even if it stays unchanged, so that it is still there to be read.
const claim = createStatement<IdempotencyClaim, { readonly claimed: boolean }>({
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

/** An executed call: the hash of its request, its answer, and whether that has expired. */
export type ExecutedCall = StoredAnswer & Pick<IdempotencyKeyModel, 'requestHash'> & { readonly isExpired: boolean }

const select = createStatement<IdempotencyName, ExecutedCall>({
  name: 'select_idempotency_key',
  columns: { requestHash: 'bytea', answer: 'text', entityTag: 'text', error: 'json', isExpired: 'bool' },
  text: (name) => Prisma.sql`
SELECT request_hash AS "requestHash", answer, entity_tag AS "entityTag", error, expires_at <= now() AS "isExpired"
  FROM idempotency_keys WHERE ${isNamed(name)}`,
})

/** `error` is its JSON. */
type Kept = IdempotencyName & Pick<StoredAnswer, 'answer' | 'entityTag'> & { readonly error: string | null }

const keep = createStatement<Kept, Record<never, never>>({
  name: 'keep_idempotency_answer',
  columns: {},
  text: (kept) => Prisma.sql`
UPDATE idempotency_keys SET answer = ${kept.answer}, entity_tag = ${kept.entityTag}, error = ${kept.error}::json WHERE ${isNamed(kept)}`,
})

interface SweptKeys {
  readonly organizationId: string
  readonly rows: number
}

// Rows that are in use are left to the next sweep.
const sweep = createStatement<SweptKeys, { readonly deleted: number }>({
  name: 'sweep_idempotency_keys',
  columns: { deleted: 'int4' },
  text: ({ organizationId, rows }) => Prisma.sql`
WITH due AS (
  SELECT actor_kind, actor_id, method, key FROM idempotency_keys
   WHERE organization_id = ${organizationId} AND expires_at <= now()
   LIMIT ${rows} FOR UPDATE SKIP LOCKED
), deleted AS (
  DELETE FROM idempotency_keys k USING due
   WHERE k.organization_id = ${organizationId} AND (k.actor_kind, k.actor_id, k.method, k.key) = (due.actor_kind, due.actor_id, due.method, due.key)
  RETURNING true
)
SELECT count(*)::int AS deleted FROM deleted`,
})

/** The statements of this file. */
export const idempotencyKeyStatements = [claim, select, keep, sweep]

/**
 * Claims a call for the transaction; false if it was executed already. Waits for a transaction anywhere that is about
 * to execute it. An expired call is claimed anew.
 */
export async function claimIdempotencyKey(transaction: Tables, call: IdempotencyClaim): Promise<boolean> {
  const claimed = await transaction.run(claim, call)
  return claimed.length > 0
}

/** The call with this name; undefined if none was executed. */
export async function selectIdempotencyKey(tables: Tables, name: IdempotencyName): Promise<ExecutedCall | undefined> {
  const [row] = await tables.run(select, name)
  return row
}

/** Keeps the answer of a call that the transaction has claimed. */
export async function keepIdempotencyAnswer(
  transaction: Tables,
  name: IdempotencyName,
  { answer, entityTag, error }: StoredAnswer,
): Promise<void> {
  await transaction.run(keep, { answer, entityTag, error: error === null ? null : JSON.stringify(error), ...name })
}

/** Deletes an organization's expired calls, `rows` at a time. Returns how many rows were deleted. */
export async function sweepIdempotencyKeys(
  tables: Pick<Tables, 'run'>,
  { organizationId, rows }: SweptKeys,
): Promise<number> {
  let swept = 0
  for (let last = rows; last === rows; swept += last) {
    const [row] = await tables.run(sweep, { organizationId, rows })
    last = row?.deleted ?? 0
  }
  return swept
}
