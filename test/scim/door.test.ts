import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { fixture, insertApiKey, insertFixture, insertUserToken } from '../support/fixture.js'
import { connectDirectory, type ScimClient } from '../support/scim.js'
import { startTestService, type TestService } from '../support/service.js'

const { acme, globex, users } = fixture
const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error'

describe('the SCIM endpoint', () => {
  let service: TestService
  let okta: ScimClient
  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    okta = await connectDirectory(service)
  })
  afterAll(() => service.stop())

  const countOfMembers = async () => (await service.database.query('SELECT FROM memberships')).length
  const withCredential = (authorization: string, path = `/Users/${users.admin}`) =>
    okta.send('GET', path, undefined, { authorization })

  it('accepts the secret of a management key, for its own organization only', async () => {
    expect((await okta.send('GET', `/Users/${users.admin}`)).status).toBe(200)
    const other = await connectDirectory(service, globex)
    expect((await other.send('GET', `/Users/${users.admin}`)).status).toBe(404)
    expect((await other.send('GET', `/Users/${users.globexAdmin}`)).status).toBe(200)
  })

  it('refuses every other credential', async () => {
    const pk = await insertApiKey(service.database, { organizationId: acme })
    const wk = await insertApiKey(service.database, { organizationId: acme, kind: 'wk' })
    const user = await insertUserToken(service.database, { userId: users.admin })
    for (const token of [pk.token, wk.token, user]) {
      const { status, body } = await withCredential(`Bearer ${token}`)
      expect([status, body]).toEqual([
        403,
        { schemas: [ERROR], status: '403', detail: expect.stringContaining('management key') },
      ])
    }
    for (const credential of [
      '',
      `Bearer ${pk.secret}`,
      'Bearer nonsense',
      `Basic ${btoa(`${okta.key.id}:${okta.key.secret}`)}`,
    ]) {
      const { status, body, headers } = await withCredential(credential)
      expect([status, body.status, body.schemas]).toEqual([401, '401', [ERROR]])
      expect(body.detail).toContain('management key')
      expect(headers.get('www-authenticate')).toContain('Bearer realm="svc"')
    }
    const altered = okta.key.secret.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    expect((await withCredential(`Bearer ${altered}`)).status).toBe(401)
  })

  it('is the only one that accepts a management key', async () => {
    const { secret } = okta.key
    for (const path of ['/v2/users', '/v2/audit-events', '/v2/app-instances']) {
      expect((await service.rest('GET', path, { token: secret })).status).toBe(401)
    }
  })

  it('refuses a revoked key on its next use, and an expired one', async () => {
    const leaving = await connectDirectory(service)
    expect((await leaving.send('GET', `/Users/${users.admin}`)).status).toBe(200)
    await service.rest('POST', '/v2/auth/revoke', { form: { secret: leaving.key.secret } })
    const { status, body } = await leaving.send('GET', `/Users/${users.admin}`)
    expect([status, body.status]).toEqual([401, '401'])
    const ending = await connectDirectory(service)
    await service.database.execute(`UPDATE api_keys SET expires_at = now() WHERE id = $1`, [ending.key.id])
    const expired = await ending.send('GET', `/Users/${users.admin}`)
    expect([expired.status, expired.body.detail]).toEqual([401, 'the token has expired: get a new one'])
  })

  it('reads no anonymous body', async () => {
    const { status } = await okta.send('POST', '/Users', '{', { authorization: 'Bearer nonsense' })
    expect(status).toBe(401)
  })

  it.each<[what: string, method: string, path: string, status: number, allow: string | null]>([
    ['an unknown path', 'GET', '/People', 404, null],
    ['the protocol itself', 'GET', '', 404, null],
    ['a path below a user', 'GET', '/Users/x/y', 404, null],
    ['a verb that a user does not have', 'POST', '/Users/x', 405, 'DELETE, GET, HEAD, OPTIONS, PATCH, PUT'],
  ])('returns an SCIM error for %s', async (_, method, path, status, allow) => {
    const answer = await okta.send(method, path, method === 'POST' ? {} : undefined)
    expect([answer.status, answer.body.status, answer.body.schemas]).toEqual([status, String(status), [ERROR]])
    expect(answer.headers.get('allow')).toBe(allow)
  })

  it.each([
    '/scim/v2/Users/',
    '/scim/v2//Users',
    '/scim/v2//Users//',
    '/scim/v2/USERS',
    '/scim/Users',
    '/scim//Users/',
    '/SCIM/V2/users',
  ])('answers addresses as set-up wizards compose them: %s', async (path) => {
    const headers = { authorization: `Bearer ${okta.key.secret}` }
    const response = await fetch(`${service.baseUrl}${path}?count=1`, { headers })
    expect([response.status, JSON.parse(await response.text()).itemsPerPage]).toEqual([200, 1])
  })

  it.each(['/scim', '/scim/', '/scim/v2', '/scim/v2/'])('says what to enter at the provider: %s', async (path) => {
    const response = await fetch(`${service.baseUrl}${path}`)
    const { detail } = JSON.parse(await response.text())
    expect([response.status, detail]).toEqual([404, expect.stringContaining(`enter ${service.baseUrl}/scim/v2 at`)])
  })

  it.each(['/scimitar', '/scim.json', '/v2/scim/Users'])('leaves other paths alone: %s', async (path) => {
    const response = await fetch(`${service.baseUrl}${path}`)
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/json'])
  })

  it('supports HEAD and OPTIONS', async () => {
    const head = await okta.send('HEAD', `/Users/${users.admin}`)
    expect([head.status, head.body, head.headers.get('etag')]).toEqual([200, undefined, expect.any(String)])
    const options = await okta.send('OPTIONS', '/Users/x')
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'DELETE, GET, HEAD, OPTIONS, PATCH, PUT'])
  })

  it.each<
    [what: string, body: string | object, headers: Record<string, string>, status: number, scimType: string | null]
  >([
    ['no body', '', {}, 400, 'invalidSyntax'],
    ['text that is not JSON', '{', {}, 400, 'invalidSyntax'],
    ['a list', [], {}, 400, 'invalidSyntax'],
    ['a member given twice', '{"userName":"a@b.example","userName":"b@b.example"}', {}, 400, 'invalidSyntax'],
    ['a lone surrogate', '{"userName":"\\ud800@b.example"}', {}, 400, 'invalidSyntax'],
    ['another type', 'userName=x', { 'content-type': 'application/x-www-form-urlencoded' }, 415, null],
    ['a body that is too large', `{"userName":"${'x'.repeat(4_194_304)}"}`, {}, 413, null],
    ['no user name', { title: 'x' }, {}, 400, 'invalidValue'],
    ['a user name of the wrong type', { userName: {} }, {}, 400, 'invalidValue'],
    ['no address', { userName: 'jdoe' }, {}, 400, 'invalidValue'],
    ['an invalid address', { userName: 'jdoe', emails: [{ type: 'work', value: 'x' }] }, {}, 400, 'invalidValue'],
    ['active as a number', { userName: 'a@b.example', active: 2 }, {}, 400, 'invalidValue'],
    ['the address of an active user', { userName: `${users.admin}@EXAMPLE.com` }, {}, 409, 'uniqueness'],
    ['a malformed timeout', { userName: 'a@b.example' }, { 'connect-timeout-ms': 'soon' }, 400, 'invalidSyntax'],
  ])('refuses %s with an explanation, and creates no user', async (_, body, headers, status, scimType) => {
    const before = await countOfMembers()
    const answer = await okta.send('POST', '/Users', body, headers)
    expect([answer.status, answer.body.scimType ?? null]).toEqual([status, scimType])
    expect(answer.body).toMatchObject({ schemas: [ERROR], status: String(status), detail: expect.stringMatching(/./) })
    expect(await countOfMembers()).toBe(before)
  })

  it("names the attribute in the provider's terms", async () => {
    const { body } = await okta.send('POST', '/Users', {
      userName: 'jdoe',
      emails: [{ value: 'jdoe', type: 'work' }],
      title: 'x'.repeat(256),
    })
    expect(body.detail).toMatch(/^emails\[type eq "work"\]\.value: /)
  })

  it('accepts compressed bodies and application/json', async () => {
    const body = JSON.stringify({ userName: 'zipped@example.com', emails: null })
    const response = await fetch(`${service.baseUrl}/scim/v2/Users`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${okta.key.secret}`,
        'content-type': 'application/json; charset=utf-8',
        'content-encoding': 'gzip',
      },
      body: gzipSync(body),
    })
    expect(response.status).toBe(201)
    expect(response.headers.get('location')).toMatch(/\/scim\/v2\/Users\//)
  })

  it('returns the request id of each response, which is also in the log', async () => {
    const { headers } = await okta.send('GET', '/Users/nobody', undefined, { 'x-request-id': 'scim-request-1' })
    expect(headers.get('x-request-id')).toBe('scim-request-1')
    const line = service.logLines.find((each) => each.includes('scim-request-1'))
    expect(JSON.parse(line ?? '{}')).toMatchObject({ path: '/scim/v2/Users/nobody', status: 404 })
    expect(service.logLines.join()).not.toContain(okta.key.secret)
  })
})
