import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { describe, expect, it } from '@jest/globals'
import { sessionsOf } from '../../src/cli/command-context.js'
import { configFromEnvironment } from '../../src/config.js'
import { createDatabase } from '../../src/db/database.js'
import { createTestDatabase } from '../support/database.js'
import { eventually } from '../support/eventually.js'
import { fixture, insertFixture, insertUserToken } from '../support/fixture.js'
import { endLockWaits, lockOf, untilLockWaits, whileLocked } from '../support/lock-wait.js'
import { startServe } from '../support/program.js'
import { withSql } from '../support/sql.js'

/** A server on a database of its own, so that several can be tested at once. */
async function startLimited(limits: Readonly<Record<string, string>>) {
  const testDatabase = await createTestDatabase()
  const database = testDatabase.open()
  await insertFixture(database)
  const token = await insertUserToken(database, { userId: fixture.users.manager })
  const { origin, stop } = await startServe(['--no-demo'], { ...testDatabase.environment, ...limits })
  const update = async () => {
    const answer = await fetch(`${origin}/v2/priorities/${fixture.priorities.it}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{"name":"New"}',
    })
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), text: await answer.text() }
  }
  return {
    testDatabase,
    origin,
    stop,
    update,
    /** Updates until one waits for the row: the server itself may have the connections when the first one comes. */
    updateThatWaits: async () => {
      for (;;) {
        const answer = update()
        const waits = untilLockWaits(testDatabase, 1).then(() => true)
        if (await Promise.race([waits, answer.then(({ status }) => status !== 503)])) return { answer }
      }
    },
    /** Locks the row that is updated until the work is done. */
    whileLocked: (work: () => Promise<void>) => whileLocked(testDatabase, lockOf('priorities'), work),
    [Symbol.asyncDispose]: async () => {
      await stop()
      await testDatabase.drop()
    },
  }
}

/** What a server answers to the beginning of a request, until it closes the connection. */
async function answerTo(origin: string, beginning: string) {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1').setEncoding('utf8')
  socket.write(beginning)
  let text = ''
  for await (const part of socket) text += part
  return text.split(' ')[1]
}

/** Other limits that could end what is tested, beyond the end of the test. */
const noOther = {
  DATABASE_LOCK_SECONDS: '600',
  DATABASE_STATEMENT_SECONDS: '600',
  MAX_CALL_SECONDS: '600',
  REQUEST_SECONDS: '600',
}

describe('a server with configured limits', () => {
  it.concurrent('closes a connection that is idle for IDLE_SECONDS', async () => {
    await using server = await startLimited({ IDLE_SECONDS: '1' })
    const socket = connect(Number(new URL(server.origin).port), '127.0.0.1').resume()
    await once(socket, 'connect')
    socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n')
    await once(socket, 'close')
  })

  const head = 'POST /v2/auth/token HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-www-form-urlencoded\r\n'

  it.concurrent('waits for headers no longer than HEADER_SECONDS', async () => {
    await using server = await startLimited({ ...noOther, HEADER_SECONDS: '1' })
    expect(await answerTo(server.origin, head)).toBe('408')
  })

  it.concurrent('waits for a body no longer than REQUEST_SECONDS', async () => {
    await using server = await startLimited({ ...noOther, HEADER_SECONDS: '1', REQUEST_SECONDS: '2' })
    await answerTo(server.origin, `${head}content-length: 100\r\n\r\ngrant_type=`)
  })

  it.concurrent('lets at most DATABASE_MAX_WAITING callers wait for a connection', async () => {
    await using server = await startLimited({
      DATABASE_POOL_SIZE: '1',
      DATABASE_MAX_WAITING: '1',
      DATABASE_WAIT_SECONDS: '8',
      DATABASE_LOCK_SECONDS: '600',
      DATABASE_STATEMENT_SECONDS: '600',
    })
    await server.whileLocked(async () => {
      const first = await server.updateThatWaits()
      const second = server.update()
      await eventually(async () => {
        const report = await fetch(`${server.origin}/v2/auth/revoke`, {
          method: 'POST',
          body: new URLSearchParams({ secret: 'x' }),
          // Before a caller who waits would be refused.
          signal: AbortSignal.timeout(6_000),
        })
        expect(report.status).toBe(503)
      })
      expect((await second).status).toBe(503)
      await endLockWaits(server.testDatabase)
      await first.answer
    })
  })

  it.concurrent('ends a call after MAX_CALL_SECONDS', async () => {
    await using server = await startLimited({ MAX_CALL_SECONDS: '1' })
    await server.whileLocked(async () => {
      const { status, text } = await server.update()
      expect([status, JSON.parse(text).code]).toEqual([504, 'deadline_exceeded'])
    })
  })

  it.concurrent('lets a statement wait for a lock no longer than DATABASE_LOCK_SECONDS', async () => {
    await using server = await startLimited({ ...noOther, DATABASE_LOCK_SECONDS: '1' })
    await server.whileLocked(async () => {
      const answer = server.update()
      await untilLockWaits(server.testDatabase, 1)
      expect((await answer).status).toBe(504)
    })
  })

  it.concurrent('lets a statement run no longer than DATABASE_STATEMENT_SECONDS', async () => {
    await using server = await startLimited({ DATABASE_STATEMENT_SECONDS: '1', DATABASE_LOCK_SECONDS: '60' })
    await server.whileLocked(async () => {
      const { status, text } = await server.update()
      expect([status, JSON.parse(text).code]).toEqual([504, 'deadline_exceeded'])
    })
  })

  it('limits the wait for a connection to DATABASE_WAIT_SECONDS, and runs MAX_RUNNING_CALLS at a time', async () => {
    // Half of each is for one organization.
    await using server = await startLimited({
      ...noOther,
      DATABASE_POOL_SIZE: '2',
      DATABASE_WAIT_SECONDS: '1',
      MAX_RUNNING_CALLS: '4',
    })
    await server.whileLocked(async () => {
      const first = server.update()
      await untilLockWaits(server.testDatabase, 1)
      const second = server.update()
      const third = server.update()
      // One of the two is refused at once, the other when its time is over.
      const refused = await Promise.race([second, third])
      expect([refused.status, Number(refused.retryAfter)]).toEqual([503, expect.any(Number)])
      expect((await Promise.all([second, third])).map(({ status }) => status)).toEqual([503, 503])
      await endLockWaits(server.testDatabase)
      expect((await first).status).toBe(503)
    })
  })

  it.concurrent('refuses headers of more than MAX_HEADER_BYTES, and announces MAX_STREAMS', async () => {
    await using server = await startLimited({ MAX_HEADER_BYTES: '4096', MAX_STREAMS: '2' })
    const status = await answerTo(
      server.origin,
      `GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: ${'x'.repeat(5_000)}\r\n\r\n`,
    )
    const session = connectHttp2(server.origin)
    const [settings] = await once(session, 'remoteSettings')
    session.destroy()
    expect([status, settings.maxConcurrentStreams, settings.maxHeaderListSize]).toEqual(['431', 2, 4_096])
  })

  it.concurrent('gives running calls GRACE_SECONDS to finish when it stops', async () => {
    await using server = await startLimited({ ...noOther, GRACE_SECONDS: '1' })
    await server.whileLocked(async () => {
      const running = server.update()
      await untilLockWaits(server.testDatabase, 1)
      await server.stop()
      expect((await running).status).toBe(503)
    })
  })

  it('lets a transaction idle no longer than DATABASE_IDLE_SECONDS', async () => {
    const testDatabase = await createTestDatabase()
    const config = configFromEnvironment({ DATABASE_URL: testDatabase.directUrl, DATABASE_IDLE_SECONDS: '7' })
    const database = withSql(createDatabase({ ...sessionsOf(config), log: { warn: () => {} } }))
    const rows = await database.query('SHOW idle_in_transaction_session_timeout')
    await database.close()
    await testDatabase.drop()
    expect(rows).toEqual([{ idle_in_transaction_session_timeout: '7s' }])
  })
})
