import type { Timing } from '../db/retries.js'
import type { Tables } from '../db/tables.js'
import type { Runtime } from '../runtime/runtime.js'
import { deleteExpiredIdempotencyKeys } from '../store/idempotency-key.js'
import { organizationIdsAfter } from '../store/organization.js'
import { deleteExpiredTokens, deleteRevokeAttempts } from '../store/sweep.js'
import { REVOKE_SPAN_SECONDS } from './auth/revoke-limiter.js'

/** The most rows that one statement deletes, so that no lock is held for long. */
const BATCH = 1_000
/** How long to wait after a sweep, in milliseconds. */
const PAUSE_MILLIS = 60_000

/** For a day, holders of an expired token get an error that says so. */
const KEPT_MILLIS = 86_400_000

/** Deletes expired tokens and counts of addresses. Returns the number of deleted rows. */
export async function sweepCredentials(tables: Tables, now: Date): Promise<number> {
  const by = new Date(now.getTime() - KEPT_MILLIS)
  return (
    (await repeatedly((rows) => deleteExpiredTokens(tables, { by, rows }))) +
    (await repeatedly((rows) => deleteRevokeAttempts(tables, { spanSeconds: REVOKE_SPAN_SECONDS, rows })))
  )
}

/** Organizations that are swept together: all of a thousand once in ten minutes. */
const ORGANIZATIONS = 100

/**
 * Deletes the expired answers of the next organizations after one. Returns the last of these organizations, or an empty
 * text if they were the last of all.
 */
export async function sweepOrganizations(tables: Tables, after: string, now: Date): Promise<string> {
  const organizationIds = await organizationIdsAfter(tables, after, ORGANIZATIONS)
  for (const organizationId of organizationIds) {
    await repeatedly((rows) => deleteExpiredIdempotencyKeys(tables, { organizationId, by: now, rows }))
  }
  return organizationIds.length < ORGANIZATIONS ? '' : (organizationIds.at(-1) ?? '')
}

/** Deletes until there are fewer rows than at most. */
async function repeatedly(deleteRows: (rows: number) => Promise<number>): Promise<number> {
  let deleted = 0
  for (let last = BATCH; last >= BATCH; deleted += last) last = await deleteRows(BATCH)
  return deleted
}

/** What a running sweeper needs. */
export interface SweeperOptions {
  readonly database: Tables
  readonly log: { warn(fields: { err: unknown }, message: string): void }
  readonly timing: Pick<Timing, 'sleep'>
  readonly runtime: Pick<Runtime, 'now'>
  /** Ends the sweeper. */
  readonly signal: AbortSignal
}

/**
 * Sweeps once a minute until the signal aborts; then it resolves. A failure is logged, and the next sweep tries again.
 */
export async function runSweeper({ database, log, timing, runtime, signal }: SweeperOptions): Promise<void> {
  let last = ''
  while (!signal.aborted) {
    try {
      await sweepCredentials(database, runtime.now())
      last = await sweepOrganizations(database, last, runtime.now())
    } catch (err) {
      log.warn({ err }, 'expired rows could not be deleted')
    }
    await timing.sleep(PAUSE_MILLIS, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  }
}
