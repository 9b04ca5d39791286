import { describe, expect, it } from '@jest/globals'
import { databaseFailure } from '../../src/db/errors.js'
import { Turns } from '../../src/db/turns.js'
import { eventually } from '../support/eventually.js'

const patient = { maxWaiting: 1_000, maxWaitMillis: Number.POSITIVE_INFINITY }

/** Begins so many turns of an organization, and notes each that has begun in order. */
function begin(turns: Turns, of: string, count: number, begun: string[] = []): string[] {
  for (let index = 0; index < count; index++) {
    const turn = turns.begin({ of })
    if (turn === undefined) begun.push(of)
    else void turn.then(() => begun.push(of))
  }
  return begun
}

describe('turns', () => {
  it('an organization has half of those that the others leave, however many want one', () => {
    const turns = new Turns(100, patient)
    const most = ['acme', 'globex', 'initech', 'umbrella'].map((of) => begin(turns, of, 100).length)
    expect(most).toEqual([50, 25, 13, 6])
    expect([turns.taken, turns.waiting, turns.roomFor('hooli')]).toEqual([94, 306, 3])
  })

  it('one place is anybody’s', () => {
    const turns = new Turns(1, patient)
    expect([turns.roomFor('acme'), begin(turns, 'acme', 2)]).toEqual([1, ['acme']])
  })

  it('who names no organization may have all', () => {
    const turns = new Turns(4, patient)
    for (let count = 0; count < 4; count++) expect(turns.begin()).toBeUndefined()
    expect(turns.roomFor()).toBe(0)
  })

  it('whoever has the fewest is next, then who has waited the longest, one after the other', async () => {
    const turns = new Turns(1, patient)
    void turns.begin()
    const begun: string[] = []
    begin(turns, 'acme', 4, begun)
    begin(turns, 'globex', 2, begun)
    begin(turns, 'initech', 1, begun)
    for (let ended = 0; ended < 7; ended++) {
      turns.end(begun.at(-1))
      await eventually(() => expect(begun).toHaveLength(ended + 1))
    }
    expect(begun).toEqual(['acme', 'globex', 'initech', 'acme', 'globex', 'acme', 'acme'])
    turns.end('acme')
    expect([turns.taken, turns.waiting]).toEqual([0, 0])
  })

  it('those that end give others the room that they leave', async () => {
    const turns = new Turns(8, patient)
    const acme = begin(turns, 'acme', 8)
    const globex = begin(turns, 'globex', 8)
    expect([acme.length, globex.length]).toEqual([4, 2])
    for (let count = 0; count < 4; count++) turns.end('acme')
    await eventually(() => expect([acme.length, globex.length]).toEqual([7, 3]))
    expect(turns.taken).toBe(6)
  })

  it('a full queue, and a wait that is too long, fail as a busy pool does, and only for whose they are', async () => {
    const turns = new Turns(2, { maxWaiting: 1, maxWaitMillis: 30 })
    begin(turns, 'acme', 1)
    const failure = (turn: Promise<void> | undefined) => turn?.catch((error: unknown) => databaseFailure(error))
    const late = failure(turns.begin({ of: 'acme' }))
    const refused = failure(turns.begin({ of: 'acme' }))
    expect(turns.begin({ of: 'globex' })).toBeUndefined()
    expect(await Promise.all([refused, late])).toEqual([{ kind: 'busy' }, { kind: 'busy' }])
    expect(turns.waiting).toBe(0)
  })
})
