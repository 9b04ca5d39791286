import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { callHttp1, type RawRequest } from '../rpc/raw-call.js'
import { eventually } from '../support/eventually.js'
import { fixture, insertApiKey, insertFixture } from '../support/fixture.js'
import { startTestService, type TestService } from '../support/service.js'

const json = { 'content-type': 'application/json' }

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

const pathsInLog = () =>
  service.logLines
    .map((line): { path?: string; msg: string } => JSON.parse(line))
    .filter(({ msg }) => msg === 'request')

describe('a target in absolute form', () => {
  it.each<readonly [string, RawRequest]>([
    ['REST', { method: 'GET', path: '/v2/users?pageSize=2', headers: {} }],
    ['an unknown path', { method: 'GET', path: '/v2/nothing', headers: {} }],
    [
      'Connect',
      { path: '/svc.v2.UserService/GetUser', headers: json, body: Buffer.from(`{"id":"${fixture.users.agent}"}`) },
    ],
    ['SCIM', { method: 'GET', path: '/scim/v2/Users', headers: {} }],
    ['pages', { method: 'GET', path: '/docs', headers: {} }],
    ['the index', { method: 'GET', path: '/', headers: {} }],
    ['probes', { method: 'GET', path: '/healthz', headers: {} }],
  ])('means the same as one in origin form to %s, and in the log', async (_, request) => {
    const headers = { authorization, ...request.headers }
    const direct = await callHttp1(port, { ...request, headers })
    const path = `HTTP://api.example:8080${request.path}`
    expect(await callHttp1(port, { ...request, headers, path })).toEqual(direct)
    await eventually(async () => {
      const [first, second] = pathsInLog().slice(-2)
      expect([first?.path, second?.path]).toEqual([request.path.split('?')[0], request.path.split('?')[0]])
    })
  })

  it('has the path / if it has none', async () => {
    const answer = await callHttp1(port, { method: 'GET', path: 'http://api.example', headers: {} })
    expect(JSON.parse(answer.body.toString())).toMatchObject({ name: 'svc' })
  })

  it('overrides the Host header', async () => {
    const headers = { host: 'other.example' }
    const answer = await callHttp1(port, { method: 'GET', path: 'http://api.example/v2/openapi.json', headers })
    expect(JSON.parse(answer.body.toString()).servers[0].url).toBe('http://api.example')
  })
})

describe('a logged path', () => {
  it('is cut after 2,048 characters', async () => {
    const path = `/${'a'.repeat(20_000)}`
    await callHttp1(port, { method: 'GET', path, headers: {} })
    await eventually(async () => expect(pathsInLog().at(-1)?.path).toBe(`${path.slice(0, 2_048)}…`))
  })
})
