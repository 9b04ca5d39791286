import { Code, ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { AuthService } from '../../gen/svc/v2/auth_pb.js'
import { databaseFailure } from '../../src/db/errors.js'
import { systemTiming } from '../../src/db/retries.js'
import { createApiKeySecret } from '../../src/domain/auth/api-key-secret.js'
import { revokeLeakedKey } from '../../src/domain/auth/revocation.js'
import { createSecretHasher, type SecretHasher } from '../../src/domain/auth/secret-hash.js'
import { parseTrustProxy } from '../../src/http/client-address.js'
import { fixture, type InsertedApiKey, insertApiKey, insertFixture, insertUserToken } from '../support/fixture.js'
import { protocols, type RestAnswer, startTestService, type TestService } from '../support/service.js'
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js'

const { acme, it: itTeam } = fixture

describe('POST /v2/auth/revoke', () => {
  let service: TestService
  let other: ServiceProcess
  let addresses = 0

  beforeAll(async () => {
    service = await startTestService({ config: { trustProxy: parseTrustProxy('1') } })
    await insertFixture(service.database)
    other = await startServiceProcess(service.testDatabase.connectionString, { TRUST_PROXY: '1' })
  })

  afterAll(async () => {
    await other.stop()
    await service.stop()
  })

  /** The headers of a client that has not been here before. */
  const newClient = () => {
    addresses++
    return { 'x-forwarded-for': `10.0.${addresses >> 8}.${addresses & 255}` }
  }
  const revoke = (form: Record<string, string> | string, headers: Record<string, string> = newClient()) =>
    service.rest('POST', '/v2/auth/revoke', { form, headers })
  const newKey = (teamId?: string) =>
    insertApiKey(service.database, { organizationId: acme, ...(teamId && { teamId }) })
  const stateOf = async ({ id }: InsertedApiKey) => {
    const [row] = await service.database.query<{ revoked_at: Date | null; sessions: number; events: number }>(
      `SELECT revoked_at, revoked_by,
              (SELECT count(*)::int FROM api_key_sessions WHERE organization_id = $1 AND api_key_id = $2) AS sessions,
              (SELECT count(*)::int FROM audit_events WHERE organization_id = $1 AND target_id = $2) AS events
         FROM api_keys WHERE organization_id = $1 AND id = $2`,
      [acme, id],
    )
    return row
  }
  const statusAt = async (baseUrl: string, token: string) => {
    const url = `${baseUrl}/v2/app-instances?teamId=${itTeam}`
    return (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status
  }
  /** What a caller can distinguish answers by. */
  const visible = ({ status, text, headers }: RestAnswer) => {
    const shown = [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id')
    return { status, text, headers: Object.fromEntries(shown) }
  }

  it('revokes the key, ends its sessions and records an audit event in one step', async () => {
    const key = await newKey(itTeam)
    const answer = await revoke({ secret: key.secret })
    expect([answer.status, answer.text]).toEqual([200, ''])
    expect(await stateOf(key)).toEqual({
      revoked_at: expect.any(Date),
      revoked_by: 'LEAK_REPORT',
      sessions: 0,
      events: 1,
    })
    const events = await service.database.query('SELECT * FROM audit_events WHERE target_id = $1', [key.id])
    expect(events).toEqual([
      expect.objectContaining({
        organization_id: acme,
        team_id: itTeam,
        action: 'api_key.revoke',
        target_type: 'api_key',
        actor_kind: 'ANONYMOUS',
        actor_id: '',
        request_id: answer.headers.get('x-request-id'),
        changes: [],
      }),
    ])
  })

  it('returns the same for an active key, a revoked one, an unknown secret and any other text', async () => {
    const live = await newKey()
    const management = await insertApiKey(service.database, { organizationId: acme, kind: 'mk' })
    const unknown = createApiKeySecret('pk', service.runtime)
    const badChecksum = `${unknown.slice(0, -1)}${unknown.endsWith('0') ? '1' : '0'}`
    const secrets = [live.secret, live.secret, management.secret, unknown, badChecksum, 'hunter2', '\0', '\u{1f511}']
    const answers = []
    for (const secret of secrets) answers.push(visible(await revoke({ secret })))
    expect(answers[0]).toMatchObject({ status: 200, text: '', headers: { 'content-length': '0' } })
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect((await stateOf(live))?.revoked_at).not.toBeNull()
    expect((await stateOf(management))?.revoked_at).not.toBeNull()
  })

  it('leaves other keys alone', async () => {
    const key = await newKey()
    const before = await stateOf(key)
    await revoke({ secret: createApiKeySecret('pk', service.runtime) })
    await revoke({ secret: key.id })
    expect(await stateOf(key)).toEqual(before)
    expect(await statusAt(service.baseUrl, key.token)).not.toBe(401)
  })

  it('ends an access token, and nothing else of its key', async () => {
    const key = await newKey(itTeam)
    const form = { grant_type: 'client_credentials', client_id: key.id, client_secret: key.secret }
    const { json } = await service.rest('POST', '/v2/auth/token', { form })
    const answer = await revoke({ secret: `"${json.access_token}"` })
    expect([answer.status, answer.text]).toEqual([200, ''])
    expect(await statusAt(other.baseUrl, json.access_token)).toBe(401)
    expect(await statusAt(other.baseUrl, key.token)).not.toBe(401)
    expect((await stateOf(key))?.revoked_at).toBeNull()
    expect(await service.database.query('SELECT * FROM audit_events WHERE target_id = $1', [key.id])).toEqual([
      expect.objectContaining({
        organization_id: acme,
        team_id: itTeam,
        action: 'access_token.revoke',
        target_type: 'api_key',
        actor_kind: 'ANONYMOUS',
        request_id: answer.headers.get('x-request-id'),
      }),
    ])
  })

  it('ends a user token, and no other token of the user', async () => {
    const user = { userId: fixture.users.viewer, organizationId: acme }
    const [leaked, kept] = [
      await insertUserToken(service.database, user),
      await insertUserToken(service.database, user),
    ]
    expect(await statusAt(other.baseUrl, leaked)).not.toBe(401)
    const answer = await revoke({ secret: leaked })
    expect([answer.status, answer.text]).toEqual([200, ''])
    expect(await statusAt(other.baseUrl, leaked)).toBe(401)
    expect(await statusAt(other.baseUrl, kept)).not.toBe(401)
    const events = await service.database.query(
      `SELECT organization_id, target_type, target_id FROM audit_events WHERE action = 'user_token.revoke'`,
    )
    expect(events).toEqual([{ organization_id: acme, target_type: 'user', target_id: user.userId }])
  })

  it('refuses a revoked key on its next use in another process', async () => {
    for (let round = 0; round < 10; round++) {
      const key = await newKey()
      expect(await statusAt(other.baseUrl, key.token)).not.toBe(401)
      expect((await revoke({ secret: key.secret })).status).toBe(200)
      expect(await statusAt(other.baseUrl, key.token)).toBe(401)
      expect(await statusAt(service.baseUrl, key.token)).toBe(401)
    }
  })

  it('issues no token for a revoked key in any process', async () => {
    const key = await newKey()
    const form = { grant_type: 'client_credentials', client_id: key.id, client_secret: key.secret }
    const exchange = (baseUrl: string) =>
      fetch(`${baseUrl}/v2/auth/token`, { method: 'POST', body: new URLSearchParams(form) })
    expect((await exchange(other.baseUrl)).status).toBe(200)
    await revoke({ secret: key.secret })
    expect((await exchange(other.baseUrl)).status).toBe(401)
    expect((await exchange(service.baseUrl)).status).toBe(401)
  })

  it('lets no token outlive a key that is revoked while the token is created', async () => {
    let made = 0
    for (let round = 0; round < 20; round++) {
      const key = await newKey()
      const form = { grant_type: 'client_credentials', client_id: key.id, client_secret: key.secret }
      const exchange = async (baseUrl: string) => {
        const answer = await fetch(`${baseUrl}/v2/auth/token`, { method: 'POST', body: new URLSearchParams(form) })
        return answer.status === 200 ? /svc_token_[A-Za-z0-9_-]+/.exec(await answer.text())?.[0] : undefined
      }
      const exchanges = Array.from({ length: 8 }, (_, index) => exchange(index % 2 ? service.baseUrl : other.baseUrl))
      expect((await revoke({ secret: key.secret })).status).toBe(200)
      const tokens = (await Promise.all(exchanges)).filter((token) => token !== undefined)
      made += tokens.length
      expect((await stateOf(key))?.sessions).toBe(0)
      for (const token of tokens) expect(await statusAt(other.baseUrl, token)).toBe(401)
    }
    expect(made).toBeGreaterThan(0)
  })

  it('makes one transition and one audit event of concurrent requests in two processes', async () => {
    for (let round = 0; round < 5; round++) {
      const key = await newKey()
      const calls = Array.from({ length: 16 }, (_, index) =>
        fetch(`${index % 2 ? service.baseUrl : other.baseUrl}/v2/auth/revoke`, {
          method: 'POST',
          body: new URLSearchParams({ secret: key.secret }),
          headers: newClient(),
        }),
      )
      for (const answer of await Promise.all(calls)) expect(answer.status).toBe(200)
      expect(await stateOf(key)).toMatchObject({ sessions: 0, events: 1 })
    }
  })

  it('is final, even for writes straight to the database', async () => {
    const key = await newKey()
    await revoke({ secret: key.secret })
    const before = await stateOf(key)
    const revive = service.database.execute('UPDATE api_keys SET revoked_at = NULL, revoked_by = NULL WHERE id = $1', [
      key.id,
    ])
    expect(databaseFailure(await revive.catch((error: unknown) => error))).toMatchObject({ kind: 'check_violation' })
    await revoke({ secret: key.secret })
    expect(await stateOf(key)).toEqual(before)
  })

  it.each([
    ['no secret', ''],
    ['an empty secret', 'secret='],
    ['two secrets', 'secret=a&secret=b'],
    ['two different secrets, the first one empty', 'secret=&secret=b'],
    ['only another field', 'token=a'],
  ])('returns 400 for %s', async (_, form) => {
    const answer = await revoke(form)
    expect([answer.status, answer.json.code]).toEqual([400, 'invalid_argument'])
  })

  it.each([
    ['white space', 'secret=+%0A%09'],
    ['quotation marks', 'secret=%22%22'],
    ['characters without width', 'secret=%EF%BB%BF%E2%80%8B'],
    ['a null character', 'secret=%00'],
    ['broken percent-encoding', 'secret=%zz'],
    ['bytes that are not UTF-8', 'secret=%ff'],
  ])('returns 200 with an empty body for a secret of %s', async (_, form) => {
    const answer = await revoke(form)
    expect([answer.status, answer.text]).toEqual([200, ''])
  })

  it.each([
    ['other fields', (secret: string) => `secret=${secret}&source=scanner&token=a&token=b&source=scanner`],
    ['other fields that cannot be decoded', (secret: string) => `a=%&%zz=1&%ff=%ff&secret=${secret}`],
    ['a percent sign after it', (secret: string) => `secret=${secret}%`],
    ['broken percent-encoding before it', (secret: string) => `secret=100%+sure%3A+${secret}`],
    ['text of another encoding around it', (secret: string) => `secret=Schl%FCssel+${secret}+f%FCr+alle`],
    ['the same secret again', (secret: string) => `secret=${secret}&secret=${secret}`],
    ['a line break after it', (secret: string) => `secret=${secret}%0A`],
    ['a Windows line break after it', (secret: string) => `secret=${secret}%0D%0A`],
    ['spaces around it', (secret: string) => `secret=+${secret}+`],
    ['quotation marks around it', (secret: string) => `secret=%22${secret}%22`],
    ['single quotation marks and spaces around it', (secret: string) => `secret=+'${secret}'+`],
    ['a percent sign before it', (secret: string) => `secret=100% sure: ${secret}`],
    ['a broken escape at it', (secret: string) => `secret=%zz${secret}%`],
    ['Latin-1 before it', (secret: string) => `secret=caf%E9+${secret}`],
    [
      'the marks of UTF-16',
      (secret: string) => `secret=%FF%FE${Buffer.from(secret, 'utf16le').toString().replaceAll('\0', '%00')}`,
    ],
  ])('revokes the key of a secret with %s', async (_, form) => {
    const key = await newKey()
    expect((await revoke(form(key.secret))).status).toBe(200)
    expect(await stateOf(key)).toMatchObject({ revoked_by: 'LEAK_REPORT', sessions: 0, events: 1 })
  })

  const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64')
  const wrapped = (text: string, between: string) =>
    [text.slice(0, 20), text.slice(20, 40), text.slice(40)].join(between)
  const clothes: readonly (readonly [what: string, dress: (text: string) => string])[] = [
    ['in typographic quotation marks', (text) => `“${text}”`],
    ['in guillemets', (text) => `«${text}»`],
    ['in angle brackets', (text) => `<${text}>`],
    ['in backticks and a sentence', (text) => `found \`${text}\`, please revoke`],
    ['after the word Bearer', (text) => `Bearer ${text}`],
    ['in a whole header', (text) => `curl -H 'Authorization: Bearer ${text}' https://x.example/`],
    ['as a variable', (text) => `SVC_KEY=${text}`],
    ['as a variable with other lines', (text) => `export A=1\nexport SVC_KEY=${text}\nexport B=2`],
    ['as a member of JSON', (text) => `"key": "${text}",`],
    ['as a whole line of YAML', (text) => `  secret: ${text} # old`],
    ['with a semicolon', (text) => `${text};`],
    ['in the query of a URL', (text) => `https://x.example/?token=${text}&page=2`],
    ['as the password of a URL', (text) => `https://me:${text}@x.example/`],
    ['with a byte order mark before it', (text) => `\u{feff}${text}`],
    ['with a character without width in it', (text) => wrapped(text, '\u{200b}')],
    ['with soft hyphens in it', (text) => wrapped(text, '\u{ad}')],
    ['with a word joiner after it', (text) => `${text}\u{2060}`],
    ['wrapped over lines', (text) => wrapped(text, '\n')],
    ['wrapped over lines of Windows', (text) => wrapped(text, '\r\n')],
    ['wrapped over lines that are indented', (text) => wrapped(text, '  \n\t')],
    ['wrapped by a line separator', (text) => wrapped(text, '\u{2028}')],
    ['between other words that are joined to it', (text) => `x.${text}.y`],
    ['in the colors of a terminal', (text) => wrapped(text, '\u{1b}[0m\u{1b}[1;31m')],
    ['in UTF-16', (text) => Array.from(text).join('\0')],
    ['wrapped in quoted mail', (text) => `> look:\n> ${wrapped(text, '\n> ')}`],
    ['wrapped in mail in quoted-printable', (text) => wrapped(text, '=\r\n')],
    ['wrapped in a command', (text) => wrapped(text, '\\\n')],
    ['escaped for Markdown', (text) => text.replaceAll(/[_-]/g, '\\$&')],
    ['escaped for a URL', (text) => text.replaceAll('_', '%5F')],
    ['escaped for a URL in a URL', (text) => text.replaceAll('_', '%255f')],
    ['escaped for JSON', (text) => text.replaceAll('_', '\\u005f')],
    ['escaped for JavaScript', (text) => text.replaceAll('_', '\\x5F')],
    ['escaped for HTML', (text) => text.replaceAll('_', '&#95;').replaceAll('-', '&#x2d;')],
    ['in the header of Basic authentication', (text) => `Authorization: Basic ${base64(`id:${text}`)}`],
    ['in the Secret of a cluster', (text) => `data:\n  KEY: ${base64(text)}\n`],
    ['in Base64 as a variable among others', (text) => base64(`A=1\nKEY=${text}\nB=2\n`)],
    ['in Base64 that a word is joined to', (text) => `ab${base64(text)}`],
    ['in Base64 for URLs', (text) => Buffer.from(`??>>${text}`).toString('base64url')],
    ['in wrapped Base64', (text) => base64(`id:${text}`).replaceAll(/.{64}/g, '$&\r\n')],
    ['in the UTF-16 of PowerShell in Base64', (text) => base64(Buffer.from(text, 'utf16le'))],
  ]
  it.each(clothes)('ends a key and a token %s', async (_, dress) => {
    const [key, other] = [await newKey(), await newKey()]
    const userToken = await insertUserToken(service.database, { userId: fixture.users.viewer })
    const texts = [key.secret, other.token, userToken]
    const answers = await Promise.all(texts.map((text) => revoke({ secret: dress(text) })))
    expect(answers.map(({ status, text }) => [status, text])).toEqual([
      [200, ''],
      [200, ''],
      [200, ''],
    ])
    expect((await stateOf(key))?.revoked_at).not.toBeNull()
    expect(await stateOf(other)).toMatchObject({ revoked_at: null, sessions: 0 })
    expect(await statusAt(service.baseUrl, userToken)).toBe(401)
  })

  it.each(protocols)('ignores what surrounds a secret over %s', async (protocol) => {
    const client = service.client(AuthService, undefined, protocol)
    for (const dress of [(text: string) => ` "${text}"\n`, (text: string) => `SVC_KEY=${wrapped(text, '\r\n')};`]) {
      const key = await newKey()
      await client.revokeLeakedKey({ secret: dress(key.secret) }, { headers: newClient() })
      expect((await stateOf(key))?.revoked_at).not.toBeNull()
    }
  })

  it('returns 400 for a query string, and does not revoke', async () => {
    const key = await newKey()
    const path = `/v2/auth/revoke?secret=${key.secret}`
    for (const form of [{}, { secret: key.secret }]) {
      const answer = await service.rest('POST', path, { form, headers: newClient() })
      expect([answer.status, answer.json.code]).toEqual([400, 'invalid_argument'])
    }
    expect((await stateOf(key))?.revoked_at).toBeNull()
  })

  it('returns 405, 415 and 413 for anything but a form of at most 4 KiB', async () => {
    expect((await service.rest('GET', '/v2/auth/revoke', { headers: newClient() })).status).toBe(405)
    const json = await service.rest('POST', '/v2/auth/revoke', { json: { secret: 'a' }, headers: newClient() })
    expect([json.status, json.json.code]).toEqual([415, 'invalid_argument'])
    expect((await revoke({ secret: 'a'.repeat(4096 - 'secret='.length) })).status).toBe(200)
    expect((await revoke({ secret: 'a'.repeat(4097 - 'secret='.length) })).status).toBe(413)
  })

  it('requires no credential, and ignores any', async () => {
    const key = await newKey()
    const headers = { ...newClient(), authorization: 'Bearer nonsense' }
    expect((await revoke({ secret: key.secret }, headers)).status).toBe(200)
    expect((await stateOf(key))?.revoked_at).not.toBeNull()
  })

  it.each(protocols)('works over %s as well', async (protocol) => {
    const key = await newKey()
    const client = service.client(AuthService, undefined, protocol)
    const headers = newClient()
    expect(await client.revokeLeakedKey({ secret: key.secret }, { headers })).toMatchObject({})
    expect(await stateOf(key)).toMatchObject({ revoked_at: expect.any(Date), sessions: 0, events: 1 })
    const refusal = await client
      .revokeLeakedKey({ secret: '' }, { headers })
      .catch((error: unknown) => ConnectError.from(error))
    expect(refusal).toMatchObject({ code: Code.InvalidArgument })
  })

  it('hashes nothing that lacks the form of a secret', async () => {
    const hashed: string[] = []
    const plain = createSecretHasher()
    const hasher: SecretHasher = {
      hash: (text) => plain.hash(text),
      candidates: (text) => {
        hashed.push(text)
        return plain.candidates(text)
      },
    }
    const { database, runtime } = service
    const options = { database, runtime, hasher, timing: systemTiming }
    const secret = createApiKeySecret('pk', runtime)
    for (const text of ['hunter2', `${secret.slice(0, -1)}-`, `x${secret.slice(1)}`])
      await revokeLeakedKey(options, text, '')
    expect(hashed.filter((text) => text !== '')).toEqual([])
    await revokeLeakedKey(options, secret, '')
    expect(hashed.filter((text) => text !== '')).toEqual([secret])
  })
})
