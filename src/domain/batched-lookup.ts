/** Finds what belongs to a key; rejects with what `load` rejects with. */
export type Lookup<Key, Found> = (key: Key) => Promise<Found>

/** So many loads may be under way at once, and so many keys go with one of them. */
const MAX_LOADS = 2
const MAX_KEYS = 128

interface Waiting<Key, Found> {
  readonly key: Key
  readonly resolve: (found: Found) => void
  readonly reject: (error: unknown) => void
}

/**
 * Makes a lookup whose calls share their loads: what is asked for while loads are under way goes with the next one. A call
 * is never answered from a load that began before it, so that what was committed before the call is seen; nothing is kept.
 */
export function createBatchedLookup<Key, Found>(
  load: (keys: readonly Key[]) => Promise<(key: Key) => Found>,
): Lookup<Key, Found> {
  let waiting: Waiting<Key, Found>[] = []
  let loads = 0

  const run = async (): Promise<void> => {
    loads++
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAX_KEYS)
      waiting = waiting.slice(MAX_KEYS)
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
      waiting.push({ key, resolve, reject })
      if (loads < MAX_LOADS) void run()
    })
}
