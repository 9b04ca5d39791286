import { randomBytes } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import { validate, version } from 'uuid'
import { createUuidV7 } from '../../src/runtime/uuid-v7.js'

/** A maker with a clock that the test sets. */
function withClock(start: number) {
  const clock = { now: start }
  return { clock, newId: createUuidV7({ now: () => clock.now, randomBytes }) }
}

const timeOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

describe('new ids', () => {
  it('are version 7 UUIDs with the time of the clock', () => {
    const { clock, newId } = withClock(Date.parse('2026-01-31T09:05:00Z'))
    for (const now of [clock.now, 2 ** 48 - 1]) {
      clock.now = now
      const id = newId()
      expect([validate(id), version(id), timeOf(id)]).toEqual([true, 7, now])
    }
  })

  it('are distinct and in order of creation, even within a millisecond', () => {
    const { clock, newId } = withClock(1_000_000)
    const ids = Array.from({ length: 20_000 }, (_, index) => {
      if (index % 1000 === 0) clock.now++
      return newId()
    })
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.toSorted()).toEqual(ids)
  })

  it('stay in order when the clock is set back', () => {
    const { clock, newId } = withClock(1_000_000)
    const before = newId()
    clock.now -= 500
    expect(newId() > before).toBe(true)
  })

  it('stay in order whatever the random bytes are', () => {
    for (const fill of [0x00, 0x7f, 0x80, 0xff]) {
      const newId = createUuidV7({ now: () => 1000, randomBytes: (size) => new Uint8Array(size).fill(fill) })
      const ids = [newId(), newId(), newId()]
      expect(ids.every((id) => validate(id) && version(id) === 7)).toBe(true)
      expect(new Set(ids).size).toBe(3)
      expect(ids.toSorted()).toEqual(ids)
    }
  })

  it('are distinct across two generators with the same clock', () => {
    const [one, other] = [withClock(1000), withClock(1000)]
    expect(one.newId()).not.toBe(other.newId())
  })
})
