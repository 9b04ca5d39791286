import type { DatabaseClock } from '../db/clock.js'
import { pause } from '../db/retries.js'
import type { Tables } from '../db/tables.js'
import type { Runtime } from '../runtime/runtime.js'
import { deleteOldAuditEvents, deleteOldEvents } from '../store/event-retention.js'
import { organizationIdsAfter } from '../store/organization.js'
import { deleteOldAttempts } from '../store/revoke-attempt.js'
import {
  deleteExpiredAnswers,
  deleteExpiredSessions,
  deleteExpiredUserTokens,
  deleteOldDeliveries,
  type ExpiredOf,
} from '../store/sweep.js'
import { deleteEndedRoles } from '../store/team-member.js'
import { recordAuditEvents, systemActor } from './audit/audit-event.js'
import { REVOKE_SPAN_SECONDS } from './auth/revoke-limiter.js'
import type { Background } from './event/sequencer.js'

/** The most rows that one statement deletes, so that nothing stays locked for long. */
const BATCH = 1_000
const PAUSE_MILLIS = 60_000

const DAY_MILLIS = 86_400_000

/** For a day, holders of an expired token get an error that says so. */
const TOKEN_KEPT_MILLIS = DAY_MILLIS

/** Clocks differ a little: no role is removed before it has ended by every clock. */
const ROLE_KEPT_MILLIS = 60_000

/** Organizations that are swept together: all of a thousand once in ten minutes. */
const ORGANIZATIONS = 100

/** How many days the deliveries of webhooks are kept that have ended. */
const DELIVERY_DAYS = 30

/** Observes the events that were too old. Must not throw. */
export interface RetentionObserver {
  eventsDeleted(from: 'feed' | 'audit_log', rows: number): void
}

export interface SweepOptions {
  readonly runtime: Runtime
  /**
   * Days for which events are kept: in the feed, and at least as long in the audit log, where undefined means forever.
   */
  readonly retention: { readonly eventRetention: number; readonly auditRetention?: number | undefined }
  readonly observer?: RetentionObserver | undefined
}

/**
 * Deletes expired tokens, expired answers and old events, and removes ended team roles, in the next `ORGANIZATIONS`
 * after an organization. Returns the id of the last one, or an empty text if there are no more.
 */
export async function sweepOrganizations(tables: Tables, after: string, options: SweepOptions): Promise<string> {
  const { runtime } = options
  const organizationIds = await organizationIdsAfter(tables, after, ORGANIZATIONS)
  const now = runtime.now()
  const by = new Date(now.getTime() - ROLE_KEPT_MILLIS)
  const tokensBy = new Date(now.getTime() - TOKEN_KEPT_MILLIS)
  for (const organizationId of organizationIds) {
    for (const deleteTokens of [deleteExpiredSessions, deleteExpiredUserTokens]) {
      await repeatedly((rows) => deleteTokens(tables, { organizationId, by: tokensBy, rows }))
    }
    await repeatedly((rows) => deleteExpiredAnswers(tables, { organizationId, by: now, rows }))
    await repeatedly((rows) => removeEndedRoles(tables, { organizationId, by, rows }, runtime))
    await deleteOld(tables, organizationId, options)
  }
  return organizationIds.length < ORGANIZATIONS ? '' : (organizationIds.at(-1) ?? '')
}

/** Deletes old events from the feed before the audit log, which keeps those of the feed. */
async function deleteOld(
  tables: Tables,
  organizationId: string,
  { runtime, retention: { eventRetention, auditRetention }, observer }: SweepOptions,
): Promise<void> {
  const deleteFrom = (from: 'feed' | 'audit_log', days: number, deleteRows: typeof deleteOldEvents) => {
    const by = new Date(runtime.now().getTime() - days * DAY_MILLIS)
    return repeatedly(async (rows) => {
      const deleted = await deleteRows(tables, { organizationId, by, rows })
      observer?.eventsDeleted(from, deleted)
      return deleted
    })
  }
  const oldDeliveries = new Date(runtime.now().getTime() - DELIVERY_DAYS * DAY_MILLIS)
  await repeatedly((rows) => deleteOldDeliveries(tables, { organizationId, by: oldDeliveries, rows }))
  await deleteFrom('feed', eventRetention, deleteOldEvents)
  if (auditRetention !== undefined) await deleteFrom('audit_log', auditRetention, deleteOldAuditEvents)
}

/** Removes ended team roles, with an event for each, which take effect no longer anyway. */
function removeEndedRoles(tables: Tables, ended: ExpiredOf, runtime: Runtime): Promise<number> {
  return tables.transaction(async (transaction) => {
    const removed = await deleteEndedRoles(transaction, ended)
    const event = { organizationId: ended.organizationId, action: 'team_member.remove' } as const
    const events = removed.map(({ teamId, userId }) => ({ ...event, targetId: userId, teamId }))
    if (events.length > 0) await recordAuditEvents(transaction, events, { actor: systemActor, runtime })
    return events.length
  })
}

/** Deletes batches until one is not full. */
async function repeatedly(deleteRows: (rows: number) => Promise<number>): Promise<void> {
  for (let last = BATCH; last >= BATCH; ) last = await deleteRows(BATCH)
}

/**
 * Sweeps once a minute until the signal aborts; then it resolves. A failure is logged, and the next sweep tries again.
 * Nothing is swept while the clock of the machine is wrong.
 */
export async function runSweeper({
  database,
  clock,
  log,
  timing,
  signal,
  keyCheck,
  ...options
}: SweepOptions &
  Background & {
    readonly clock: Pick<DatabaseClock, 'measure' | 'isRight' | 'aheadMillis'>
    /** Called once a minute to write again with the current keys what previous ones have written. */
    readonly keyCheck?: { reseal(): Promise<void> }
  }): Promise<void> {
  let last = ''
  while (!signal.aborted) {
    try {
      await clock.measure()
      if (!clock.isRight()) {
        const seconds = Math.round(clock.aheadMillis() / 1_000)
        throw new Error(`the clock of this machine is ${seconds} s ahead of the database's: synchronize both`)
      }
      await deleteOldAttempts(database, { spanSeconds: REVOKE_SPAN_SECONDS })
      last = await sweepOrganizations(database, last, options)
      if (!signal.aborted) await keyCheck?.reseal()
    } catch (err) {
      log.warn({ err }, 'expired rows could not be deleted')
    }
    await pause(PAUSE_MILLIS, signal, timing)
  }
}
