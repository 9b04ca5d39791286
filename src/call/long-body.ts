import { setImmediate as nextTurn } from 'node:timers/promises'

/** The length in bytes from which a message takes milliseconds to be read and checked. */
export const LONG_BODY = 64 * 1024

let latest: Promise<void> = Promise.resolve()

/**
 * Waits, if a body is long, for a turn of the event loop in which no other long one is read. Those of callers who were
 * admitted together would otherwise all be read in one, and everybody else would wait for it.
 */
export function turnOfBody(bytes: Uint8Array): Promise<void> | undefined {
  if (bytes.length < LONG_BODY) return undefined
  latest = latest.then(() => nextTurn())
  return latest
}
