import type { Timing } from '../../db/transaction.js'

/** Distance of the moments at which an answer may leave, in milliseconds. */
const GRID_MILLIS = 50
/** More than a timer may be late. */
const NEAR_MILLIS = 3
/** Shorter than any timer. */
const TURN_MILLIS = 0.5

/**
 * Lets the outcome of the work out, a failure as well, at the next multiple of 50 ms after its start, so that the time
 * of the answer does not tell what the work has found.
 */
export async function onTimeGrid<T>(timing: Pick<Timing, 'now' | 'sleep'>, work: () => Promise<T>): Promise<T> {
  const start = timing.now()
  try {
    return await work()
  } finally {
    const leave = start + GRID_MILLIS * Math.max(1, Math.ceil((timing.now() - start) / GRID_MILLIS))
    // Timers count whole milliseconds: how far past the moment they fire tells when the work ended. So they are only
    // used to come near; the rest is waited for turn by turn.
    for (let left = leave - timing.now(); left > 0; left = leave - timing.now()) {
      await timing.sleep(left > NEAR_MILLIS ? left - NEAR_MILLIS : Math.min(left, TURN_MILLIS))
    }
  }
}
