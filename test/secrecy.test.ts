import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createApiKeySecret } from '../src/domain/auth/api-key-secret.js'
import { exportRecords } from '../src/transfer/export-records.js'
import { createTestDatabase, type TestDatabase } from './support/database.js'
import { type DatabaseProxy, startDatabaseProxy } from './support/database-proxy.js'
import { fixture, type InsertedApiKey, insertApiKey, insertFixture, insertUserToken } from './support/fixture.js'
import { createTestRuntime } from './support/runtime.js'
import { type ServiceProcess, startServiceProcess } from './support/service-process.js'
import type { Database } from './support/sql.js'

const { acme, users } = fixture
const password = 'correct-horse-battery-staple'

describe('secrets and tokens', () => {
  let testDatabase: TestDatabase
  let database: Database
  let proxy: DatabaseProxy
  let service: ServiceProcess
  let key: InsertedApiKey
  let secrets: string[]
  const answers: string[] = []

  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    database = testDatabase.open()
    await insertFixture(database)
    proxy = await startDatabaseProxy(testDatabase.connectionString)
    service = await startServiceProcess(proxy.connectionString, { LOG_LEVEL: 'trace', TRUST_PROXY: '1' })
    key = await insertApiKey(database, { organizationId: acme })
    const userToken = await insertUserToken(database, { userId: users.admin })
    const unknown = createApiKeySecret('mk', createTestRuntime())
    secrets = [key.secret, key.token, userToken, unknown, password]
    for (const secret of secrets) await sendEverywhere(secret)
    for (const secret of secrets.filter((each) => each !== password)) await sendInPlain(secret)
    await proxy.cut()
    for (const secret of secrets) await sendEverywhere(secret)
    await proxy.mend()
    await manageKeys(userToken)
    await revokeAndMore()
    await service.stop()
  })

  afterAll(async () => {
    await proxy.close()
    await testDatabase.drop()
  })

  const send = async (path: string, init: RequestInit) => {
    const response = await fetch(service.baseUrl + path, { method: 'POST', ...init })
    answers.push(`${response.status} ${JSON.stringify([...response.headers])} ${await response.text()}`)
  }
  const form = (fields: Record<string, string>) => ({ body: new URLSearchParams(fields) })
  const json = (body: string) => ({ body, headers: { 'content-type': 'application/json' } })

  /** Puts a secret wherever a caller may put it, rightly or by mistake. */
  const sendEverywhere = async (secret: string) => {
    const grant = { grant_type: 'client_credentials' }
    const basic = `Basic ${Buffer.from(`${key.id}:${secret}`).toString('base64')}`
    await send('/v2/auth/token', form({ ...grant, client_id: 'nobody', client_secret: secret }))
    await send('/v2/auth/token', form({ ...grant, client_id: secret, client_secret: 'nothing' }))
    await send('/v2/auth/token', form({ grant_type: secret }))
    await send('/v2/auth/token', { ...form({ ...grant, scope: secret }), headers: { authorization: basic } })
    await send('/v2/auth/token', json(`{"grant_type": "${secret}"}`))
    await send('/v2/auth/token', { body: `client_secret=${secret}&client_secret=%zz` })
    await send('/svc.v2.AuthService/CreateToken', json(`{"grant_type": "x", "client_secret": "${secret}"}`))
    await send('/svc.v2.AuthService/CreateToken', json(`{"client_secret": "${secret}", `))
    await send('/svc.v2.AuthService/RevokeLeakedKey', json(`{"secret": ["${secret}"]}`))
    await send(`/v2/auth/revoke?secret=${secret}`, form({}))
    await send('/v2/auth/revoke', form({ token: secret }))
    for (const authorization of [`Bearer ${secret}`, `Bearer "${secret}"`, secret, `Basic ${secret}`]) {
      await send('/v2/audit-events', { method: 'GET', headers: { authorization } })
      await send('/v2/auth/token', { ...form(grant), headers: { authorization } })
    }
    const headers = { cookie: `token=${secret}`, 'user-agent': secret, referer: secret }
    await send(`/v2/audit-events?access_token=${secret}`, { method: 'GET', headers })
  }

  /** Puts a secret where it can only be known by its form: what stands there is written down, and answered. */
  const sendInPlain = async (secret: string) => {
    const headers = { 'x-request-id': secret }
    for (const path of [`/v2/auth/revoke/${secret}`, `/v2/priorities/${secret}`, `/${secret}`]) {
      await fetch(service.baseUrl + path, { method: 'PATCH', headers })
    }
  }

  /** Makes and rotates keys over the API, whose secrets are shown once even if the calls are repeated. */
  const manageKeys = async (userToken: string) => {
    const headers = { authorization: `Bearer ${userToken}`, 'content-type': 'application/json' }
    const ask = async (path: string, body: object, more: Record<string, string> = {}) => {
      const init = { method: 'POST', body: JSON.stringify(body), headers: { ...headers, ...more } }
      const response = await fetch(service.baseUrl + path, init)
      const { data, secret } = Object(await response.json())
      expect([path, response.status, typeof secret]).toEqual([path, 200, 'string'])
      secrets.push(secret)
      return data.id
    }
    const request = { name: 'Managed', permissions: ['tickets:read'] }
    const named = { 'idempotency-key': 'secrecy-create' }
    const id: string = await ask('/v2/api-keys', request, named)
    await send('/v2/api-keys', { body: JSON.stringify(request), headers: { ...headers, ...named } })
    const again = { 'idempotency-key': 'secrecy-rotate' }
    await ask(`/v2/api-keys/${id}:rotate`, {}, again)
    await send(`/v2/api-keys/${id}:rotate`, { body: '{}', headers: { ...headers, ...again } })
    await ask('/svc.v2.ApiKeyService/CreateApiKey', request)
    await send(`/v2/api-keys/${id}:revoke`, { body: '{"chain":true}', headers })
    for (const path of ['/v2/api-keys', `/v2/api-keys/${id}`, '/v2/audit-events']) {
      await send(path, { method: 'GET', headers })
    }
    expect(answers.at(-1)).toMatch(/^200 /)
  }

  const revokeAndMore = async () => {
    const call = { grant_type: 'client_credentials', client_id: key.id, client_secret: key.secret }
    const response = await fetch(`${service.baseUrl}/v2/auth/token`, { method: 'POST', ...form(call) })
    const token = /svc_token_[A-Za-z0-9_-]+/.exec(await response.text())?.[0]
    expect(token).toBeDefined()
    if (token !== undefined) secrets.push(token)
    for (const secret of secrets) {
      const headers = { 'x-forwarded-for': '192.0.2.77', ...(secret !== password && { 'x-request-id': secret }) }
      await send('/v2/auth/revoke', { ...form({ secret }), headers })
    }
    const [row] = await database.query('SELECT FROM api_keys WHERE id = $1 AND revoked_at IS NOT NULL', [key.id])
    expect(row).toBeDefined()
    await insertUserToken(database, { userId: users.admin })
  }

  const traces = (where: string) => secrets.filter((secret) => where.includes(secret))

  it('appear in nothing that the process writes', () => {
    expect(service.output()).toContain('/v2/auth/token')
    expect(
      service
        .output()
        .split('\n')
        .filter((line) => traces(line).length > 0),
    ).toEqual([])
  })

  it('appear in no response except the one that issues them', () => {
    expect(answers.length).toBeGreaterThan(200)
    expect(answers.filter((answer) => traces(answer).length > 0)).toEqual([])
  })

  it('are not read by a model, nor are their hashes, unless it selects them by name', async () => {
    const { models } = database
    const rows = [
      await models.apiKey.findFirst(),
      await models.apiKeySession.create({
        data: { organizationId: acme, tokenHash: new Uint8Array(32), apiKeyId: key.id, expiresAt: new Date() },
      }),
      await models.userToken.findFirst(),
      await models.signingKey.findFirst(),
      (await models.organization.findUniqueOrThrow({ where: { id: acme }, include: { apiKeys: true } })).apiKeys[0],
    ]
    for (const row of rows) {
      expect(Object(row)).toBe(row)
      expect(Object.keys(row ?? {})).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(?:\w+Hash|key)$/)]))
    }
  })

  it('appear in no table and no export', async () => {
    const tables = await database.query<{ name: string }>(
      `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
    )
    for (const { name } of tables) {
      const rows = await database.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`)
      expect(rows.filter(({ row }) => traces(row).length > 0)).toEqual([])
    }
    const exported = await text(Readable.from(exportRecords(database, null)))
    expect(exported).toContain(acme)
    expect(traces(exported)).toEqual([])
  })
})
