import { setImmediate } from 'node:timers/promises'

/** How long work goes on before others have a turn of the event loop. */
const SLICE_MILLIS = 5

/** The JSON of a list of what is made of each item, without others having to wait for it. */
export async function jsonInSlices<Item>(items: Iterable<Item>, work: (item: Item) => unknown): Promise<string> {
  return `[${(await mapInSlices(items, (item) => JSON.stringify(work(item)))).join(',')}]`
}

/** Maps items in order, yielding to the event loop every few milliseconds, however many items there are. */
export async function mapInSlices<Item, Result>(
  items: Iterable<Item>,
  work: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  let since = performance.now()
  for (const item of items) {
    results.push(work(item, results.length))
    if (performance.now() - since < SLICE_MILLIS) continue
    await setImmediate()
    since = performance.now()
  }
  return results
}

/** The items in lists of at most so many. */
export function batchesOf<Item>(items: readonly Item[], size: number): Item[][] {
  const batches: Item[][] = []
  for (let start = 0; start < items.length; start += size) batches.push(items.slice(start, start + size))
  return batches
}
