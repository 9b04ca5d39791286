import { describe, expect, it } from '@jest/globals'
import { onTimeGrid } from '../../src/domain/auth/revocation.js'

/** A clock that moves only during a sleep or work, and notes the sleeps; its timers fire `early`. */
function createClock(early = 0) {
  let now = 1_000_000.25
  const sleeps: number[] = []
  return {
    sleeps,
    now: () => now,
    sleep: async (millis: number) => {
      sleeps.push(millis)
      now += Math.max(millis - early, 0.125)
    },
    work: (millis: number) => {
      now += millis
    },
  }
}

describe('the response time', () => {
  it.each([
    [0, 50],
    [3, 50],
    [49.5, 50],
    [50, 50],
    [50.125, 100],
    [99, 100],
    [730, 750],
  ])('is, for work of %d ms, %d ms', async (workMillis, expected) => {
    for (const early of [0, 0.5]) {
      const clock = createClock(early)
      const start = clock.now()
      expect(await onTimeGrid(clock, async () => clock.work(workMillis))).toBeUndefined()
      expect(clock.now() - start).toBeGreaterThanOrEqual(expected)
      expect(clock.now() - start).toBeLessThan(expected + 0.25)
    }
  })

  it.each([
    [3, 44],
    [47, 0.5],
    [49.75, 0.25],
  ])(
    'is, for work of %d ms, waited for by a timer that ends shortly before it, if at all: %d ms',
    async (workMillis, first) => {
      const clock = createClock()
      await onTimeGrid(clock, async () => clock.work(workMillis))
      const [timer, ...turns] = clock.sleeps
      expect(timer).toBe(first)
      for (const each of turns) expect(each).toBe(0.5)
    },
  )

  it('is also on the grid for a failure', async () => {
    const clock = createClock()
    const start = clock.now()
    const work = async () => {
      clock.work(3)
      throw new Error('the database is gone')
    }
    await expect(onTimeGrid(clock, work)).rejects.toThrow('the database is gone')
    expect(clock.now() - start).toBe(50)
  })
})
