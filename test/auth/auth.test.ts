import { Code, ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { AppInstanceService } from '../../gen/svc/v2/app_instance_pb.js'
import { AuthService } from '../../gen/svc/v2/auth_pb.js'
import { fixture, type InsertedApiKey, insertApiKey, insertFixture } from '../support/fixture.js'
import { protocols, type RestCall, startTestService, type TestService } from '../support/service.js'

const { acme } = fixture
const grant = { grant_type: 'client_credentials' }

describe('POST /v2/auth/token', () => {
  let service: TestService
  let key: InsertedApiKey

  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    key = await insertApiKey(service.database, { organizationId: acme })
  })

  afterAll(() => service.stop())

  const token = (call: RestCall) => service.rest('POST', '/v2/auth/token', call)
  const basic = (id: string, secret: string) => ({
    authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
  })
  const sessions = async () => (await service.database.query('SELECT FROM api_key_sessions')).length

  it('returns a working token for credentials in the header or in the body', async () => {
    const calls = [
      { form: grant, headers: basic(key.id, key.secret) },
      { form: { ...grant, client_id: key.id, client_secret: key.secret } },
    ]
    for (const call of calls) {
      const answer = await token(call)
      expect(answer.status).toBe(200)
      expect(answer.json).toEqual({
        access_token: expect.stringMatching(/^svc_token_[A-Za-z0-9_-]{86,}$/),
        token_type: 'Bearer',
        expires_in: 3600,
      })
      expect(answer.headers.get('cache-control')).toBe('no-store')
      const opened = await service.rest('GET', `/v2/app-instances?teamId=${fixture.it}`, {
        token: answer.json.access_token,
      })
      expect(opened.status).not.toBe(401)
    }
  })

  it.each<[what: string, call: (id: string, secret: string) => RestCall]>([
    [
      'the id of the header in the form too',
      (id, secret) => ({ form: { ...grant, client_id: id }, headers: basic(id, secret) }),
    ],
    [
      'the id of the header in the form too, with an empty secret',
      (id, secret) => ({ form: { ...grant, client_id: id, client_secret: '' }, headers: basic(id, secret) }),
    ],
    [
      'an old bearer token beside credentials in the form',
      (id, secret) => ({
        form: { ...grant, client_id: id, client_secret: secret },
        headers: { authorization: 'Bearer svc_token_old' },
      }),
    ],
    [
      'a header of a scheme that is not ours beside credentials in the form',
      (id, secret) => ({
        form: { ...grant, client_id: id, client_secret: secret },
        headers: { authorization: 'Negotiate YII=' },
      }),
    ],
    [
      'an empty header beside credentials in the form',
      (id, secret) => ({ form: { ...grant, client_id: id, client_secret: secret }, headers: { authorization: '' } }),
    ],
    [
      'a line break after the secret in the header',
      (id, secret) => ({ form: grant, headers: basic(id, `${secret}\n`) }),
    ],
    [
      'a Windows line break after the secret in the form',
      (id, secret) => ({ form: { ...grant, client_id: id, client_secret: `${secret}\r\n` } }),
    ],
    [
      'a line break after the id, and blanks before the secret',
      (id, secret) => ({ form: { ...grant, client_id: `${id}\n`, client_secret: `  ${secret}` } }),
    ],
  ])('takes %s', async (_, call) => {
    const { status, json } = await token(call(key.id, key.secret))
    expect([status, json.token_type]).toEqual([200, 'Bearer'])
  })

  it('says which of two ids and two secrets to leave out', async () => {
    const headers = basic(key.id, key.secret)
    const messageOf = async (form: Record<string, string>) =>
      (await token({ form: { ...grant, ...form }, headers })).json.message
    expect(await messageOf({ client_id: 'other' })).toBe(
      'client_id is another id than that in the Authorization header: send one of them, or the same',
    )
    expect(await messageOf({ client_id: key.id, client_secret: key.secret })).toBe(
      'the secret of the API key is in both the Authorization header and the body: send it in one place, with the id',
    )
  })

  it('creates a new token each time', async () => {
    const call = { form: grant, headers: basic(key.id, key.secret) }
    const answers = await Promise.all(Array.from({ length: 10 }, () => token(call)))
    expect(new Set(answers.map(({ json }) => json.access_token)).size).toBe(10)
  })

  it('accepts the scheme name in any case', async () => {
    const { authorization } = basic(key.id, key.secret)
    const answer = await token({ form: grant, headers: { authorization: authorization.replace('Basic', 'bASIC') } })
    expect(answer.status).toBe(200)
  })

  it('returns the same 401 for credentials that are wrong, foreign or revoked, and creates nothing', async () => {
    const other = await insertApiKey(service.database, { organizationId: acme })
    const directory = await insertApiKey(service.database, { organizationId: acme, kind: 'mk' })
    const revoked = await insertApiKey(service.database, { organizationId: acme })
    await service.database.execute(`UPDATE api_keys SET revoked_at = now(), revoked_by = 'OPERATOR' WHERE id = $1`, [
      revoked.id,
    ])
    const before = await sessions()
    const encoded = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })
    const calls: RestCall[] = [
      { form: grant, headers: basic(key.id, other.secret) },
      { form: grant, headers: basic('nobody', key.secret) },
      { form: grant, headers: basic(key.id, '') },
      { form: grant, headers: basic(key.id, `${key.secret}\0`) },
      { form: grant, headers: basic(`${key.id}\0`, key.secret) },
      { form: grant, headers: basic(directory.id, directory.secret) },
      { form: grant, headers: basic(revoked.id, revoked.secret) },
      { form: { ...grant, client_id: key.id, client_secret: 'wrong' } },
      { form: grant, headers: encoded(`%ZZ:%FF`) },
    ]
    for (const call of calls) {
      const answer = await token(call)
      expect([[answer.status, answer.json.code, answer.json.message], JSON.stringify(call)]).toEqual([
        [
          401,
          'unauthenticated',
          'the id and the secret do not belong to a live API key: check both, or create another key',
        ],
        JSON.stringify(call),
      ])
      expect(answer.json.detail.debug.reason).toBe('ERROR_REASON_CLIENT_CREDENTIALS_INVALID')
      expect(answer.headers.get('www-authenticate')).toBe('Basic realm="svc"')
    }
    expect(await sessions()).toBe(before)
  })

  it('explains how to send credentials that are missing or malformed, without echoing them', async () => {
    const before = await sessions()
    const missing = 'the id or the secret of the API key is missing'
    const unreadable = 'the Authorization header does not contain an id and a secret'
    const noColon = Buffer.from(key.secret).toString('base64')
    const calls: [RestCall, string][] = [
      [{ form: grant }, missing],
      [{ form: { ...grant, client_id: key.id } }, missing],
      [{ form: { ...grant, client_secret: key.secret } }, missing],
      [{ form: grant, headers: { authorization: 'Basic' } }, unreadable],
      [{ form: grant, headers: { authorization: 'Basic ???' } }, unreadable],
      [{ form: grant, headers: { authorization: `Basic ${noColon}` } }, unreadable],
      [{ form: grant, headers: { authorization: `Bearer ${key.token}` } }, unreadable],
      [{ form: { ...grant, client_id: key.id }, headers: { authorization: `Bearer ${key.token}` } }, missing],
      [{ form: { ...grant, client_secret: key.secret }, headers: { authorization: 'Bearer x' } }, missing],
    ]
    for (const [call, fault] of calls) {
      const answer = await token(call)
      expect([answer.status, answer.json.message, answer.json.detail.debug.reason]).toEqual([
        401,
        `${fault}: send Authorization: Basic <base64 of id:secret>, or client_id and client_secret in the body`,
        'ERROR_REASON_CLIENT_CREDENTIALS_INVALID',
      ])
      expect(answer.headers.get('www-authenticate')).toBe('Basic realm="svc"')
    }
    expect(await sessions()).toBe(before)
  })

  it.each([
    ['no grant type', {}, 'FIELD_REQUIRED'],
    ['an empty grant type', { grant_type: '' }, 'FIELD_REQUIRED'],
    ['another grant type', { grant_type: 'password' }, 'GRANT_TYPE_UNSUPPORTED'],
    ['credentials twice', { ...grant, client_id: 'id', client_secret: 'secret' }, 'MALFORMED_REQUEST'],
    ['another id in the form', { ...grant, client_id: 'id' }, 'MALFORMED_REQUEST'],
    ['the secret in the form', { ...grant, client_secret: 'secret' }, 'MALFORMED_REQUEST'],
  ])('returns 400 for %s, and creates nothing', async (_, form, reason) => {
    const before = await sessions()
    const answer = await token({ form, headers: basic(key.id, key.secret) })
    expect([answer.status, answer.json.code]).toEqual([400, 'invalid_argument'])
    expect(answer.json.detail.debug.reason).toBe(`ERROR_REASON_${reason}`)
    const error = reason === 'GRANT_TYPE_UNSUPPORTED' ? 'unsupported_grant_type' : 'invalid_request'
    expect(answer.json).toMatchObject({ error, error_description: answer.json.message })
    expect(await sessions()).toBe(before)
  })

  it.each(['scope=all', 'scope=', 'audience=a&audience=b', 'x=%&%=1'])('ignores the unknown %s', async (unknown) => {
    const form = `grant_type=client_credentials&${unknown}`
    expect((await token({ form, headers: basic(key.id, key.secret) })).status).toBe(200)
  })

  it('accepts only forms, without repeated fields', async () => {
    const headers = basic(key.id, key.secret)
    expect((await token({ json: grant, headers })).status).toBe(415)
    for (const other of ['a', 'client_credentials']) {
      const form = `grant_type=${other}&grant_type=client_credentials`
      expect((await token({ form, headers })).status).toBe(400)
    }
  })

  it('returns the error of RFC 6749 beside its own for wrong credentials', async () => {
    const { status, json } = await token({ form: grant, headers: basic(key.id, 'wrong') })
    expect([status, json.error, json.code]).toEqual([401, 'invalid_client', 'unauthenticated'])
    expect(json.error_description).toBe(json.message)
  })

  it.each(protocols)('works over %s as well', async (protocol) => {
    const client = service.client(AuthService, undefined, protocol)
    const answer = await client.createToken({
      grantType: 'client_credentials',
      clientId: key.id,
      clientSecret: key.secret,
    })
    expect(answer).toMatchObject({ tokenType: 'Bearer', expiresIn: 3600 })
    const refusal = await client
      .createToken({ grantType: 'client_credentials', clientId: key.id, clientSecret: 'wrong' })
      .catch((error: unknown) => ConnectError.from(error))
    expect(refusal).toMatchObject({ code: Code.Unauthenticated })
  })

  it.each(protocols)('does not let the secret itself open the API over %s', async (protocol) => {
    const directory = await insertApiKey(service.database, { organizationId: acme, kind: 'mk' })
    for (const bearer of [key.secret, directory.secret]) {
      const call = service.client(AppInstanceService, bearer, protocol).listAppInstances({ teamId: fixture.it })
      await expect(call).rejects.toMatchObject({ code: Code.Unauthenticated })
    }
  })
})
