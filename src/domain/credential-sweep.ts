import type { Sql } from '../db/sql.js'
import type { Timing } from '../db/transaction.js'
import { REVOKE_SPAN_SECONDS } from './revoke-limiter.js'

/** Rows of a table that one statement deletes at most, so that no lock is held for long. */
const BATCH = 1_000
/** How long to wait after a sweep, in milliseconds. */
const PAUSE_MILLIS = 60_000

// What decides nothing any more. Rows that somebody works on are left to the next sweep.
const expired: Readonly<Record<string, string>> = {
  api_key_sessions: 'expires_at <= now()',
  user_tokens: 'expires_at <= now()',
  revoke_attempts: `accepted_at[cardinality(accepted_at)] < clock_timestamp() - interval '${REVOKE_SPAN_SECONDS} seconds'`,
}

/** Deletes expired tokens and counts of addresses. Answers how many rows went. */
export async function sweepCredentials(sql: Sql): Promise<number> {
  let swept = 0
  for (const [table, condition] of Object.entries(expired)) {
    const statement = `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)) AND ${condition}`
    for (let deleted = BATCH; deleted === BATCH; swept += deleted) deleted = await sql.execute(statement)
  }
  return swept
}

/** What a running sweeper needs. */
export interface SweeperOptions {
  readonly database: Sql
  readonly log: { warn(fields: { err: unknown }, message: string): void }
  readonly timing: Pick<Timing, 'sleep'>
  /** Ends the sweeper. */
  readonly signal: AbortSignal
}

/** Sweeps once a minute until the signal aborts; then it resolves. A failure is logged, and the next sweep tries again. */
export async function runSweeper({ database, log, timing, signal }: SweeperOptions): Promise<void> {
  while (!signal.aborted) {
    try {
      await sweepCredentials(database)
    } catch (err) {
      log.warn({ err }, 'expired credentials could not be swept')
    }
    await timing.sleep(PAUSE_MILLIS, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  }
}
