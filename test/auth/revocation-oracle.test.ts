import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { parseTrustProxy } from '../../src/http/client-address.js'
import { insertFixture } from '../support/fixture.js'
import { areaUnderCurve, measureRevokeTimes, type RevokeTimes, secretKinds } from '../support/revoke-times.js'
import { startTestService, type TestService } from '../support/service.js'

/** Of each kind. With so few, equal distributions stay within the bounds below in all but 1 of 10,000 runs. */
const SAMPLES = 40
const BOUNDS = [0.25, 0.75] as const

describe('the response time of a revocation', () => {
  let service: TestService
  let times: RevokeTimes

  beforeAll(async () => {
    service = await startTestService({ config: { trustProxy: parseTrustProxy('1') } })
    await insertFixture(service.database)
    const { baseUrl, database, runtime } = service
    times = await measureRevokeTimes({ baseUrl, database, runtime, samples: SAMPLES })
  })

  afterAll(() => service.stop())

  it.each(secretKinds.filter((kind) => kind !== 'unknown'))(
    'does not reveal whether a %s secret belongs to a key',
    (kind) => {
      const area = areaUnderCurve(times[kind], times.unknown)
      expect(area).toBeGreaterThan(BOUNDS[0])
      expect(area).toBeLessThan(BOUNDS[1])
    },
  )

  it('is never less than one step of the grid', () => {
    expect(Math.min(...Object.values(times).flat())).toBeGreaterThan(49)
  })

  it('would reveal a difference, if there were one, to this measurement', () => {
    // As large as what the times differ by on this machine, from the first to the last tenth.
    const sorted = times.unknown.toSorted((a, b) => a - b)
    const difference = (sorted[0.9 * SAMPLES] ?? 0) - (sorted[0.1 * SAMPLES] ?? 0)
    const shifted = times.unknown.map((time) => time + difference)
    expect(areaUnderCurve(shifted, times.unknown)).toBeGreaterThan(BOUNDS[1])
    expect(areaUnderCurve(times.unknown, times.unknown)).toBe(0.5)
  })
})
