import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { createDatabase } from '../../src/db/database.js'
import { systemTiming } from '../../src/db/retries.js'
import { revokeLeakedKey } from '../../src/domain/auth/revocation.js'
import { createSecretHasher } from '../../src/domain/auth/secret-hash.js'
import { parseTrustProxy } from '../../src/http/client-address.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.js'
import { fixture, type InsertedApiKey, insertApiKey, insertFixture } from '../support/fixture.js'
import { startTestService, type TestService } from '../support/service.js'
import { type Database, withSql } from '../support/sql.js'

const { acme, it: itTeam } = fixture

describe('revocation while the database fails', () => {
  let testDatabase: TestDatabase
  let direct: Database
  let proxy: DatabaseProxy
  let proxied: Database
  let service: TestService
  let key: InsertedApiKey
  let addresses = 0

  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    direct = testDatabase.open()
    await insertFixture(direct)
    proxy = await startDatabaseProxy(testDatabase.connectionString)
    proxied = withSql(
      createDatabase({
        ...testDatabase.sessions,
        connectionString: proxy.connectionString,
        log: { warn: () => {} },
      }),
    )
    service = await startTestService({
      config: { trustProxy: parseTrustProxy('1') },
      testDatabase: { ...testDatabase, connectionString: proxy.connectionString, open: () => proxied },
    })
  })

  beforeEach(async () => {
    key = await insertApiKey(direct, { organizationId: acme })
  })

  afterAll(async () => {
    await service.stop()
    await proxied.close()
    await proxy.close()
    await testDatabase.drop()
  })

  const revoke = () => {
    addresses++
    const headers = { 'x-forwarded-for': `10.2.${addresses >> 8}.${addresses & 255}` }
    return service.rest('POST', '/v2/auth/revoke', { form: { secret: key.secret }, headers })
  }
  const isRevoked = async () => {
    const rows = await direct.query<{ revoked: boolean }>(
      'SELECT revoked_at IS NOT NULL AS revoked FROM api_keys WHERE id = $1',
      [key.id],
    )
    return rows[0]?.revoked
  }
  const use = async () => (await service.rest('GET', `/v2/app-instances?teamId=${itTeam}`, { token: key.token })).status

  it('returns 503 with Retry-After while the database is down, and 200 when it is back', async () => {
    expect(await use()).not.toBe(401)
    await proxy.cut()
    try {
      const answer = await revoke()
      expect([answer.status, answer.json.code]).toEqual([503, 'unavailable'])
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/)
      expect(answer.json.detail.debug.reason).toBe('ERROR_REASON_SERVICE_UNAVAILABLE')
      expect(await isRevoked()).toBe(false)
      expect(await use()).toBe(503)
    } finally {
      await proxy.mend()
    }
    expect((await revoke()).status).toBe(200)
    expect(await isRevoked()).toBe(true)
    expect(await use()).toBe(401)
  })

  it('returns 503 if the key is locked for too long, and changes nothing', async () => {
    const options = { database: direct, hasher: createSecretHasher(), runtime: service.runtime, timing: systemTiming }
    await direct.transaction(async (sql) => {
      await sql.query('SELECT FROM api_keys WHERE organization_id = $1 AND id = $2 FOR UPDATE', [acme, key.id])
      const attempt = revokeLeakedKey(
        { ...options, database: options.database.tablesFor({ timeoutMillis: 200 }) },
        key.secret,
        '',
      )
      await expect(attempt).rejects.toMatchObject({ reason: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 })
    })
    expect(await isRevoked()).toBe(false)
    await revokeLeakedKey(options, key.secret, '')
    expect(await isRevoked()).toBe(true)
  })

  it('returns 503 if the database stops responding, and never 200 without a revocation', async () => {
    const options = { database: proxied, hasher: createSecretHasher(), runtime: service.runtime, timing: systemTiming }
    await proxied.query('SELECT 1')
    proxy.stall()
    try {
      const ended: string[] = []
      const answer = revoke().finally(() => ended.push('the call'))
      const attempt = revokeLeakedKey(
        { ...options, database: options.database.tablesFor({ timeoutMillis: 200 }) },
        key.secret,
        '',
      )
      await expect(attempt.finally(() => ended.push('the hurried one'))).rejects.toMatchObject({
        reason: 'SERVICE_UNAVAILABLE',
      })
      expect((await answer).status).toBe(503)
      expect(ended).toEqual(['the hurried one', 'the call'])
      expect(await isRevoked()).toBe(false)
    } finally {
      await proxy.mend()
    }
    expect((await revoke()).status).toBe(200)
    expect(await isRevoked()).toBe(true)
  })

  it('is atomic wherever the connection is cut, and returns 200 only when it is complete', async () => {
    for (let round = 0; round < 12; round++) {
      key = await insertApiKey(direct, { organizationId: acme })
      const answered = revoke()
      // Not a wait for something: each round cuts at another point of the work.
      await systemTiming.sleep(round)
      await proxy.cut()
      await proxy.mend()
      const { status } = await answered
      const [row] = await direct.query<{ revoked: boolean; sessions: number; events: number }>(
        `SELECT revoked_at IS NOT NULL AS revoked,
                (SELECT count(*)::int FROM api_key_sessions WHERE organization_id = $1 AND api_key_id = k.id) AS sessions,
                (SELECT count(*)::int FROM audit_events WHERE organization_id = $1 AND target_id = k.id) AS events
           FROM api_keys k WHERE organization_id = $1 AND id = $2`,
        [acme, key.id],
      )
      const whole = { revoked: true, sessions: 0, events: 1 }
      if (status === 200) expect(row).toEqual(whole)
      else expect(status).toBe(503)
      expect([whole, { revoked: false, sessions: 1, events: 0 }]).toContainEqual(row)
      expect((await revoke()).status).toBe(200)
    }
  })
})
