import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { runningServers, showServer } from '../../src/db/server-presence.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { startDatabaseProxy } from '../support/database-proxy.js'
import type { Database } from '../support/sql.js'

describe('a server on its database', () => {
  let testDatabase: TestDatabase
  let database: Database
  beforeAll(async () => {
    testDatabase = await createTestDatabase('empty')
    database = testDatabase.open()
  })
  afterAll(() => testDatabase.drop())

  const warnings: unknown[] = []
  const options = {
    log: { warn: (fields: { err: unknown }) => void warnings.push(fields.err) },
    signal: new AbortController().signal,
    retryMillis: 1,
  }
  const show = (origin: string, connectionString = testDatabase.directUrl) =>
    showServer({ ...options, connectionString, origin })
  /** Asks until the servers are these; the test's own time limit ends it. */
  const becomes = async (expected: readonly string[]) => {
    while (JSON.stringify(await runningServers(database)) !== JSON.stringify(expected));
  }

  it('is visible from its start to its end, with the longest possible address', async () => {
    const longest = 'http://[2001:0db8:85a3:1319:8a2e:0370:7344:7334]:65535'
    const presences = [await show(longest), await show('http://127.0.0.1:8080')]
    expect(await runningServers(database)).toEqual([longest, 'http://127.0.0.1:8080'])
    await presences[0]?.close()
    await becomes(['http://127.0.0.1:8080'])
    await presences[1]?.close()
    await becomes([])
    expect(warnings).toEqual([])
  })

  it('is not shown, and does not delay shutdown, if it was asked to stop while starting', async () => {
    const signal = AbortSignal.abort()
    const presence = await showServer({ ...options, connectionString: testDatabase.directUrl, origin: 'x', signal })
    await presence.close()
    expect(await runningServers(database)).toEqual([])
  })

  it('is visible again after its session was cut', async () => {
    const presence = await show('http://127.0.0.1:8080')
    const session = async () => {
      const [row] = await database.query<{ pid: number }>(
        "SELECT pid FROM pg_stat_activity WHERE application_name = 'svc at http://127.0.0.1:8080'",
      )
      return row?.pid
    }
    const first = await session()
    await database.query('SELECT pg_terminate_backend($1::int)', [first])
    while ([first, undefined].includes(await session()));
    expect(await runningServers(database)).toEqual(['http://127.0.0.1:8080'])
    await presence.close()
    await becomes([])
  })

  it('does not keep the server from stopping if the database no longer responds', async () => {
    const proxy = await startDatabaseProxy(testDatabase.directUrl)
    const presence = await show('http://127.0.0.1:8080', proxy.connectionString)
    proxy.stall()
    await presence.close()
    await proxy.close()
  })

  it('continues without being visible, and logs why', async () => {
    warnings.length = 0
    const presence = await show('http://127.0.0.1:8080', 'postgresql://postgres@127.0.0.1:1/none')
    expect(String(warnings[0])).toContain('ECONNREFUSED')
    await presence.close()
  })
})
