import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { eventually } from '../support/eventually.js'
import { fixture, insertFixture, insertUserToken } from '../support/fixture.js'
import { startTestService, type TestService } from '../support/service.js'

const connectJson = { 'content-type': 'application/json', 'connect-protocol-version': '1' }
const grpcWeb = { 'content-type': 'application/grpc-web+proto' }
const method = '/svc.v2.JourneyService/GetJourney'

describe('X-Request-Id', () => {
  let service: TestService
  let token: string
  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    token = await insertUserToken(service.database, { userId: fixture.users.admin })
  })
  afterAll(() => service.stop())

  const send = (verb: string, path: string, headers: Readonly<Record<string, string>>) =>
    fetch(service.baseUrl + path, { method: verb, headers, body: verb === 'POST' ? '{}' : null })
  const linesOf = (requestId: string) =>
    service.logLines
      .map((line): Record<string, unknown> => JSON.parse(line))
      .filter((line) => line['requestId'] === requestId)

  it.each([
    ['an answer', 200, 'GET', '/v2/users', {}],
    ['a probe', 200, 'GET', '/healthz', {}],
    ['a page', 200, 'GET', '/v2/openapi.json', {}],
    ['a stranger over REST', 401, 'GET', '/v2/users', { authorization: 'Bearer no' }],
    ['a stranger over Connect', 401, 'POST', method, { ...connectJson, authorization: 'Bearer no' }],
    ['a stranger over gRPC-Web', 200, 'POST', method, { ...grpcWeb, authorization: 'Bearer no' }],
    ['an unknown path', 404, 'GET', '/nothing', {}],
    ['an unknown method', 404, 'POST', '/svc.v2.JourneyService/Nothing', connectJson],
    ['a verb that is not taken', 405, 'DELETE', '/v2/users', {}],
    ['a type that is not taken', 415, 'POST', '/v2/users', { 'content-type': 'text/plain' }],
    ['what is missing', 404, 'GET', '/v2/users/none', {}],
  ] as const)('of a caller is on the answer and in the log: %s, %i', async (what, status, verb, path, headers) => {
    const id = `caller:${what.replaceAll(' ', '_')}.1`
    const answer = await send(verb, path, { authorization: `Bearer ${token}`, ...headers, 'x-request-id': id })
    await answer.arrayBuffer()
    expect([answer.status, answer.headers.get('x-request-id')]).toEqual([status, id])
    await eventually(() => expect(linesOf(id)).toEqual([expect.objectContaining({ msg: 'request', status })]))
  })

  it.each(['', 'with blank', 'x'.repeat(129), 'quote"', 'comma,comma'])('is made anew for %j', async (id) => {
    const answer = await send('GET', '/nothing', { 'x-request-id': id })
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  })

  it.each([
    ['REST', 'GET', `/v2/journeys/${fixture.journeys.it}`, {}],
    ['Connect', 'POST', method, connectJson],
  ])(
    'joins an internal error over %s, which names it, with its cause in the log',
    async (door, verb, path, headers) => {
      const broken = await startTestService()
      const id = `broken-${door}`
      await insertFixture(broken.database)
      const own = await insertUserToken(broken.database, { userId: fixture.users.admin })
      await broken.database.execute('ALTER TABLE journeys RENAME TO gone')
      const answer = await fetch(broken.baseUrl + path, {
        method: verb,
        headers: { ...headers, authorization: `Bearer ${own}`, 'x-request-id': id },
        body: verb === 'POST' ? JSON.stringify({ id: fixture.journeys.it }) : null,
      })
      expect([answer.status, answer.headers.get('x-request-id')]).toEqual([500, id])
      const { detail, details = [detail] } = JSON.parse(await answer.text())
      expect(details).toEqual([expect.objectContaining({ debug: { requestId: id } })])
      expect(details[0].type).toBe('google.rpc.RequestInfo')
      const failures = broken.logLines.filter((line) => line.includes('"level":50'))
      expect(failures.map((line) => JSON.parse(line).requestId)).toEqual([id])
      await broken.stop()
    },
  )
})
