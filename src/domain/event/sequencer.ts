import { pause, type Timing } from '../../db/retries.js'
import type { Tables } from '../../db/tables.js'
import type { Runtime } from '../../runtime/runtime.js'
import { createEventHead, MAX_SEQUENCED, readBacklog, readFeedStates, sequenceEvents } from '../../store/event.js'
import type { FeedSignals } from './feed-signals.js'

/**
 * How often the sequencer looks for events that calls of this process wait for, whichever process wrote or sequenced
 * them.
 */
const LOOK_MILLIS = 10
/** How long events that nobody waits for are gathered, so that many share a round. */
const GATHER_MILLIS = 200
/** How often the outbox is searched for events that no process has sequenced, and failed organizations are retried. */
const SWEEP_MILLIS = 1_000
/** The pause after a round, as a multiple of its duration, and its maximum. */
const PAUSE_OF_TURN = 3
const MAX_PAUSE_MILLIS = 100

/** Observes the events between their commit and the feed. Must not throw. */
export interface SequencerObserver {
  /** Called with the number of events that have got positions. */
  sequenced(events: number): void
  /** Called with the number of writes whose events have no position, and the age of the oldest. */
  waiting(writes: number, oldestSeconds: number): void
}

/** The dependencies of background work. */
export interface Background {
  readonly database: Tables
  readonly runtime: Runtime
  readonly timing: Timing
  readonly log: { warn(fields: { err: unknown; organizationId?: string; endpointId?: string }, message: string): void }
  /** Aborting it ends the sequencer. */
  readonly signal: AbortSignal
}

/** The options of a sequencer; all who wait end with it. */
export interface SequencerOptions extends Background {
  readonly signals: FeedSignals
  readonly observer?: SequencerObserver | undefined
}

/**
 * Gives events their positions in the feeds: at once if a call of this process waits for them, soon after a commit of
 * this process, and within a second after a commit of a process that has died. Any number of processes may run it. Runs
 * until the signal aborts; failures are logged and retried.
 */
export async function runSequencer(options: SequencerOptions): Promise<void> {
  const { database, signals, log, timing, signal } = options
  let gatheredAt = Number.NEGATIVE_INFINITY
  let sweptAt = Number.NEGATIVE_INFINITY
  const failing = new Set<string>()
  while (!signal.aborted) {
    const startedAt = timing.now()
    try {
      const behind = new Set(await notifyWaiting(database, signals))
      if (startedAt - gatheredAt >= GATHER_MILLIS) {
        gatheredAt = startedAt
        for (const organizationId of signals.takeCommitted()) behind.add(organizationId)
        if (startedAt - sweptAt >= SWEEP_MILLIS) {
          sweptAt = startedAt
          failing.clear()
          for (const organizationId of await sweepOutbox(options)) behind.add(organizationId)
        }
      }
      for (const organizationId of behind) {
        if (!failing.has(organizationId) && !(await sequence(options, organizationId))) failing.add(organizationId)
      }
    } catch (err) {
      log.warn({ err }, 'the outbox of events could not be read')
      await pause(SWEEP_MILLIS, signal, timing)
    }
    const pauseMillis = Math.min((timing.now() - startedAt) * PAUSE_OF_TURN, MAX_PAUSE_MILLIS)
    await pause(Math.max(LOOK_MILLIS, pauseMillis), signal, timing)
  }
  signals.stop()
}

/**
 * Notifies waiting calls of how far the feeds have got, and returns the organizations whose events have no positions
 * yet.
 */
async function notifyWaiting(database: Tables, signals: FeedSignals): Promise<string[]> {
  const waitedFor = signals.waitedFor()
  if (waitedFor.length === 0) return []
  const feeds = await readFeedStates(database, { organizationIds: waitedFor })
  for (const { organizationId, position } of feeds) signals.advanced(organizationId, position)
  return feeds.flatMap(({ organizationId, isBehind }) => (isBehind ? organizationId : []))
}

/** Reports how far behind all feeds are, and returns the organizations whose events have no positions. */
async function sweepOutbox({ database, runtime, observer }: SequencerOptions): Promise<readonly string[]> {
  const { organizationIds, writes, oldestAt } = await readBacklog(database)
  const now = runtime.now().getTime()
  observer?.waiting(writes, Math.max(0, now - (oldestAt?.getTime() ?? now)) / 1_000)
  return organizationIds
}

/** Gives positions to all committed events of an organization. Returns whether it could; a failure is logged. */
async function sequence(
  { database, signals, log, observer }: SequencerOptions,
  organizationId: string,
): Promise<boolean> {
  try {
    for (let writes = MAX_SEQUENCED; writes >= MAX_SEQUENCED; ) {
      const sequenced = await sequenceEvents(database, { organizationId })
      if (sequenced === undefined || sequenced.position === null) {
        // If another process had the lock on the head, it may have begun before the commit.
        await createEventHead(database, organizationId)
        signals.committed(organizationId)
        return true
      }
      writes = sequenced.writes
      observer?.sequenced(sequenced.events)
      signals.advanced(organizationId, sequenced.position)
      signals.emit('placed', organizationId)
    }
    return true
  } catch (err) {
    log.warn({ err, organizationId }, 'events could not be given positions')
    return false
  }
}
