import type { Timing } from '../db/transaction.js'

/** Distance of the moments at which an answer may leave, in milliseconds. */
const GRID_MILLIS = 50

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
    // Timers may fire a fraction of a millisecond early.
    for (let left = leave - timing.now(); left > 0; left = leave - timing.now()) await timing.sleep(left)
  }
}
