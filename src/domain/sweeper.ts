import type { Tables } from '../db/tables.js'
import type { Timing } from '../db/transaction.js'
import { sweepIdempotencyKeys } from '../store/idempotency-key.js'
import { organizationIdsAfter } from '../store/organization.js'
import { sweep } from '../store/sweep.js'
import { REVOKE_SPAN_SECONDS } from './auth/revoke-limiter.js'

/** The most rows that one statement deletes, so that no lock is held for long. */
const BATCH = 1_000
/** How long to wait after a sweep, in milliseconds. */
const PAUSE_MILLIS = 60_000

/** For a day, holders of an expired token get an error that says so. */
const KEPT_SECONDS = 86_400

/** Deletes expired tokens and counts of addresses. Returns the number of deleted rows. */
export function sweepCredentials(tables: Tables): Promise<number> {
  return sweep(tables, { keptSeconds: KEPT_SECONDS, spanSeconds: REVOKE_SPAN_SECONDS, rows: BATCH })
}

/** Organizations that are swept together: all of a thousand once in ten minutes. */
const ORGANIZATIONS = 100

/**
 * Deletes the expired answers of the next organizations behind one. Answers the last of these organizations, the empty
 * text where they were the last of all.
 */
export async function sweepOrganizations(tables: Tables, after: string): Promise<string> {
  const organizationIds = await organizationIdsAfter(tables, after, ORGANIZATIONS)
  for (const organizationId of organizationIds) {
    await sweepIdempotencyKeys(tables, { organizationId, rows: BATCH })
  }
  return organizationIds.length < ORGANIZATIONS ? '' : (organizationIds.at(-1) ?? '')
}

/** What a running sweeper needs. */
export interface SweeperOptions {
  readonly database: Tables
  readonly log: { warn(fields: { err: unknown }, message: string): void }
  readonly timing: Pick<Timing, 'sleep'>
  /** Ends the sweeper. */
  readonly signal: AbortSignal
}

/**
 * Sweeps once a minute until the signal aborts; then it resolves. A failure is logged, and the next sweep tries again.
 */
export async function runSweeper({ database, log, timing, signal }: SweeperOptions): Promise<void> {
  let last = ''
  while (!signal.aborted) {
    try {
      await sweepCredentials(database)
      last = await sweepOrganizations(database, last)
    } catch (err) {
      log.warn({ err }, 'expired rows could not be deleted')
    }
    await timing.sleep(PAUSE_MILLIS, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  }
}
