import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createCallLimit } from '../../src/http/call-limit.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { fixture, insertFixture, insertUserToken } from '../support/fixture.js'
import { startTestService, type TestService } from '../support/service.js'

describe('a limit of calls', () => {
  const requests = Array.from({ length: 100 }, () => new IncomingMessage(new Socket()))
  const [first, second, third] = requests
  if (first === undefined || second === undefined || third === undefined) throw new Error('no requests')

  it('takes up so many at a time, and the next one when one is over', () => {
    const limit = createCallLimit({ maxRunning: 2 })
    limit.begin(first)
    limit.begin(second)
    expect(() => limit.begin(third)).toThrow(expect.objectContaining({ reason: 'SERVICE_UNAVAILABLE' }))
    limit.end(third)
    expect(() => limit.begin(third)).toThrow('busy')
    limit.end(first)
    limit.begin(third)
  })

  it('asks them to come back the later, the more are refused for one that is answered', () => {
    let clock = 0
    const limit = createCallLimit({ maxRunning: 1, now: () => clock })
    const retryAfter = () => {
      try {
        limit.begin(third)
      } catch (error) {
        return error instanceof Error && 'retryAfterSeconds' in error ? error.retryAfterSeconds : error
      }
      return undefined
    }
    const afterWindow = (refused: number, answered: number) => {
      clock += 1_000
      limit.begin(first)
      for (let count = 0; count < refused; count++) retryAfter()
      for (let count = 0; count < answered; count++) {
        limit.end(first)
        limit.begin(first)
      }
      clock += 1_000
      const seconds = retryAfter()
      limit.end(first)
      return seconds
    }
    expect([afterWindow(1, 40), afterWindow(20, 40), afterWindow(40, 40), afterWindow(99, 1)]).toEqual([1, 2, 4, 30])
  })
})

describe('a service with more calls than it takes up', () => {
  let testDatabase: TestDatabase
  let service: TestService
  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    service = await startTestService({ testDatabase })
    await insertFixture(service.database)
  })
  afterAll(async () => {
    await service.close()
    await testDatabase.drop()
  })

  it('refuses the others at once, goes on telling its health, and logs no fault', async () => {
    const token = await insertUserToken(service.database, { userId: fixture.users.manager })
    const holder = await testDatabase.open().pool.connect()
    await holder.query('BEGIN')
    await holder.query('SELECT FROM priorities WHERE organization_id = $1 AND id = $2 FOR UPDATE', [
      fixture.acme,
      fixture.priorities.it,
    ])
    const update = () =>
      service.rest('PATCH', `/v2/priorities/${fixture.priorities.it}`, { token, json: { name: 'Late' } })
    const calls = Array.from({ length: 300 }, update)
    const refused = await Promise.any(calls)
    expect([refused.status, refused.json.code, refused.json.message]).toEqual([
      ...[503, 'unavailable', 'the service is busy; try again'],
    ])
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/)
    expect((await fetch(`${service.baseUrl}/readyz`)).status).toBe(200)
    await holder.query('COMMIT')
    holder.release()
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(10)
    expect(statuses.every((status) => status === 200 || status === 503)).toBe(true)
    expect((await update()).status).toBe(200)
    const logged = service.logLines.filter((line) => line.includes('"level":50'))
    expect(logged).toEqual([])
  })
})
