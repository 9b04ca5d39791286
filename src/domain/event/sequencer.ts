import { pause, type Timing } from '../../db/retries.js'
import type { Tables } from '../../db/tables.js'
import type { Runtime } from '../../runtime/runtime.js'
import { createEventHead, MAX_SEQUENCED, readBacklog, readHeads, sequenceEvents } from '../../store/event.js'
import type { FeedSignals } from './feed-signals.js'

/** How long events gather before the next round, unless somebody who has read all others waits or asks for more. */
const GATHER_MILLIS = 200
/** How often as long as a round the pause after it is at least, however many wait; and how long it is at most. */
const PAUSE_OF_ROUND = 3
const MAX_PAUSE_MILLIS = 100
/** After how long events of an organization are tried again to which another process gives positions. */
const BUSY_MILLIS = 20
/** How often it looks who waits, and how far the feeds are that somebody waits for: other processes give positions, too. */
const WATCH_MILLIS = 200
/** How often the outbox is searched for what no process has given positions to. */
const SWEEP_MILLIS = 1_000

/** Told of the events between their commit and the feed. Nothing of it may throw. */
export interface SequencerObserver {
  /** So many have got positions. */
  sequenced(events: number): void
  /** The events of so many writes have none, the oldest for so long. */
  waiting(writes: number, oldestSeconds: number): void
}

/** What work in the background runs with. */
export interface Background {
  readonly database: Tables
  readonly runtime: Runtime
  readonly timing: Timing
  readonly log: { warn(fields: { err: unknown; organizationId?: string; endpointId?: string }, message: string): void }
  /** Ends it. */
  readonly signal: AbortSignal
}

/** What a sequencer needs; its end is that of all who wait. */
export interface SequencerOptions extends Background {
  readonly signals: FeedSignals
  readonly observer?: SequencerObserver | undefined
}

/**
 * Gives events their positions in the feeds: soon after a commit of this process, and within a second after one of a
 * process that has died. Any number of processes can do so. Runs until the signal aborts; a failure is logged, and
 * tried again.
 */
export async function runSequencer(options: SequencerOptions): Promise<void> {
  const { database, signals, log, timing, signal } = options
  let gathering = new AbortController()
  let idling = new AbortController()
  signals.on('read', () => end(gathering))
  signals.on('commit', () => end(idling))
  signal.addEventListener('abort', () => {
    end(gathering)
    end(idling)
  })
  let sweptAt = Number.NEGATIVE_INFINITY
  while (!signal.aborted) {
    gathering = new AbortController()
    idling = new AbortController()
    const startedAt = timing.now()
    let tookMillis = 0
    const committed = new Set(signals.takeCommitted())
    try {
      for (const organizationId of committed) await sequence(options, organizationId)
      tookMillis = timing.now() - startedAt
      if (timing.now() - sweptAt >= SWEEP_MILLIS) {
        sweptAt = timing.now()
        await sweepOutbox(options, committed)
      }
      await lookAtOthers(database, signals, committed)
    } catch (err) {
      log.warn({ err }, 'the outbox of events could not be read')
    }
    await pause(Math.min(tookMillis * PAUSE_OF_ROUND, MAX_PAUSE_MILLIS), signal, timing)
    const isWaitedFor = signals.waitedFor().length > 0
    if (committed.size > 0 && !isWaitedFor) await pause(GATHER_MILLIS, gathering.signal, timing)
    await pause(WATCH_MILLIS, idling.signal, timing)
  }
  signals.stop()
}

/** Ends a pause. Without a reason of its own, each abort would make an error with a stack. */
function end(paused: AbortController): void {
  if (!paused.signal.aborted) paused.abort(null)
}

/** Gives positions to what others have left behind, and tells how far behind the feeds were. */
async function sweepOutbox(options: SequencerOptions, known: ReadonlySet<string>): Promise<void> {
  const { database, runtime, observer } = options
  const { organizationIds, writes, oldestAt } = await readBacklog(database)
  const now = runtime.now().getTime()
  observer?.waiting(writes, Math.max(0, now - (oldestAt?.getTime() ?? now)) / 1_000)
  const others = organizationIds.filter((organizationId) => !known.has(organizationId))
  for (const organizationId of others) await sequence(options, organizationId)
}

/** Gives positions to all events of an organization that are committed. A failure is logged: others have theirs. */
async function sequence(options: SequencerOptions, organizationId: string): Promise<void> {
  const { database, signals, timing, log, observer } = options
  try {
    for (let writes = MAX_SEQUENCED; writes >= MAX_SEQUENCED; ) {
      const sequenced = await sequenceEvents(database, organizationId)
      if (sequenced === undefined) {
        // If it was another process that had the head, it may have begun before the commit.
        await createEventHead(database, organizationId)
        await timing.sleep(BUSY_MILLIS)
        signals.committed(organizationId)
        return
      }
      writes = sequenced.writes
      observer?.sequenced(sequenced.events)
      signals.advanced(organizationId, sequenced.position)
    }
  } catch (err) {
    log.warn({ err, organizationId }, 'events could not be given positions')
  }
}

/** Tells those who wait of positions that other processes have given. */
async function lookAtOthers(database: Tables, signals: FeedSignals, known: ReadonlySet<string>): Promise<void> {
  const others = signals.waitedFor().filter((organizationId) => !known.has(organizationId))
  if (others.length === 0) return
  for (const [organizationId, position] of await readHeads(database, others)) signals.advanced(organizationId, position)
}
