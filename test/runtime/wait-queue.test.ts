import { describe, expect, it } from '@jest/globals'
import { createWaitQueue } from '../../src/runtime/wait-queue.js'
import { eventually } from '../support/eventually.js'

describe('a wait queue', () => {
  it('releases waiters in order of arrival, each once', () => {
    const queue = createWaitQueue<string>({ maxWaiting: 3, maxWaitMillis: 1_000 }, () => {})
    for (const waiter of ['a', 'b', 'c']) queue.add(waiter)
    expect([queue.take(2), queue.size, queue.take(2), queue.take(1)]).toEqual([['a', 'b'], 1, ['c'], []])
  })

  it('refuses at once when it is full, and admits again when a waiter has left', () => {
    const refused: string[] = []
    const queue = createWaitQueue<string>({ maxWaiting: 1, maxWaitMillis: 1_000 }, (waiter) => refused.push(waiter))
    for (const waiter of ['a', 'b']) queue.add(waiter)
    expect(refused).toEqual(['b'])
    expect(queue.take(1)).toEqual(['a'])
    queue.add('c')
    expect([refused, queue.take(1)]).toEqual([['b'], ['c']])
  })

  it('refuses those who have waited too long, and none too early', async () => {
    const refused: { waiter: string; millis: number }[] = []
    const start = performance.now()
    const queue = createWaitQueue<string>({ maxWaiting: 9, maxWaitMillis: 60 }, (waiter) => {
      refused.push({ waiter, millis: performance.now() - start })
      if (waiter === 'a') queue.add('late')
    })
    for (const waiter of ['a', 'b', 'c']) queue.add(waiter)
    await eventually(() => expect(refused.length).toBe(4))
    expect(refused.map(({ waiter }) => waiter)).toEqual(['a', 'b', 'c', 'late'])
    expect(refused.every(({ waiter, millis }) => millis >= (waiter === 'late' ? 119 : 59))).toBe(true)
  })

  it('keeps the process alive only while there are waiters', () => {
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
    const before = timers()
    const queue = createWaitQueue<string>({ maxWaiting: 3, maxWaitMillis: 60_000 }, () => {})
    for (const waiter of ['a', 'b']) {
      queue.add(waiter)
      expect(timers()).toBe(before + 1)
      queue.take(1)
      expect(timers()).toBe(before)
    }
  })
})
