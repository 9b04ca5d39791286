import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { fixture, insertFixture, insertUserToken } from '../support/fixture.js'
import { endLockWaits, untilLockWaits } from '../support/lock-wait.js'
import { type RunningServe, startServe } from '../support/program.js'

describe('a server whose limits are configured', () => {
  let testDatabase: TestDatabase
  let token: string
  const servers: RunningServe[] = []
  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    await insertFixture(testDatabase.open())
    token = await insertUserToken(testDatabase.open(), { userId: fixture.users.manager })
  })
  afterAll(async () => {
    for (const server of servers) await server.stop()
    await testDatabase.drop()
  })

  const start = async (limits: Readonly<Record<string, string>>): Promise<string> => {
    const serve = await startServe(['--no-demo'], { ...testDatabase.environment, ...limits, DRAIN_SECONDS: '0' })
    servers.push(serve)
    return serve.origin
  }
  const update = async (origin: string) => {
    const answer = await fetch(`${origin}/v2/priorities/${fixture.priorities.it}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{"name":"New"}',
    })
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), text: await answer.text() }
  }
  /** Holds the row that is updated until the work is done. */
  const whileLocked = async (work: () => Promise<void>) => {
    const holder = await testDatabase.open().pool.connect()
    await holder.query('BEGIN; SELECT FROM priorities FOR UPDATE')
    try {
      await work()
    } finally {
      await holder.query('ROLLBACK')
      holder.release()
    }
  }

  it('ends a call after MAX_CALL_SECONDS', async () => {
    const origin = await start({ MAX_CALL_SECONDS: '1' })
    await whileLocked(async () => {
      const { status, text } = await update(origin)
      expect([status, JSON.parse(text).code]).toEqual([504, 'deadline_exceeded'])
    })
  })

  it('lets a statement wait for a lock no longer than DATABASE_LOCK_SECONDS', async () => {
    const origin = await start({ DATABASE_LOCK_SECONDS: '1' })
    await whileLocked(async () => {
      const answer = update(origin)
      await untilLockWaits(testDatabase, 1)
      const startedAt = performance.now()
      expect((await answer).status).toBe(504)
      expect(performance.now() - startedAt).toBeLessThan(4_500)
    })
  })

  it('lets a statement run no longer than DATABASE_STATEMENT_SECONDS', async () => {
    const origin = await start({ DATABASE_STATEMENT_SECONDS: '1', DATABASE_LOCK_SECONDS: '60' })
    await whileLocked(async () => {
      const { status, text } = await update(origin)
      expect([status, JSON.parse(text).code]).toEqual([504, 'deadline_exceeded'])
    })
  })

  it('lets nobody wait for a connection longer than DATABASE_WAIT_SECONDS, and runs MAX_RUNNING_CALLS at a time', async () => {
    const origin = await start({ DATABASE_POOL_SIZE: '1', DATABASE_WAIT_SECONDS: '1', MAX_RUNNING_CALLS: '2' })
    await whileLocked(async () => {
      const first = update(origin)
      await untilLockWaits(testDatabase, 1)
      const startedAt = performance.now()
      const second = update(origin)
      const third = update(origin)
      // One of the two is refused at once, the other when its time is over.
      const refused = await Promise.race([second, third])
      const refusedAfter = performance.now() - startedAt
      expect([refused.status, Number(refused.retryAfter)]).toEqual([503, expect.any(Number)])
      expect((await Promise.all([second, third])).map(({ status }) => status)).toEqual([503, 503])
      const waited = performance.now() - startedAt - refusedAfter
      expect(waited).toBeGreaterThan(500)
      expect(waited).toBeLessThan(2_500)
      await endLockWaits(testDatabase)
      expect((await first).status).toBe(503)
    })
  })

  it('ends a connection that is idle for IDLE_SECONDS', async () => {
    const origin = await start({ IDLE_SECONDS: '1' })
    const socket = connect(Number(new URL(origin).port), '127.0.0.1').resume()
    await once(socket, 'connect')
    socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n')
    const startedAt = performance.now()
    await once(socket, 'close')
    expect(performance.now() - startedAt).toBeLessThan(9_000)
  })
})
