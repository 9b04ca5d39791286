import { Code, ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { PriorityService } from '../gen/svc/v2/priority_pb.js'
import { eventually } from './support/eventually.js'
import { fixture, insertApiKey, insertFixture, insertUserToken } from './support/fixture.js'
import { lockOf, untilLockWaits, whileLocked } from './support/lock-wait.js'
import { patientSessions, startTestService, type TestService } from './support/service.js'

const name = 'Nobody waits'
/** Calls of every kind, each with what must be locked to make it wait. */
const calls: Record<string, { method: string; path: string; json?: unknown; headers?: object; lock: string }> = {
  'a write of one statement': {
    method: 'PATCH',
    path: `/v2/priorities/${fixture.priorities.it}`,
    json: { name },
    lock: lockOf('priorities'),
  },
  'a write of several statements': {
    method: 'PUT',
    path: '/v2/app-resources/batch',
    json: { resources: [{ id: fixture.appResources.it, name }] },
    lock: lockOf('app_resources'),
  },
  'a write that can be repeated': {
    method: 'PATCH',
    path: `/v2/priorities/${fixture.priorities.it}`,
    json: { name },
    headers: { 'idempotency-key': 'nobody-waits' },
    lock: lockOf('priorities'),
  },
  'a list': {
    method: 'GET',
    path: `/v2/teams/${fixture.it}/sla-definitions`,
    lock: 'LOCK TABLE sla_definitions IN ACCESS EXCLUSIVE MODE',
  },
}

describe('an abandoned call', () => {
  let service: TestService
  let token: string

  beforeAll(async () => {
    service = await startTestService({ sessions: patientSessions })
    await insertFixture(service.database)
  })
  beforeEach(async () => {
    token = await insertUserToken(service.database, { userId: fixture.users.manager })
  })
  afterAll(() => service.stop())

  /** Calls while locked out, and checks that its statement is gone, which nothing but the end of the call ends. */
  const callWhileLocked = async <T>(lock: string, call: () => Promise<T>): Promise<T> =>
    whileLocked(service.testDatabase, lock, async () => {
      const result = await call()
      await untilLockWaits(service.testDatabase, 0)
      await eventually(() => expect(service.database.pool.inUse).toBe(0))
      return result
    })
  const changed = () =>
    service.database.query(
      'SELECT id FROM priorities WHERE name = $1 UNION ALL SELECT id FROM app_resources WHERE name = $1',
      [name],
    )

  it.each(Object.entries(calls))('leaves no statement running after its deadline: %s', async (_, { lock, ...call }) => {
    const answer = await callWhileLocked(lock, () =>
      service.rest(call.method, call.path, {
        token,
        json: call.json,
        headers: { ...call.headers, 'connect-timeout-ms': '300' },
      }),
    )
    expect([answer.status, await changed()]).toEqual([504, []])
  })

  it.each(Object.entries(calls))(
    'leaves no statement running after its client disconnects: %s',
    async (_, { lock, ...call }) => {
      const gone = new AbortController()
      await callWhileLocked(lock, async () => {
        const answer = fetch(service.baseUrl + call.path, {
          method: call.method,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...call.headers },
          body: call.json === undefined ? null : JSON.stringify(call.json),
          signal: gone.signal,
        })
        await untilLockWaits(service.testDatabase, 1)
        gone.abort()
        await expect(answer).rejects.toThrow()
      })
      expect(await changed()).toEqual([])
    },
  )

  it.each(['grpc', 'grpc-web', 'connect-binary'] as const)('leaves no statement running over %s', async (protocol) => {
    const client = service.client(PriorityService, token, protocol)
    const error = await callWhileLocked(lockOf('priorities'), () =>
      client.updatePriority({ id: fixture.priorities.it, name }, { timeoutMs: 300 }).catch(ConnectError.from),
    )
    expect([error, await changed()]).toEqual([expect.objectContaining({ code: Code.DeadlineExceeded }), []])
  })

  it('does not count as a failure of the service', () => {
    const failures = service.logLines.filter((line) => /call failed|request failed/.test(line))
    expect(failures).toEqual([])
  })

  it('still revokes the key that it reports', async () => {
    const { id, secret } = await insertApiKey(service.database, { organizationId: fixture.acme })
    const gone = new AbortController()
    await whileLocked(service.testDatabase, lockOf('api_keys'), async () => {
      const report = fetch(`${service.baseUrl}/v2/auth/revoke`, {
        method: 'POST',
        body: new URLSearchParams({ secret }),
        signal: gone.signal,
      })
      await untilLockWaits(service.testDatabase, 1)
      gone.abort()
      await expect(report).rejects.toThrow()
    })
    await eventually(async () => {
      const [key] = await service.database.query<{ revoked: boolean }>(
        'SELECT revoked_at IS NOT NULL AS revoked FROM api_keys WHERE id = $1',
        [id],
      )
      expect(key?.revoked).toBe(true)
    })
  })
})
