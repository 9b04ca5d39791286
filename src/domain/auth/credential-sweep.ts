import type { Queryable } from '../../db/queryable.js'
import type { Timing } from '../../db/transaction.js'
import { sweep } from '../../store/sweep.js'
import { REVOKE_SPAN_SECONDS } from './revoke-limiter.js'

/** The most rows that one statement deletes, so that no lock is held for long. */
const BATCH = 1_000
/** How long to wait after a sweep, in milliseconds. */
const PAUSE_MILLIS = 60_000

/** For a day, holders of an expired token are told that it has expired. */
const KEPT_SECONDS = 86_400

/** Deletes expired tokens and counts of addresses. Returns the number of deleted rows. */
export function sweepCredentials(tables: Pick<Queryable, 'run'>): Promise<number> {
  return sweep(tables, { keptSeconds: KEPT_SECONDS, spanSeconds: REVOKE_SPAN_SECONDS, rows: BATCH })
}

/** What a running sweeper needs. */
export interface SweeperOptions {
  readonly database: Pick<Queryable, 'run'>
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
