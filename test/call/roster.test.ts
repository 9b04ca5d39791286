import { describe, expect, it } from '@jest/globals'
import { Roster } from '../../src/call/roster.js'

describe('a roster', () => {
  it('contains those that have joined and not left', () => {
    const roster = new Roster<string>()
    const places = ['a', 'b', 'c'].map((member) => roster.join(member))
    roster.leave(places[1] ?? -1)
    expect([...roster]).toEqual(['a', 'c'])
  })

  it('reuses free places, so that it never exceeds the peak number of members', () => {
    const roster = new Roster<number>()
    const places = new Set<number>()
    for (let call = 0; call < 1_000; call++) {
      const [first, second] = [roster.join(call), roster.join(-call)]
      places.add(first).add(second)
      roster.leave(call % 2 === 0 ? first : second)
      roster.leave(call % 2 === 0 ? second : first)
    }
    expect([[...roster], places.size]).toEqual([[], 2])
  })

  it('skips a member that leaves during iteration', () => {
    const roster = new Roster<string>()
    const [, second] = ['a', 'b'].map((member) => roster.join(member))
    const seen: string[] = []
    for (const member of roster) {
      seen.push(member)
      if (member === 'a') roster.leave(second ?? -1)
    }
    expect(seen).toEqual(['a'])
  })
})
