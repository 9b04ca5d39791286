import { describe, expect, it } from '@jest/globals'
import { createBatchedLookup } from '../../src/domain/caller/batched-lookup.js'
import type { WaitLimits } from '../../src/runtime/wait-queue.js'

/** A load that the test ends; it finds the key in capitals. */
function createLoads(limits?: WaitLimits) {
  const loads: { keys: readonly string[]; end: () => void; fail: (error: Error) => void }[] = []
  const lookup = createBatchedLookup<string, string>(
    (keys) =>
      new Promise((resolve, reject) => {
        loads.push({ keys, end: () => resolve((key) => key.toUpperCase()), fail: reject })
      }),
    limits,
  )
  return { loads, lookup }
}

/** Lets everything that is ready run, and what that makes ready for the next turn of the event loop. */
const settled = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

describe('a batched lookup', () => {
  it('loads all requests of one turn together, and later ones with the next load', async () => {
    const { loads, lookup } = createLoads()
    const found = ['a', 'b'].map(lookup)
    await settled()
    found.push(lookup('c'))
    await settled()
    expect(loads.map(({ keys }) => keys)).toEqual([['a', 'b'], ['c']])
    found.push(...['d', 'e', 'a'].map(lookup))
    await settled()
    expect(loads).toHaveLength(2)
    loads[0]?.end()
    await settled()
    expect(loads[2]?.keys).toEqual(['d', 'e', 'a'])
    for (const { end } of loads) end()
    expect(await Promise.all(found)).toEqual(['A', 'B', 'C', 'D', 'E', 'A'])
  })

  it('never answers a call from a load that began before it', async () => {
    const { loads, lookup } = createLoads()
    const found: Promise<string>[] = []
    for (let call = 0; call < 3; call++) {
      found.push(lookup('a'))
      await settled()
    }
    expect(loads.map(({ keys }) => keys)).toEqual([['a'], ['a']])
    loads[0]?.end()
    loads[1]?.end()
    await settled()
    expect(loads.map(({ keys }) => keys)).toEqual([['a'], ['a'], ['a']])
    loads[2]?.end()
    expect(await Promise.all(found)).toEqual(['A', 'A', 'A'])
  })

  it('fails the calls of a failed load, and continues with the next ones', async () => {
    const { loads, lookup } = createLoads()
    const failed = lookup('a')
    await settled()
    const [other, after] = [lookup('b'), settled().then(() => lookup('c'))]
    await settled()
    loads[0]?.fail(new Error('no database'))
    await expect(failed).rejects.toThrow('no database')
    await settled()
    for (const { end } of loads) end()
    expect(await Promise.all([other, after])).toEqual(['B', 'C'])
  })

  it('limits the wait, and refuses at once when its queue is full', async () => {
    const { loads, lookup } = createLoads({ maxWaiting: 1, maxWaitMillis: 50 })
    const busy = { reason: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 }
    const loading = []
    for (const key of ['a', 'b']) {
      loading.push(lookup(key))
      await settled()
    }
    const order: string[] = []
    const waiting = ['late', 'refused'].map((key) => lookup(key).finally(() => order.push(key)))
    await Promise.all(waiting.map((each) => expect(each).rejects.toMatchObject(busy)))
    expect(order).toEqual(['refused', 'late'])
    for (const { end } of loads) end()
    expect(await Promise.all(loading)).toEqual(['A', 'B'])
    expect(loads).toHaveLength(2)
  })

  it('loads at most 128 keys at once', async () => {
    const { loads, lookup } = createLoads()
    const found = Array.from({ length: 260 }, (_, index) => lookup(`k${index}`))
    await settled()
    expect(loads.map(({ keys }) => keys.length)).toEqual([128, 128])
    loads[0]?.end()
    await settled()
    expect(loads.map(({ keys }) => keys.length)).toEqual([128, 128, 4])
    for (const { end } of loads) end()
    expect((await Promise.all(found))[259]).toBe('K259')
  })
})
