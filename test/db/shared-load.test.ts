import { describe, expect, it } from '@jest/globals'
import { createSharedLoad } from '../../src/db/replica-freshness.js'

/** Loads that end when the test says so; each answers its number. */
function createLoads() {
  const ends: ((error?: Error) => void)[] = []
  const load = createSharedLoad(
    () =>
      new Promise<number>((resolve, reject) => {
        const number = ends.length
        ends.push((error) => (error === undefined ? resolve(number) : reject(error)))
      }),
  )
  return { load, ends }
}

describe('a shared load', () => {
  it('begins at once if none is running', async () => {
    const { load, ends } = createLoads()
    const first = load()
    ends[0]?.()
    expect(await first).toBe(0)
    const second = load()
    ends[1]?.()
    expect(await second).toBe(1)
  })

  it('makes callers that arrive while one runs share the next one', async () => {
    const { load, ends } = createLoads()
    const first = load()
    const others = [load(), load(), load()]
    expect(ends).toHaveLength(1)
    ends[0]?.()
    expect(await first).toBe(0)
    await Promise.resolve()
    ends[1]?.()
    expect(await Promise.all(others)).toEqual([1, 1, 1])
    expect(ends).toHaveLength(2)
  })

  it('fails only for the callers that share it', async () => {
    const { load, ends } = createLoads()
    const first = load()
    const second = load()
    ends[0]?.(new Error('lost'))
    await expect(first).rejects.toThrow('lost')
    await Promise.resolve()
    ends[1]?.()
    expect(await second).toBe(1)
  })
})
