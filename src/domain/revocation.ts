import type { ApiKeyRevocation } from '../../gen/prisma/enums.js'
import type { Database } from '../db/database.js'
import { databaseFailure } from '../db/errors.js'
import type { Sql } from '../db/sql.js'
import type { Timing } from '../db/transaction.js'
import { ServiceError } from '../errors.js'
import { inspectApiKeySecret } from './api-key-secret.js'
import { type Actor, anonymousActor, recordAuditEvents, systemActor } from './audit-event.js'
import type { Runtime } from './runtime.js'
import type { SecretHasher } from './secret-hash.js'
import { onTimeGrid } from './time-grid.js'

/** What revoking needs. */
export interface RevocationOptions {
  readonly database: Pick<Database, 'transaction'>
  readonly hasher: SecretHasher
  readonly runtime: Runtime
  readonly timing: Pick<Timing, 'now' | 'sleep'>
  /** How long a revocation may take, in milliseconds; default 5 s. */
  readonly timeoutMillis?: number | undefined
}

/**
 * Revokes the live key of a secret, if it is one. Neither the result nor the time tells whether it was: the same
 * statements run for every text, and the answer, a failure as well, leaves on a grid. When it resolves, no process
 * accepts a token of the key. Throws `SERVICE_UNAVAILABLE` where the database could not do it in time; it may have been
 * done all the same, and may be repeated.
 */
export function revokeLeakedKey(options: RevocationOptions, secret: string, requestId: string): Promise<void> {
  const { database, hasher, runtime, timing, timeoutMillis = 5_000 } = options
  const revoke = async (sql: Sql) => {
    // What has not the form of a secret is not even hashed: it may be a password that somebody pasted.
    const candidates = inspectApiKeySecret(secret).ok
      ? hasher.candidates(secret)
      : hasher.candidates('').map(() => runtime.randomBytes(32))
    const rows = await sql.query<RevokedKey>(revokeKeyOfSecret, [candidates], 'revoke_key_of_secret')
    await endSessions(sql, rows, { runtime, actor: anonymousActor, requestId })
  }
  return onTimeGrid(timing, () =>
    withDatabase(timing, timeoutMillis, () => database.transaction(revoke, { timeoutMillis })),
  )
}

/** Revokes a key by its id, for the operator. Answers `undefined` where there is no such key. */
export async function revokeKeyById(
  { database, runtime }: Pick<RevocationOptions, 'database' | 'runtime'>,
  id: string,
): Promise<{ readonly revokedNow: boolean } | undefined> {
  return database.transaction(async (sql) => {
    const rows = await sql.query<RevokedKey>(revokeKeyOfId, [id])
    await endSessions(sql, rows, { runtime, actor: systemActor })
    if (rows.length > 0) return { revokedNow: true }
    const known = await sql.query('SELECT FROM api_keys WHERE id = $1', [id])
    return known.length > 0 ? { revokedNow: false } : undefined
  })
}

interface RevokedKey {
  readonly id: string
  readonly organization_id: string
  readonly team_id: string | null
}

const revokeKey = (by: ApiKeyRevocation, condition: string) => `
UPDATE api_keys SET revoked_at = now(), revoked_by = '${by}'
 WHERE ${condition} AND revoked_at IS NULL
RETURNING id, organization_id, team_id`

const revokeKeyOfSecret = revokeKey('LEAK_REPORT', 'secret_hash = ANY($1::bytea[])')
const revokeKeyOfId = revokeKey('OPERATOR', 'id = $1')

/** A statement of its own, after the row is ours: it sees the sessions that were made while the update waited. */
const deleteSessions = `DELETE FROM api_key_sessions WHERE api_key_id = ANY($1)`

interface RevocationCircumstances {
  readonly runtime: Runtime
  readonly actor: Actor
  readonly requestId?: string
}

/** Ends the sessions and writes the audit event; sends the same statements where there is nothing to end. */
async function endSessions(sql: Sql, keys: readonly RevokedKey[], circumstances: RevocationCircumstances) {
  const { runtime, actor, requestId } = circumstances
  await sql.execute(deleteSessions, [keys.map(({ id }) => id)], 'delete_sessions')
  const events = keys.map(({ id, organization_id: organizationId, team_id: teamId }) => ({
    organizationId,
    actor,
    action: 'api_key.revoke',
    targetType: 'api_key',
    targetId: id,
    teamId: teamId ?? undefined,
    requestId,
  }))
  await recordAuditEvents(sql, events, runtime)
}

/**
 * Turns every failure of the database, and its silence past the time given, into the one that the specification knows
 * for revocations.
 */
export async function withDatabase<T>(
  timing: Pick<Timing, 'sleep'>,
  timeoutMillis: number,
  work: () => Promise<T>,
): Promise<T> {
  const settled = new AbortController()
  const silence = async () => {
    // The server ends slow statements by itself and says so; this is for one that does not say anything any more.
    await timing.sleep(timeoutMillis + 500, settled.signal)
    throw unavailable(undefined)
  }
  try {
    return await Promise.race([work(), silence()])
  } catch (error) {
    if (error instanceof ServiceError || databaseFailure(error) === undefined) throw error
    throw unavailable(error)
  } finally {
    settled.abort()
  }
}

function unavailable(cause: unknown): ServiceError {
  return new ServiceError('SERVICE_UNAVAILABLE', 'the service is temporarily unavailable; try again', {
    retryAfterSeconds: 1,
    cause,
  })
}
