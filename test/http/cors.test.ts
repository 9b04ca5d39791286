import { createClient } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-web'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { Health } from '../../gen/grpc/health/v1/health_pb.js'
import { fixture, insertFixture, insertUserToken } from '../support/fixture.js'
import { startTestService, type TestService } from '../support/service.js'

const origin = 'https://console.example.com'
const preflight = (headers: Record<string, string> = {}) => ({
  headers: { origin, 'access-control-request-method': 'PATCH', ...headers },
})
const corsHeaders = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith('access-control-'))
const paths = ['/v2/priorities/p1', '/svc.v2.PriorityService/UpdatePriority', '/v2/openapi.json']

describe('with allowed origins', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ config: { corsOrigins: [origin, 'http://localhost:3000'] } })
    await insertFixture(service.database)
  })
  afterAll(() => service.stop())

  it.each(paths)('a preflight for %s lists everything that pages may send', async (path) => {
    const answer = await service.rest('OPTIONS', path, preflight())
    expect(answer.status).toBe(204)
    expect(answer.text).toBe('')
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
    expect(answer.headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, PUT, PATCH, DELETE')
    const headers = answer.headers.get('access-control-allow-headers')?.toLowerCase().split(', ')
    for (const name of [
      'authorization',
      'content-type',
      'connect-protocol-version',
      'connect-timeout-ms',
      'idempotency-key',
      'if-match',
      'if-none-match',
      'last-event-id',
      'x-grpc-web',
    ])
      expect(headers).toContain(name)
    expect(answer.headers.get('access-control-max-age')).toBe('7200')
    expect(answer.headers.get('vary')).toBe('origin')
  })

  it.each(paths)('a page of an allowed origin may read the response of %s, including errors', async (path) => {
    const answer = await service.rest('GET', path, { headers: { origin } })
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
    const exposed = answer.headers.get('access-control-expose-headers')?.toLowerCase().split(', ')
    for (const name of [
      'retry-after',
      'www-authenticate',
      'x-request-id',
      'etag',
      'idempotency-replayed',
      'grpc-status',
    ])
      expect(exposed).toContain(name)
    expect(answer.headers.get('vary')).toMatch(/\borigin\b/)
  })

  it('a compressed response also varies by origin', async () => {
    const token = await insertUserToken(service.database, { userId: fixture.users.admin })
    const answer = await service.rest('GET', '/v2/users', { token, headers: { origin, 'accept-encoding': 'gzip' } })
    expect(answer.headers.get('content-encoding')).toBe('gzip')
    expect(answer.headers.get('vary')).toBe('origin, accept-encoding')
  })

  it.each([
    ['lines', '/v2/events:watch', 'application/x-ndjson'],
    ['Server-Sent Events', '/v2/events:watch', 'text/event-stream'],
    ['an export', '/v2/exports', '*/*'],
  ])('a stream of %s also varies by origin', async (_name, path, accept) => {
    const authorization = `Bearer ${await insertUserToken(service.database, { userId: fixture.users.admin })}`
    const answer = await fetch(service.baseUrl + path, { headers: { origin, accept, authorization } })
    await answer.body?.cancel()
    expect([answer.status, answer.headers.get('vary')]).toEqual([200, 'origin, accept, accept-encoding'])
  })

  it.each(['https://evil.example.com', `${origin}.evil.example`, 'null', 'https://console.example.com:444'])(
    'a page of %s gets no CORS headers',
    async (other) => {
      for (const path of paths) {
        const answer = await service.rest('OPTIONS', path, preflight({ origin: other }))
        expect(corsHeaders(answer.headers)).toEqual([])
        expect(corsHeaders((await service.rest('GET', path, { headers: { origin: other } })).headers)).toEqual([])
      }
    },
  )

  it('OPTIONS that is not a preflight lists the methods of the path', async () => {
    const answer = await service.rest('OPTIONS', '/v2/priorities/p1', { headers: { origin } })
    expect(answer.headers.get('allow')).toContain('PATCH')
  })

  it('never allows cookies', async () => {
    const answer = await service.rest('OPTIONS', '/v2/users', preflight())
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
  })

  it('a Connect client works through it', async () => {
    const client = createClient(Health, createConnectTransport({ baseUrl: service.baseUrl }))
    expect((await client.check({}, { headers: { origin } })).status).toBe(1)
  })
})

describe('with every origin allowed', () => {
  it('any page may read responses, and caches need not distinguish origins', async () => {
    const service = await startTestService({ config: { corsOrigins: ['*'] } })
    const answer = await service.rest('GET', '/v2/users', { headers: { origin: 'https://any.example' } })
    await service.stop()
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('vary') ?? '').not.toContain('origin')
  })
})

describe('without configuration', () => {
  it('no page of another origin may read a response', async () => {
    const service = await startTestService()
    const answers = await Promise.all(
      paths.flatMap((path) => [
        service.rest('OPTIONS', path, preflight()),
        service.rest('GET', path, { headers: { origin } }),
      ]),
    )
    await service.stop()
    for (const { headers } of answers) {
      expect(corsHeaders(headers)).toEqual([])
      expect(headers.get('vary') ?? '').not.toContain('origin')
    }
  })
})
