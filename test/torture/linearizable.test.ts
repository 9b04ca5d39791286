import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { isLinearizable } from '../trial/linearizable.js'

/** A call of a register: what was written, or read. */
interface Call {
  readonly start: number
  readonly end: number
  readonly write?: number
  readonly read?: number
}

const isPossible = (calls: readonly Call[]) =>
  isLinearizable(
    0 as number,
    calls,
    (state, { write, read }) => (read === undefined ? (write ?? state) : read === state ? state : undefined),
    String,
  )

describe('histories', () => {
  it('are possible if a moment within each call explains every answer', () => {
    expect(isPossible([])).toBe(true)
    // The read overlaps the write: it may come before or after.
    expect(
      isPossible([
        { start: 0, end: 9, write: 1 },
        { start: 1, end: 2, read: 0 },
      ]),
    ).toBe(true)
    expect(
      isPossible([
        { start: 0, end: 9, write: 1 },
        { start: 1, end: 2, read: 1 },
      ]),
    ).toBe(true)
  })

  it('are impossible if a write is lost', () => {
    expect(
      isPossible([
        { start: 0, end: 1, write: 1 },
        { start: 2, end: 3, read: 0 },
      ]),
    ).toBe(false)
  })

  it('are impossible if an old value returns', () => {
    const write = { start: 0, end: 9, write: 1 }
    expect(isPossible([write, { start: 1, end: 2, read: 1 }, { start: 3, end: 4, read: 0 }])).toBe(false)
  })

  it('are possible for sequential calls, and impossible with another answer', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 8 }),
        fc.nat(7),
        (values, wrong) => {
          const calls = values.flatMap((value, index): Call[] => [
            { start: 4 * index, end: 4 * index + 1, write: value },
            { start: 4 * index + 2, end: 4 * index + 3, read: value },
          ])
          expect(isPossible(calls)).toBe(true)
          const index = wrong % values.length
          const other = { start: 4 * index + 2, end: 4 * index + 3, read: 9 }
          expect(isPossible(calls.with(2 * index + 1, other))).toBe(false)
        },
      ),
    )
  })
})
