import { ServiceError } from '../../errors.js'
import { createWaitQueue, type WaitLimits } from '../../runtime/wait-queue.js'

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
 * Makes a lookup whose calls share loads: keys asked for in one turn of the event loop, or while loads are running, go
 * into the next one. A call is never answered from a load that began before it, so it sees whatever was committed
 * before the call; nothing is cached. The time limits of a load are those of `load`.
 */
export function createBatchedLookup<Key, Found>(
  load: (keys: readonly Key[]) => Promise<(key: Key) => Found>,
  limits: WaitLimits = DEFAULT_LIMITS,
): Lookup<Key, Found> {
  const waiting = createWaitQueue<Waiting<Key, Found>>(limits, ({ reject }) => {
    reject(new ServiceError('SERVICE_UNAVAILABLE', 'the service is busy; try again', { retryAfterSeconds: 1 }))
  })
  let loads = 0
  let isPlanned = false

  const plan = () => {
    if (isPlanned || loads === MAX_LOADS || waiting.size === 0) return
    isPlanned = true
    setImmediate(() => {
      isPlanned = false
      const batch = waiting.take(MAX_KEYS)
      if (batch.length > 0) void run(batch)
      plan()
    })
  }

  const run = async (batch: readonly Waiting<Key, Found>[]): Promise<void> => {
    loads++
    try {
      const foundFor = await load(batch.map(({ key }) => key))
      for (const { key, resolve } of batch) resolve(foundFor(key))
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
    loads--
    plan()
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.add({ key, resolve, reject })
      plan()
    })
}
