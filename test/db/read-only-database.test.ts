import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import { ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { AuthService } from '../../gen/svc/v2/auth_pb.js'
import { services } from '../../src/handlers/routes.js'
import { type CallerName, methodRequests } from '../rpc/method-requests.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { fixture, insertApiKey, insertFixture, insertManagedKeys, insertUserToken } from '../support/fixture.js'
import { protocols, startTestService, type TestService } from '../support/service.js'
import type { Database } from '../support/sql.js'

describe('a service with a read-only database', () => {
  let testDatabase: TestDatabase
  let direct: Database
  let service: TestService
  const tokens = new Map<CallerName, string>()

  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    direct = testDatabase.open()
    await insertFixture(direct)
    await insertManagedKeys(direct)
    tokens.set('key', (await insertApiKey(direct, { organizationId: fixture.acme })).token)
    tokens.set('admin', await insertUserToken(direct, { userId: fixture.users.admin }))
    const frozen = new URL(testDatabase.connectionString)
    frozen.searchParams.set('options', '-c default_transaction_read_only=on')
    const database = testDatabase.open({ connectionString: frozen.href })
    service = await startTestService({ testDatabase: { ...testDatabase, open: () => database } })
  })
  afterAll(async () => {
    await service.close()
    await testDatabase.drop()
  })

  const written = () =>
    direct.query(
      'SELECT (SELECT count(*) FROM audit_events) AS events, (SELECT count(*) FROM revoke_attempts) AS attempts',
    )

  it.each(
    services.flatMap(({ methods, name }) => methods.map((method) => [`${name}/${method.name}`, method] as const)),
  )('serves reads and refuses writes: %s', async (name, method) => {
    const before = await written()
    const isRead = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS
    for (const [caller, status, request] of methodRequests[name] ?? []) {
      if (status !== 200) continue
      const answer = await service.rest('POST', `/svc.v2.${name}`, { token: tokens.get(caller), json: request })
      expect(answer.status === 503).toBe(!isRead)
      expect(answer.headers.get('retry-after')).toBe(isRead ? null : '1')
    }
    expect(await written()).toEqual(before)
  })

  it.each(protocols)('refuses a revocation over %s, and says when to retry', async (protocol) => {
    const revocation = service.client(AuthService, undefined, protocol).revokeLeakedKey({ secret: 'no secret' })
    const error = ConnectError.from(await revocation.catch((thrown: unknown) => thrown))
    expect([error.code, error.metadata.get('retry-after')]).toEqual([14, '1'])
  })

  it('refuses a revocation over REST, and says when to retry', async () => {
    const answer = await service.rest('POST', '/v2/auth/revoke', { form: { secret: 'no secret' } })
    expect([answer.status, answer.json.code, answer.headers.get('retry-after')]).toEqual([503, 'unavailable', '1'])
  })
})
