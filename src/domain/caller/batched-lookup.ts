import { createWaitQueue, type WaitLimits } from '../../db/wait-queue.js'
import { ServiceError } from '../../errors.js'

/**
 * Finds what belongs to a key; rejects with what `load` rejects with, or `SERVICE_UNAVAILABLE` if too many are waiting.
 */
export type Lookup<Key, Found> = (key: Key) => Promise<Found>

/** How many loads may run at once, and how many keys go into one. */
const MAX_LOADS = 2
const MAX_KEYS = 128
/** As many as can be answered within the time; any more are better refused at once. */
const DEFAULT_LIMITS: WaitLimits = { maxWaiting: 1_024, maxWaitMillis: 1_000 }

interface Waiting<Key, Found> {
  readonly key: Key
  readonly resolve: (found: Found) => void
  readonly reject: (error: unknown) => void
}

/**
 * Makes a lookup whose calls share loads: keys asked for while loads are running go into the next one. A call is never
 * answered from a load that began before it, so it sees whatever was committed before the call; nothing is cached. The
 * time limits of a load are those of `load`.
 */
export function createBatchedLookup<Key, Found>(
  load: (keys: readonly Key[]) => Promise<(key: Key) => Found>,
  limits: WaitLimits = DEFAULT_LIMITS,
): Lookup<Key, Found> {
  const waiting = createWaitQueue<Waiting<Key, Found>>(limits, ({ reject }) => reject(busy()))
  let loads = 0

  const run = async (): Promise<void> => {
    loads++
    while (waiting.size > 0) {
      const batch = waiting.take(MAX_KEYS)
      try {
        const foundFor = await load(batch.map(({ key }) => key))
        for (const { key, resolve } of batch) resolve(foundFor(key))
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    loads--
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.add({ key, resolve, reject })
      if (loads < MAX_LOADS) void run()
    })
}

function busy(): ServiceError {
  return new ServiceError('SERVICE_UNAVAILABLE', 'the service is busy; try again', { retryAfterSeconds: 1 })
}
