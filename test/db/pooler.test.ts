import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import pg from 'pg'
import { type PgBouncer, startPgBouncer } from '../../harness/pgbouncer.js'
import { createReadiness } from '../../src/db/readiness.js'
import { roleSettings } from '../../src/db/session-settings.js'
import { runInProcess } from '../support/command-line.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { startServe } from '../support/program.js'
import { sqlOn } from '../support/sql.js'

const NOWHERE = 'postgresql://svc@127.0.0.1:1/svc'
/** Without the name of the client, which PgBouncer gives each its own, and those that a language adds when it is loaded. */
const SETTINGS = `SELECT name, setting FROM pg_settings WHERE name <> 'application_name' AND name NOT LIKE '%.%' ORDER BY name`
/** The settings of a PgBouncer that loses session settings. */
const LOSING = 'options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout'

let testDatabase: TestDatabase
/** One session, which everybody shares: what must not share one would wait for ever. */
let pooler: PgBouncer
const others: PgBouncer[] = []

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  pooler = await startPgBouncer({ adminUrl: testDatabase.directUrl, prepareRole: roleSettings, poolSize: 1 })
})
afterAll(async () => {
  await Promise.all([pooler, ...others].map((each) => each.stop()))
  await testDatabase.drop()
})

const through = ({ host, port }: Pick<PgBouncer, 'host' | 'port'>, url = testDatabase.directUrl) => {
  const pooled = new URL(url)
  pooled.search = ''
  return `postgresql://svc@${host}:${port}${pooled.pathname}`
}
const environment = (more: Readonly<Record<string, string>> = {}) => ({
  DATABASE_URL: through(pooler),
  DATABASE_DIRECT_URL: testDatabase.directUrl,
  DATABASE_STATEMENT_NAMES: 'off',
  PORT: '0',
  ...more,
})
const another = async (options: Omit<Parameters<typeof startPgBouncer>[0], 'adminUrl'>) => {
  const started = await startPgBouncer({ adminUrl: testDatabase.directUrl, ...options })
  others.push(started)
  return started
}
const serve = (more: Readonly<Record<string, string>>) => runInProcess(['serve'], { env: environment(more) })

async function faultsFor(env: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const { stdout } = await runInProcess(['doctor', '--json'], { env })
  const { checks }: { checks: { check: string; healthy: boolean; text: string }[] } = JSON.parse(stdout)
  return Object.fromEntries(checks.flatMap(({ check, healthy, text }) => (healthy ? [] : [[check, text]])))
}

async function ask<Row extends pg.QueryResultRow>(connectionString: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

describe('the service behind a transaction pooler', () => {
  it('answers calls in a single session, in which it leaves neither names nor settings', async () => {
    const before = await ask(through(pooler), SETTINGS)
    const server = await startServe(['--demo'], environment())
    try {
      const status = await runInProcess(['status', '--json'], { env: environment() })
      const { servers, token }: { servers: { url: string }[]; token: string } = JSON.parse(status.stdout)
      expect(servers.map(({ url }) => url)).toEqual([server.origin])
      const calls = Array.from({ length: 50 }, (_, number) =>
        fetch(`${server.origin}/v2/users`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
            'idempotency-key': `${number}`,
          },
          body: JSON.stringify({ email: `person-${number}@example.com` }),
        }),
      )
      expect(new Set((await Promise.all(calls)).map((answer) => answer.status))).toEqual(new Set([200]))
      const list = await fetch(`${server.origin}/v2/users`, { headers: { authorization: `Bearer ${token}` } })
      expect(list.status).toBe(200)
      expect((await fetch(`${server.origin}/readyz`)).status).toBe(200)
      expect(await ask(through(pooler), 'SELECT name, statement FROM pg_prepared_statements')).toEqual([])
      expect(
        await ask(
          through(pooler),
          'SELECT objid FROM pg_locks WHERE locktype = $$advisory$$ AND pid = pg_backend_pid()',
        ),
      ).toEqual([])
      expect(await ask(through(pooler), SETTINGS)).toEqual(before)
    } finally {
      expect(await server.stop()).toBe(0)
    }
  })

  it('limits the statements of a transaction, without affecting any after it', async () => {
    const database = testDatabase.open({ connectionString: through(pooler), sessions: 'pooler', statementNames: false })
    const hurried = database.tablesFor({ timeoutMillis: 200 })
    const slow = hurried.transaction((tables) => sqlOn(tables).query('SELECT pg_sleep(20)'))
    await expect(slow).rejects.toMatchObject({ code: '57014' })
    expect(await database.query('SHOW statement_timeout')).toEqual([{ statement_timeout: '10s' }])
  })

  it("passes the doctor's check", async () => {
    const { status, stdout } = await runInProcess(['doctor'], { env: environment() })
    expect(stdout).toMatch(/^ok {5}sessions {7}of a pooler, with the settings that they need$/m)
    expect(status).toBe(0)
  })
})

describe('the start behind a pooler', () => {
  it('fails if the role lacks settings, with the statements that add them', async () => {
    const bare = await another({})
    const { status, stderr } = await serve({ DATABASE_URL: through(bare) })
    expect(status).toBe(1)
    expect(stderr).toMatch(/sessions do not get the settings that they need \(.*statement_timeout is 0/)
    const statements = /: run (ALTER ROLE .*;) and make the pooler reconnect/.exec(stderr)?.[1] ?? ''
    expect(statements).toContain(`ALTER ROLE "${bare.role}" SET TimeZone = 'UTC';`)
    expect(await faultsFor(environment({ DATABASE_URL: through(bare) }))).toEqual({
      sessions: expect.stringContaining(statements),
    })
    await ask(testDatabase.directUrl, statements)
    // In the console of PgBouncer, which otherwise gives new clients the time zone of its first session.
    await ask(`postgresql://svc@${bare.host}:${bare.port}/pgbouncer`, 'RECONNECT')
    expect(await faultsFor(environment({ DATABASE_URL: through(bare) }))).toEqual({})
  })

  it('fails if statements are named and the pooler does not support that', async () => {
    const { status, stderr } = await serve({ DATABASE_STATEMENT_NAMES: 'on' })
    expect([status, stderr]).toEqual([1, expect.stringContaining('set DATABASE_STATEMENT_NAMES=off')])
    expect(await faultsFor(environment({ DATABASE_STATEMENT_NAMES: 'on' }))).toEqual({
      sessions: expect.stringContaining('named statements'),
    })
    expect(await ask(through(pooler), 'SELECT name FROM pg_prepared_statements')).toEqual([])
  })

  it("fails if the configuration does not say that the URL is a pooler's", async () => {
    const { status, stderr } = await serve({ DATABASE_DIRECT_URL: '' })
    expect([status, stderr]).toEqual([1, expect.stringContaining('set DATABASE_DIRECT_URL too')])
    expect(stderr).toContain('unsupported startup parameter')
    expect(await faultsFor(environment({ DATABASE_DIRECT_URL: '' }))).toEqual({
      database: expect.stringContaining('set DATABASE_DIRECT_URL too'),
    })
  })

  it('fails if the pooler accepts session settings and loses them', async () => {
    const losing = await another({ settings: { ignore_startup_parameters: LOSING } })
    const { status, stderr } = await serve({ DATABASE_URL: through(losing), DATABASE_DIRECT_URL: '' })
    expect([status, stderr]).toEqual([1, expect.stringMatching(/do not get the settings.*statement_timeout is 0/)])
  })

  it('fails if the pooler does not respond, which the doctor distinguishes from the database', async () => {
    const { status, stderr } = await serve({ DATABASE_URL: NOWHERE })
    expect([status, stderr]).toEqual([1, expect.stringMatching(/cannot connect to the database: .*ECONNREFUSED/)])
    expect(await faultsFor(environment({ DATABASE_URL: NOWHERE }))).toEqual({
      sessions: expect.stringMatching(/ECONNREFUSED.*: start the pooler or fix DATABASE_URL$/),
    })
  })
})

describe('commands', () => {
  it('bypass the pooler', async () => {
    const empty = await createTestDatabase('empty')
    try {
      const env = environment({ DATABASE_URL: NOWHERE, DATABASE_DIRECT_URL: empty.directUrl })
      const { status, stdout } = await runInProcess(['migrate'], { env })
      expect([status, stdout]).toEqual([0, expect.stringMatching(/^applied /)])
      expect(await runInProcess(['export'], { env })).toEqual({ status: 0, stdout: '', stderr: '' })
    } finally {
      await empty.drop()
    }
  })

  it('require the direct URL if the configuration names a pooler', async () => {
    const { status, stderr } = await runInProcess(['config'], { env: { DATABASE_DIRECT_URL: testDatabase.directUrl } })
    expect([status, stderr]).toEqual([1, expect.stringContaining('DATABASE_DIRECT_URL needs DATABASE_URL')])
  })
})

describe('readiness behind a pooler', () => {
  const log = { warn: () => {} }
  const readinessOf = (connectionString: string, directUrl: string | undefined) => {
    const { pool } = testDatabase.open()
    return createReadiness({ database: { pool, connectionString }, directUrl, log, maxAgeMillis: 0 })
  }

  it('treats a pooler whose sessions are all in use as busy, not as down', async () => {
    const busy = await another({ prepareRole: roleSettings, poolSize: 1 })
    const readiness = readinessOf(through(busy), testDatabase.directUrl)
    expect(await readiness.ask()).toEqual({})
    const holder = new pg.Client({ connectionString: through(busy) })
    await holder.connect()
    try {
      await holder.query('BEGIN; SELECT 1')
      const unknowing = readinessOf(through(busy), undefined)
      const answers = await Promise.all([readiness.ask(), unknowing.ask()])
      expect(answers).toEqual([{}, { database: 'does not answer' }])
      await unknowing.close()
    } finally {
      await holder.end()
      await readiness.close()
    }
  })

  it('fails with the pooler', async () => {
    const readiness = readinessOf(NOWHERE, testDatabase.directUrl)
    expect(await readiness.ask()).toEqual({ database: 'does not answer' })
    await readiness.close()
  })
})
