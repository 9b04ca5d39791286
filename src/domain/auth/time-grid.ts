import type { Timing } from '../../db/retries.js'

/** The interval between the moments at which a response may leave, in milliseconds. */
const GRID_MILLIS = 50
/** More than a timer may be late. */
const NEAR_MILLIS = 3
/** Shorter than any timer. */
const TURN_MILLIS = 0.5

/**
 * Releases the outcome of the work, even a failure, at the next multiple of 50 ms after its start, so that the timing
 * of the response does not reveal what the work found.
 */
export async function onTimeGrid<T>(timing: Pick<Timing, 'now' | 'sleep'>, work: () => Promise<T>): Promise<T> {
  const start = timing.now()
  try {
    return await work()
  } finally {
    const leave = start + GRID_MILLIS * Math.max(1, Math.ceil((timing.now() - start) / GRID_MILLIS))
    // Timers count whole milliseconds, so how late one fires would reveal when the work ended. They are used only to
    // get close; the rest is waited for turn by turn of the event loop.
    for (let left = leave - timing.now(); left > 0; left = leave - timing.now()) {
      await timing.sleep(left > NEAR_MILLIS ? left - NEAR_MILLIS : Math.min(left, TURN_MILLIS))
    }
  }
}
