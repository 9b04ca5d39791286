import { describe, expect, it } from '@jest/globals'
import { nextAttemptAt } from '../../src/domain/webhook/delivery.js'

const now = new Date('2026-01-31T09:05:00Z')
const secondsAfter = (attempts: number, retryAfter?: string, random = 0.5) => {
  const at = nextAttemptAt(attempts, retryAfter, now, random)
  return at && (at.getTime() - now.getTime()) / 1_000
}
const hour = 3_600

describe('the attempts of a delivery', () => {
  it('follow after 5 s, 5 and 30 min, 2, 5, 10, 14, 20 and 24 h, and end with the tenth', () => {
    const pauses = Array.from({ length: 10 }, (_, index) => secondsAfter(index + 1))
    const planned = [5, 300, 1_800, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour, undefined]
    expect(pauses).toEqual(planned)
  })

  it('are a fifth sooner or later', () => {
    expect(secondsAfter(2, undefined, 0)).toBeCloseTo(240)
    expect(secondsAfter(2, undefined, 1)).toBeCloseTo(360)
  })

  it.each([
    ['a number of seconds', '3600', hour],
    ['a date', 'Sat, 31 Jan 2026 10:05:00 GMT', hour],
    ['a date with a short year', 'Saturday, 31-Jan-26 10:05:00 GMT', hour],
    ['a date of C', 'Sat Jan 31 10:05:00 2026', hour],
    ['less than the pause', '1', 300],
    ['more than a day', '999999999', 24 * hour],
    ['what cannot be read', 'soon', 300],
    ['a date that is none of HTTP', '2027-01-01', 300],
    ['a fraction', '3600.5', 300],
    ['the past', 'Sat, 31 Jan 2025 10:05:00 GMT', 300],
  ])('keep a Retry-After with %s', (_, retryAfter, expected) => {
    expect(secondsAfter(2, retryAfter)).toBe(expected)
  })
})
