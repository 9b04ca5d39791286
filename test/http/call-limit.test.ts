import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createCallLimit } from '../../src/http/call-limit.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { eventually } from '../support/eventually.js'
import { fixture, insertFixture, insertUserToken } from '../support/fixture.js'
import { lockOf, whileLocked } from '../support/lock-wait.js'
import { patientSessions, type RestAnswer, startTestService, type TestService } from '../support/service.js'

describe('a limit of calls', () => {
  const [first = {}, second = {}, third = {}, ...others] = Array.from({ length: 100 }, () => ({}))

  it('runs only so many calls at a time, and the next one when one ends', () => {
    const limit = createCallLimit(2)
    limit.begin(first, 'acme')
    limit.begin(second, 'globex')
    expect(() => limit.begin(third, 'initech')).toThrow(expect.objectContaining({ reason: 'SERVICE_UNAVAILABLE' }))
    limit.end(third)
    expect(() => limit.begin(third, 'initech')).toThrow('the service is busy; try again')
    limit.end(first)
    limit.begin(third, 'initech')
  })

  it('gives one organization at most half of them, and leaves the rest to others', () => {
    const limit = createCallLimit(4)
    limit.begin(first, 'acme')
    limit.begin(second, 'acme')
    expect(() => limit.begin(third, 'acme')).toThrow(
      expect.objectContaining({
        reason: 'SERVICE_UNAVAILABLE',
        message: 'the organization has too many calls running; try again',
      }),
    )
    limit.begin(third, 'globex')
    limit.end(second)
    limit.end(second)
    limit.begin(second, 'acme')
    expect(() => limit.begin(others, 'acme')).toThrow('the organization has')
  })

  /** A limit of eight calls, all of which run, and a clock that stands still. */
  const createBusyLimit = () => {
    const clock = { millis: 0 }
    const limit = createCallLimit(8, () => clock.millis)
    const taken = others.slice(0, 8)
    const beginAll = () => {
      for (const [index, request] of taken.entries()) limit.begin(request, index % 2 === 0 ? 'acme' : 'globex')
    }
    beginAll()
    const refuse = (count: number) =>
      Array.from({ length: count }, () => {
        try {
          limit.begin(third, 'initech')
        } catch (error) {
          return error instanceof Error && 'retryAfterSeconds' in error ? error.retryAfterSeconds : error
        }
        return undefined
      })
    const answerAll = (times: number) => {
      for (let time = 0; time < times; time++) {
        for (const request of taken) limit.end(request)
        beginAll()
      }
    }
    return { clock, refuse, answerAll }
  }

  it('spreads retries: per second a quarter of the calls that it completes', () => {
    const { refuse } = createBusyLimit()
    expect(refuse(7)).toEqual([1, 1, 1, 2, 2, 3, 3])
    expect(refuse(60).slice(-2)).toEqual([30, 30])
  })

  it('delays retries the more, the fewer calls it completed in a second with refusals', () => {
    const lastOfMany = (times: number) => {
      const { clock, refuse, answerAll } = createBusyLimit()
      refuse(1)
      answerAll(times)
      clock.millis = 60_000
      return refuse(41).at(-1)
    }
    // After 80, 8 and no answers in a second.
    expect([lastOfMany(10), lastOfMany(1), lastOfMany(0)]).toEqual([2, 20, 30])
  })

  it('does not take a light load for its capacity', () => {
    const { clock, refuse, answerAll } = createBusyLimit()
    answerAll(1)
    clock.millis = 60_000
    expect(refuse(7).at(-1)).toBe(3)
  })
})

describe('a service above its limit of calls', () => {
  let testDatabase: TestDatabase
  let service: TestService
  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    // Nothing else ends a call that waits, however long its machine takes for 300 of them.
    const sessions = { ...patientSessions, maxWaitMillis: 600_000 }
    service = await startTestService({ testDatabase, sessions, config: { maxCallSeconds: 600 } })
    await insertFixture(service.database)
  })
  afterAll(async () => {
    await service.close()
    await testDatabase.drop()
  })

  it('refuses the excess at once, keeps reporting its health, and logs no fault', async () => {
    const token = await insertUserToken(service.database, { userId: fixture.users.manager })
    const update = () =>
      service.rest('PATCH', `/v2/priorities/${fixture.priorities.it}`, { token, json: { name: 'Late' } })
    const calls = await whileLocked(testDatabase, lockOf('priorities'), async () => {
      const answers: RestAnswer[] = []
      const running = Array.from({ length: 300 }, async () => {
        const answer = await update()
        answers.push(answer)
        return answer
      })
      const message = 'the organization has too many calls running; try again'
      await eventually(() => expect(answers.map(({ json }) => json.message)).toContain(message))
      const refused = answers.find(({ json }) => json.message === message)
      expect([refused?.status, refused?.json.code]).toEqual([503, 'unavailable'])
      expect(refused?.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/)
      expect((await fetch(`${service.baseUrl}/readyz`)).status).toBe(200)
      return running
    })
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(10)
    expect(statuses.every((status) => status === 200 || status === 503)).toBe(true)
    expect((await update()).status).toBe(200)
    const logged = service.logLines.filter((line) => line.includes('"level":50'))
    expect(logged).toEqual([])
  })
})
