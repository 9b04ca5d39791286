import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { callHttp1, callHttp2, type RawRequest } from '../rpc/raw-call.js'
import { fixture, insertApiKey, insertFixture } from '../support/fixture.js'
import { startTestService, type TestService } from '../support/service.js'

let service: TestService
let port: number
let authorization: string
beforeAll(async () => {
  service = await startTestService()
  await insertFixture(service.database)
  port = Number(new URL(service.baseUrl).port)
  authorization = `Bearer ${(await insertApiKey(service.database, { organizationId: fixture.acme })).token}`
})
afterAll(() => service.stop())

const get = (path: string): RawRequest => ({ method: 'GET', path, headers: {} })
const post = (path: string, type: string): RawRequest => {
  const body = Buffer.from(type === 'application/json' ? `{"id":"${fixture.users.agent}"}` : '')
  return { path, headers: { 'content-type': type }, body }
}
const stream = (type: string): RawRequest => {
  const message = Buffer.from(type.endsWith('json') ? '{}' : '')
  const head = Buffer.alloc(5)
  head.writeUInt32BE(message.length, 1)
  return {
    path: '/svc.v2.EventService/WatchEvents',
    headers: { 'content-type': type },
    body: Buffer.concat([head, message]),
  }
}
const getUser = '/svc.v2.UserService/GetUser'

const answers: readonly (readonly [string, number, RawRequest])[] = [
  ['of REST', 200, get('/v2/users')],
  ['of a list without pages', 200, get(`/v2/teams/${fixture.it}/sla-definitions`)],
  ['without a credential', 401, { ...get('/v2/users'), headers: { authorization: 'Bearer a' } }],
  ['about a query', 400, get('/v2/users?foo=1')],
  ['about a path', 404, get('/nothing')],
  ['about a verb', 405, { method: 'DELETE', path: '/v2/users', headers: {} }],
  ['of Connect', 200, post(getUser, 'application/json')],
  ['about an error over Connect', 404, post('/svc.v2.UserService/Nothing', 'application/proto')],
  ['about a type over Connect', 415, { ...post(getUser, 'text/plain'), body: Buffer.from('a') }],
  ['of gRPC-Web', 200, post(getUser, 'application/grpc-web+proto')],
  ['of SCIM', 403, get('/scim/v2/Users')],
  ['of a probe', 200, get('/healthz')],
]

describe.each([
  ['HTTP/1.1', callHttp1],
  ['HTTP/2', callHttp2],
])('a response over %s', (_, call) => {
  it.each(answers)('%s must not be cached, nor sniffed as another type', async (_name, status, request) => {
    const answer = await call(port, { ...request, headers: { authorization, ...request.headers } })
    expect(answer.status).toBe(status)
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
  })

  it.each(['/docs', '/', '/v2/openapi.json', '/v2/openapi.yaml', '/favicon.ico'])(
    'with the page %s may be cached, but not sniffed as another type',
    async (path) => {
      const { status, headers } = await call(port, get(path))
      expect([status, headers['x-content-type-options']]).toEqual([200, 'nosniff'])
      expect(headers['cache-control']).not.toContain('no-store')
    },
  )

  it.each<[string, RawRequest]>([
    ['lines', get('/v2/events:watch')],
    ['Server-Sent Events', { ...get('/v2/events:watch'), headers: { accept: 'text/event-stream' } }],
    ['an export', get('/v2/exports')],
    ['a long poll', get('/v2/events?waitSeconds=1')],
    ['Connect', stream('application/connect+json')],
    ['gRPC-Web', stream('application/grpc-web+proto')],
  ])('as a stream of %s is passed on by nginx as it comes, and not cached', async (_name, request) => {
    const isGrpc = request.headers['content-type']?.startsWith('application/grpc')
    const timeout = isGrpc ? { 'grpc-timeout': '2500m' } : { 'connect-timeout-ms': '2500' }
    const headers = { authorization, ...timeout, ...request.headers }
    const answer = await call(port, { ...request, headers })
    expect(answer.status).toBe(200)
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
  })

  it('is 304 if the client has the object cached', async () => {
    const path = `/v2/users/${fixture.users.agent}`
    const { headers } = await call(port, { method: 'GET', path, headers: { authorization } })
    const etag = String(headers['etag'])
    const again = await call(port, { method: 'GET', path, headers: { authorization, 'if-none-match': etag } })
    expect(again.status).toBe(304)
    expect(again.headers).toMatchObject({ etag, 'cache-control': 'no-store' })
  })
})
