/** How long after each failed attempt the next one follows, in seconds; after the tenth there is none. */
const PAUSES = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
/** Pauses differ by up to a fifth either way, so that receivers that were down do not get everything at once. */
const SPREAD = 0.2
/** The longest `Retry-After` that is kept. */
const MAX_PAUSE_MILLIS = 86_400_000

/**
 * When the attempt after a failed one is due, by its number from 1 and the receiver's `Retry-After` (RFC 9110, section
 * 10.2.3); undefined if it was the last. `random` is from 0 to below 1.
 */
export function nextAttemptAt(
  attempts: number,
  retryAfter: string | undefined,
  now: Date,
  random: number,
): Date | undefined {
  const pause = PAUSES[attempts - 1]
  if (pause === undefined) return undefined
  const planned = pause * 1_000 * (1 - SPREAD + 2 * SPREAD * random)
  const asked = Math.min(millisFrom(retryAfter, now), MAX_PAUSE_MILLIS)
  return new Date(now.getTime() + Math.max(planned, asked))
}

function millisFrom(retryAfter = '', now: Date): number {
  if (/^[0-9]{1,9}$/.test(retryAfter)) return Number(retryAfter) * 1_000
  const date = Date.parse(retryAfter)
  return Number.isNaN(date) ? 0 : date - now.getTime()
}
