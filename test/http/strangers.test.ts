import { Agent, request as send } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { eventually } from '../support/eventually.js'
import { fixture, insertFixture, insertUserToken } from '../support/fixture.js'
import { startTestService, type TestService } from '../support/service.js'

const CONNECTIONS = 64
const form = 'application/x-www-form-urlencoded'
const basic = Buffer.from(`unknown:svc_secret_pk_${'a'.repeat(49)}`).toString('base64')
const unknownJwt = ['{"alg":"RS256","kid":"unknown"}', '{"iss":"https://issuer.example"}', 'signature']
  .map((part) => Buffer.from(part).toString('base64url'))
  .join('.')

interface Flood {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent with POST. */
  readonly body?: string
  readonly status: number
}

const withBearer = (token: string, path = '/v2/teams'): Flood => {
  return { path, headers: { authorization: `Bearer ${token}` }, status: 401 }
}

/** What anybody can send again and again. */
const floods: readonly (readonly [string, Flood])[] = [
  ['requests without a token', { path: '/v2/teams', status: 401 }],
  ['tokens of a wrong form', withBearer('token')],
  ['tokens of keys that do not exist', withBearer(`svc_token_${'a'.repeat(86)}`)],
  ['tokens of people who do not exist', withBearer(`svc_user_${'a'.repeat(86)}`)],
  ['JWTs of another issuer', withBearer(unknownJwt)],
  ['secrets of directories that do not exist', withBearer(`svc_secret_mk_${'a'.repeat(49)}`, '/scim/v2/Users')],
  ['unknown paths', { path: '/v2/nothing', status: 404 }],
  [
    'ids and secrets of keys that do not exist',
    {
      path: '/v2/auth/token',
      headers: { authorization: `Basic ${basic}`, 'content-type': form },
      body: 'grant_type=client_credentials',
      status: 401,
    },
  ],
  ['reports of leaks', { path: '/v2/auth/revoke', headers: { 'content-type': form }, body: 'secret=a', status: 429 }],
]

describe('requests that are refused, again and again over many connections', () => {
  let service: TestService
  let token: string
  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    token = await insertUserToken(service.database, { userId: fixture.users.admin })
    // The next reports of leaks are over the limit.
    for (let sent = 0; sent < 5; sent++) await service.rest('POST', '/v2/auth/revoke', { form: { secret: 'a' } })
  })
  afterAll(() => service.stop())

  const answerTo = ({ path, headers, body }: Omit<Flood, 'status'>, agent: Agent) =>
    new Promise<number | undefined>((resolve, reject) => {
      const method = body === undefined ? 'GET' : 'POST'
      const sent = send(service.baseUrl + path, { method, headers: { ...headers }, agent }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode))
      })
      sent.once('error', reject).end(body)
    })

  it.each(floods)('leave others their turns: %s', async (_name, flood) => {
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
    let refused = 0
    let isOver = false
    const flooding = Array.from({ length: CONNECTIONS }, async () => {
      while (!isOver) {
        expect(await answerTo(flood, agent)).toBe(flood.status)
        refused++
      }
    })
    await eventually(() => expect(refused).toBeGreaterThan(CONNECTIONS))
    const own = new Agent({ keepAlive: true, maxSockets: 1 })
    const during: number[] = []
    for (let call = 0; call < 9; call++) {
      const before = refused
      expect(await answerTo({ path: '/v2/teams', headers: { authorization: `Bearer ${token}` } }, own)).toBe(200)
      during.push(refused - before)
    }
    isOver = true
    await Promise.all(flooding)
    own.destroy()
    agent.destroy()
    // Each turn of the event loop that a call takes would be as long as it takes to refuse all of them.
    const median = during.toSorted((one, other) => one - other)[4]
    expect(median).toBeLessThan(CONNECTIONS)
  })

  it.each([
    ['ids and secrets of keys', 'api_keys', '/v2/auth/token', { authorization: `Basic ${basic}` }],
    ['reports of leaks', 'revoke_attempts', '/v2/auth/revoke', {}],
  ])('leave others connections to the database: %s', async (_name, table, path, headers) => {
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
    const flood = {
      path,
      headers: { ...headers, 'content-type': form },
      body: 'grant_type=client_credentials&secret=a',
    }
    let answers: Promise<unknown> | undefined
    const { pool } = service.database
    await service.database.transaction(async (transaction) => {
      await transaction.execute(`LOCK TABLE ${table}`)
      answers = Promise.all(Array.from({ length: CONNECTIONS }, () => answerTo(flood, agent)))
      await eventually(() => expect(pool.waiting).toBeGreaterThan(0))
      const { status } = await service.rest('GET', '/v2/teams', { token })
      expect(status).toBe(200)
    })
    await answers
    agent.destroy()
  })
})
