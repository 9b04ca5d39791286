import { describe, expect, it } from '@jest/globals'
import { databaseFailure } from '../../src/db/errors.js'
import { Semaphore } from '../../src/runtime/semaphore.js'
import { eventually } from '../support/eventually.js'

const patient = { maxWaiting: 1_000, maxWaitMillis: Number.POSITIVE_INFINITY }

/** Begins so many turns of an organization, and notes each that has begun in order. */
function begin(semaphore: Semaphore, of: string, count: number, begun: string[] = []): string[] {
  for (let index = 0; index < count; index++) {
    const turn = semaphore.acquire({ of })
    if (turn === undefined) begun.push(of)
    else void turn.then(() => begun.push(of))
  }
  return begun
}

describe('turns', () => {
  it('an organization has half of those that the others leave, however many want one', () => {
    const semaphore = new Semaphore(100, patient)
    const most = ['acme', 'globex', 'initech', 'umbrella'].map((of) => begin(semaphore, of, 100).length)
    expect(most).toEqual([50, 25, 13, 6])
    expect([semaphore.taken, semaphore.waiting, semaphore.roomFor('hooli')]).toEqual([94, 306, 3])
  })

  it('one place is anybody’s', () => {
    const semaphore = new Semaphore(1, patient)
    expect([semaphore.roomFor('acme'), begin(semaphore, 'acme', 2)]).toEqual([1, ['acme']])
  })

  it('whoever takes several needs room for the first alone, and gives all of them back', () => {
    const semaphore = new Semaphore(8, patient)
    for (const size of [3, 3]) expect(semaphore.acquire({ of: 'acme', size })).toBeUndefined()
    expect([semaphore.taken, semaphore.roomFor('acme'), semaphore.roomFor('globex')]).toEqual([6, 0, 1])
    semaphore.release('acme', 3)
    expect([semaphore.taken, semaphore.roomFor('acme')]).toEqual([3, 1])
  })

  it('who names no organization may have all', () => {
    const semaphore = new Semaphore(4, patient)
    for (let count = 0; count < 4; count++) expect(semaphore.acquire()).toBeUndefined()
    expect(semaphore.roomFor()).toBe(0)
  })

  it('whoever has the fewest is next, then who has waited the longest, one after the other', async () => {
    const semaphore = new Semaphore(1, patient)
    void semaphore.acquire()
    const begun: string[] = []
    begin(semaphore, 'acme', 4, begun)
    begin(semaphore, 'globex', 2, begun)
    begin(semaphore, 'initech', 1, begun)
    for (let ended = 0; ended < 7; ended++) {
      semaphore.release(begun.at(-1))
      await eventually(() => expect(begun).toHaveLength(ended + 1))
    }
    expect(begun).toEqual(['acme', 'globex', 'initech', 'acme', 'globex', 'acme', 'acme'])
    semaphore.release('acme')
    expect([semaphore.taken, semaphore.waiting]).toEqual([0, 0])
  })

  it('those that end give others the room that they leave', async () => {
    const semaphore = new Semaphore(8, patient)
    const acme = begin(semaphore, 'acme', 8)
    const globex = begin(semaphore, 'globex', 8)
    expect([acme.length, globex.length]).toEqual([4, 2])
    for (let count = 0; count < 4; count++) semaphore.release('acme')
    await eventually(() => expect([acme.length, globex.length]).toEqual([7, 3]))
    expect(semaphore.taken).toBe(6)
  })

  it('a full queue, and a wait that is too long, fail as a busy pool does, and only for whose they are', async () => {
    const semaphore = new Semaphore(2, { maxWaiting: 1, maxWaitMillis: 30 })
    begin(semaphore, 'acme', 1)
    const failure = (turn: Promise<void> | undefined) => turn?.catch((error: unknown) => databaseFailure(error))
    const late = failure(semaphore.acquire({ of: 'acme' }))
    const refused = failure(semaphore.acquire({ of: 'acme' }))
    expect(semaphore.acquire({ of: 'globex' })).toBeUndefined()
    expect(await Promise.all([refused, late])).toEqual([{ kind: 'busy' }, { kind: 'busy' }])
    expect(semaphore.waiting).toBe(0)
  })
})
