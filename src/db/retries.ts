import { setTimeout as delay, setImmediate as immediate } from 'node:timers/promises'
import { databaseFailure } from './errors.js'
import type { TablesUser, TransactionOptions } from './tables.js'

/** The time and randomness that repetitions need. */
export interface Timing {
  /** Monotonic, in milliseconds. */
  now(): number
  /** Less than 1 ms is one turn of the event loop. */
  sleep(millis: number, signal?: AbortSignal): Promise<void>
  /** From 0 to below 1. */
  random(): number
}

/** The machine's clock and randomness. */
export const systemTiming: Timing = {
  now: () => performance.now(),
  sleep: (millis, signal) =>
    millis < 1 ? immediate(undefined, signal && { signal }) : delay(millis, undefined, signal && { signal }),
  random: Math.random,
}

/** Resolves after a time, or when the signal aborts. */
export async function pause(millis: number, until: AbortSignal, timing: Pick<Timing, 'sleep'>): Promise<void> {
  await timing.sleep(millis, until).catch((error: unknown) => {
    if (!until.aborted) throw error
  })
}

/** Counts of repetitions since the start: see `withRetries`. */
export interface RetryCounts {
  /** After a deadlock, a serialization failure or a violated foreign key. */
  conflict: number
  /** After outdated prepared statements. */
  staleStatement: number
}

const MAX_RETRIES = 5
const FIRST_PAUSE_MILLIS = 10

/**
 * Runs the attempt and repeats it, up to five times with growing random pauses, while it fails by a deadlock or a
 * serialization failure, once if prepared statements were outdated, and once if it violates a foreign key, because a
 * row has gone since it looked: in all these cases nothing was done. Throws the failure past the budget or after the
 * last try. An attempt is passed the milliseconds that it has left.
 */
export async function withRetries<T>(
  attempt: (leftMillis: number | undefined) => Promise<T>,
  { signal, timeoutMillis }: Pick<TransactionOptions, 'signal'> & Pick<TablesUser, 'timeoutMillis'>,
  timing: Timing,
  counts: RetryCounts,
): Promise<T> {
  const deadline = timeoutMillis === undefined ? undefined : timing.now() + timeoutMillis
  const repeated: unknown[] = []
  for (let retries = 0; ; retries++) {
    signal?.throwIfAborted()
    try {
      return await attempt(deadline === undefined ? undefined : Math.max(1, Math.ceil(deadline - timing.now())))
    } catch (error) {
      const kind = databaseFailure(error)?.kind
      if ((kind === 'stale_statement' || kind === 'foreign_key_violation') && !repeated.includes(kind)) {
        repeated.push(kind)
        counts[kind === 'stale_statement' ? 'staleStatement' : 'conflict']++
        continue
      }
      if (retries >= MAX_RETRIES || kind !== 'retryable') throw error
      const pause = timing.random() * FIRST_PAUSE_MILLIS * 2 ** retries
      if (deadline !== undefined && timing.now() + pause >= deadline) throw error
      await timing.sleep(pause, signal)
      counts.conflict++
    }
  }
}
