import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { httpFormOf } from '../../src/limits/method-rules.js'
import {
  feedEvent,
  fixture,
  insertApiKey,
  insertFeedEvent,
  insertFixture,
  insertManagedKeys,
  insertUser,
  insertUserToken,
} from '../support/fixture.js'
import {
  callMethod,
  formsOf,
  type MethodForms,
  methodNamed,
  protocols,
  type RequestJson,
  restFormOf,
} from '../support/method-forms.js'
import { startTestService, type TestService } from '../support/service.js'
import { type Removal, removals, type WriteCall, writeCalls } from '../support/write-calls.js'

const { acme, globex, priorities, users } = fixture

const updatePriority = formsOf('UpdatePriority')
const createUser = formsOf('CreateUser')

let service: TestService
let admin: string
let count = 0
const newKey = () => `rule-${++count}`
const newKeyToken = async () => (await insertApiKey(service.database, { organizationId: acme })).token

beforeAll(async () => {
  service = await startTestService()
  await insertFixture(service.database)
  await insertFeedEvent(service.database)
  await insertManagedKeys(service.database)
  admin = await insertUserToken(service.database, { userId: users.admin })
})
afterAll(() => service.stop())
beforeEach(() => service.database.execute('DELETE FROM audit_events WHERE id <> $1::uuid', [feedEvent]))

describe.each(protocols)('idempotency over %s', (protocol) => {
  const call = async (method: MethodForms, request: RequestJson, key: string, token = admin) => {
    const outcome = await callMethod(service, method, { protocol, request, token, headers: { 'idempotency-key': key } })
    const isReplayed = outcome.answer.headers.get('idempotency-replayed') === 'true'
    return { ...outcome, isReplayed, text: outcome.answer.text }
  }
  const rename = (name: string, key: string, token?: string) =>
    call(updatePriority, { id: priorities.it, name }, key, token)

  it('refuses a different request under the same key, and writes nothing', async () => {
    const key = newKey()
    const first = await rename('First', key)
    for (const request of [
      { id: priorities.it, name: 'Second' },
      { id: priorities.it, name: 'First', description: '' },
      { id: priorities.people, name: 'First' },
      { id: 'unknown', name: 'First' },
    ]) {
      expect(await call(updatePriority, request, key)).toMatchObject({
        status: 400,
        code: 'invalid_argument',
        reason: 'IDEMPOTENCY_KEY_REUSED',
        isReplayed: false,
      })
    }
    expect(await eventCount()).toBe(1)
    expect(await rename('First', key)).toMatchObject({ text: first.text, isReplayed: true })
  })

  it.each<[string, MethodForms, RequestJson, object]>([
    ['not_found', updatePriority, { id: 'unknown', name: 'N' }, { status: 404, reason: 'RESOURCE_NOT_FOUND' }],
    ['already_exists', createUser, { email: `${users.agent}@example.com` }, { status: 409, reason: 'EMAIL_TAKEN' }],
    [
      'invalid_argument',
      createUser,
      { email: 'tz@example.com', timezone: 'Berlin' },
      { status: 400, reason: 'FIELD_INVALID', fields: ['timezone'] },
    ],
  ])('replays %s, byte for byte', async (_, method, request, error) => {
    const key = newKey()
    const first = await call(method, request, key)
    expect(first).toMatchObject({ ...error, isReplayed: false })
    const again = await call(method, request, key)
    expect(again).toMatchObject({ ...error, isReplayed: true, text: first.text, metadata: first.metadata })
    expect(await eventCount()).toBe(0)
  })

  it('replays the original response, whatever has changed since', async () => {
    const key = newKey()
    const id = `late-${key}`
    const first = await call(updatePriority, { id, name: 'N' }, key)
    await service.database.execute(
      `INSERT INTO priorities (id, organization_id, team_id, priority, name, scoped_id)
       SELECT $1, organization_id, team_id, priority, name, $1 FROM priorities WHERE id = $2`,
      [id, priorities.it],
    )
    expect(await call(updatePriority, { id, name: 'N' }, key)).toMatchObject({ status: 404, text: first.text })
    expect(await call(updatePriority, { id, name: 'N' }, newKey())).toMatchObject({ status: 200 })
  })

  it('does not store a limit violation: the corrected request may use the key', async () => {
    const key = newKey()
    expect(await rename('', key)).toMatchObject({ status: 400, reason: 'FIELD_INVALID' })
    expect(await rename('Corrected', key)).toMatchObject({ status: 200, isReplayed: false })
  })

  it('does not store a missing permission', async () => {
    const key = newKey()
    const viewer = await insertUserToken(service.database, { userId: users.both })
    const refused = () => call(updatePriority, { id: priorities.people, name: 'N' }, key, viewer)
    expect(await refused()).toMatchObject({ status: 403, reason: 'PERMISSION_MISSING', isReplayed: false })
    const role = (name: string) =>
      service.database.execute(
        'UPDATE team_members SET role = $1::team_user_role WHERE user_id = $2 AND team_id = $3',
        [name, users.both, fixture.people],
      )
    await role('AGENT')
    expect(await refused()).toMatchObject({ status: 200, isReplayed: false })
    await role('VIEWER')
  })

  it('separates keys by caller, organization and method', async () => {
    const key = newKey()
    await insertUser(service.database, { id: `shared-${key}`, organizationId: acme, role: 'ORG_ADMIN' })
    await insertUser(service.database, { id: `shared-${key}`, organizationId: globex, role: 'ORG_ADMIN' })
    const callers = [
      admin,
      await insertUserToken(service.database, { userId: users.agent }),
      await insertUserToken(service.database, { userId: `shared-${key}` }),
    ]
    for (const token of callers)
      expect(await rename('One', key, token)).toMatchObject({ status: 200, isReplayed: false })
    const inGlobex = await insertUserToken(service.database, { userId: `shared-${key}`, organizationId: globex })
    expect(await rename('One', key, inGlobex)).toMatchObject({ status: 404, isReplayed: false })
    const keys = [await insertApiKey(service.database, { organizationId: acme })]
    keys.push(await insertApiKey(service.database, { organizationId: acme }))
    const emails = [admin, ...keys.map(({ token }) => token)].map(
      (token, n) => [token, `${key}-${n}@example.com`] as const,
    )
    for (const [token, email] of emails) {
      expect(await call(createUser, { email }, key, token)).toMatchObject({ status: 200, isReplayed: false })
    }
  })

  it('shares keys among all tokens of a user or API key', async () => {
    const key = newKey()
    const first = await rename('Mine', key)
    const other = await insertUserToken(service.database, { userId: users.admin })
    expect(await rename('Mine', key, other)).toMatchObject({ text: first.text, isReplayed: true })
  })

  it.each([
    ['empty', ''],
    ['of 256 characters', 'k'.repeat(256)],
    ['with a space', 'a b'],
    ['with a letter that is not ASCII', 'é'],
  ])('refuses a key that is %s', async (_, key) => {
    expect(await rename('N', key)).toMatchObject({ status: 400, reason: 'FIELD_INVALID', fields: ['Idempotency-Key'] })
    expect(await eventCount()).toBe(0)
  })

  it.each(['!', '~', '"8e03978e-40d5-43dd-bc93-6894a57f9324"', 'k'.repeat(255)])('accepts the key %s', async (key) => {
    expect(await rename('N', `${protocol}${key}`.slice(-255).replaceAll(' ', ''))).toMatchObject({ status: 200 })
  })

  it('forgets a key after 24 hours', async () => {
    const key = newKey()
    await rename('Once', key)
    const [kept] = await service.database.query(
      `SELECT round(extract(epoch FROM expires_at - created_at))::int AS seconds FROM idempotency_keys WHERE key = $1`,
      [key],
    )
    expect(kept).toEqual({ seconds: 86_400 })
    await service.database.execute('UPDATE idempotency_keys SET expires_at = now() WHERE key = $1', [key])
    expect(await rename('Once more', key)).toMatchObject({ status: 200, isReplayed: false })
    expect(await rename('Once more', key)).toMatchObject({ status: 200, isReplayed: true })
    expect(await eventCount()).toBe(2)
  })
})

const madeBefore = async ({ made, ...removal }: Removal): Promise<Pick<WriteCall, 'name' | 'caller' | 'request'>> => {
  const token = made.caller === 'admin' ? admin : await newKeyToken()
  const { verb, path, json } = restFormOf(methodNamed(made.name), made.request(99))
  const { data } = (await service.rest(verb, path, { token, json })).json
  return { ...removal, request: () => removal.request(data.id) }
}

it.each([
  ...writeCalls.map((call) => ({ name: call.name, prepare: async () => call })),
  ...removals.map((removal) => ({ name: removal.name, prepare: () => madeBefore(removal) })),
])(
  '$name is rolled back, unless it was sent to somebody else, if its response cannot be stored',
  async ({ name, prepare }) => {
    const { caller, request } = await prepare()
    const token = caller === 'admin' ? admin : await newKeyToken()
    const { verb, path, json } = restFormOf(methodNamed(name), request(0))
    const send = () =>
      service.rest(verb, path, { token, headers: { 'idempotency-key': `kept-${name}` }, ...(json && { json }) })
    await service.database.execute(
      `ALTER TABLE idempotency_keys ADD CONSTRAINT test_no_answer CHECK (answer IS NULL) NOT VALID`,
    )
    const before = await stateOfTables()
    expect((await send()).status).toBe(500)
    const left = expect(await stateOfTables())
    if (httpFormOf(methodNamed(name)).sendsOut) left.not.toEqual(before)
    else left.toEqual(before)
    await service.database.execute('ALTER TABLE idempotency_keys DROP CONSTRAINT test_no_answer')
    const answer = await send()
    expect([answer.status, answer.headers.get('idempotency-replayed')]).toEqual([200, null])
    expect(await stateOfTables()).not.toEqual(before)
  },
)

it.each([
  ['GET', '/v2/users/admin', {}],
  ['POST', '/v2/auth/revoke', { form: { secret: 'nothing' } }],
])('the key is ignored by %s %s', async (method, path, call) => {
  const headers = { 'idempotency-key': 'not a key' }
  const token = path.includes('auth') ? undefined : admin
  const answer = await service.rest(method, path, { token, headers, ...call })
  expect([answer.status, answer.headers.get('idempotency-replayed')]).toEqual([200, null])
})

it('a stored response has no secret: each token is a new one', async () => {
  const { id, secret } = await insertApiKey(service.database, { organizationId: acme })
  const send = () =>
    service.rest('POST', '/v2/auth/token', {
      form: { grant_type: 'client_credentials', client_id: id, client_secret: secret },
      headers: { 'idempotency-key': 'token' },
    })
  const answers = [await send(), await send()]
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(answers[0]?.json.access_token).not.toBe(answers[1]?.json.access_token)
  expect(await service.database.query(`SELECT FROM idempotency_keys WHERE key = 'token'`)).toEqual([])
})

async function eventCount(): Promise<number> {
  return (await service.database.query('SELECT FROM audit_events WHERE id <> $1::uuid', [feedEvent])).length
}

/** A hash of every row of every table, but for what authentication writes, and the feed of events. */
async function stateOfTables(): Promise<string> {
  const tables = await service.database.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables
      WHERE schemaname = 'public' AND tablename <> 'api_keys' AND tablename !~ '^(event|webhook)_' ORDER BY 1`,
  )
  const hash = createHash('sha256')
  for (const { name } of tables) {
    const rows = await service.database.query(`SELECT t::text AS row FROM ${name} t ORDER BY 1`)
    hash.update(name + JSON.stringify(rows))
  }
  return hash.digest('hex')
}
