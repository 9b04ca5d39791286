import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { Prisma } from '../../gen/prisma/client.js'
import { createDatabase } from '../../src/db/database.js'
import { databaseFailure } from '../../src/db/errors.js'
import { createStatement } from '../../src/db/statement.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.js'
import { eventually } from '../support/eventually.js'
import { type Database, sqlOn, withSql } from '../support/sql.js'

const kindOf = (work: Promise<unknown>) => work.then(() => 'done', databaseFailure)
const unavailable = { kind: 'unavailable' }

describe('a pool', () => {
  let test: TestDatabase

  beforeAll(async () => {
    test = await createTestDatabase()
    const database = test.open()
    await database.query('CREATE TABLE counter (id int PRIMARY KEY, value int NOT NULL)')
    await database.query('INSERT INTO counter VALUES (1, 0)')
    await database.query('CREATE SEQUENCE tries')
  })
  afterAll(() => test.drop())

  const pidOf = async (database: Database) => {
    const [row] = await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    return row?.pid
  }
  const raise = (sqlState: string) => `DO $$ BEGIN RAISE EXCEPTION USING errcode = '${sqlState}'; END $$`
  /** The ways that a statement can take to the server. */
  const ways: Record<string, (database: Database, text: string) => Promise<unknown>> = {
    sql: (database, text) => database.query(text),
    'sql in a transaction': (database, text) => database.transaction((sql) => sql.query(text)),
    prisma: (database, text) => database.models.$executeRawUnsafe(text),
    'prisma in a transaction': (database, text) =>
      database.transaction(({ models: prisma }) => prisma.$executeRawUnsafe(text)),
  }

  it.each(Object.entries(ways))('keeps its connection when a statement fails: %s', async (_, send) => {
    const single = test.open({ maxConnections: 1 })
    const pid = await pidOf(single)
    for (let tries = 0; tries < 100; tries++) await kindOf(send(single, 'SELECT 1 / 0'))
    expect(await pidOf(single)).toBe(pid)
  })

  it.each(Object.entries(ways))('keeps its connection to a coordinator that lacks a worker: %s', async (_, send) => {
    const single = test.open({ maxConnections: 1 })
    const pid = await pidOf(single)
    const message = 'connection to the remote node svc@w:5432 failed with the following error: Connection refused'
    const lack = `DO $$ BEGIN RAISE EXCEPTION '${message}' USING errcode = '08006'; END $$`
    expect(await kindOf(send(single, lack))).toEqual(unavailable)
    expect(await pidOf(single)).toBe(pid)
  })

  it('drops a connection to a coordinator whose statement took too long, as it may wait for a worker to end it', async () => {
    const single = test.open({ maxConnections: 1, isDistributed: true, limits: { statement_timeout: 50 } })
    const pid = await pidOf(single)
    expect(await kindOf(single.query('SELECT pg_sleep(1)'))).toEqual({ kind: 'timeout' })
    expect(await pidOf(single)).not.toBe(pid)
  })

  it.each(Object.entries(ways))('drops a connection to a read-only server: %s', async (_, send) => {
    const single = test.open({ maxConnections: 1 })
    const pid = await pidOf(single)
    expect(await kindOf(send(single, raise('25006')))).toEqual(unavailable)
    expect(await pidOf(single)).not.toBe(pid)
  })

  describe('whose connections have outdated prepared statements', () => {
    const connections = 3
    const things = createStatement<object, object>({
      name: 'things',
      columns: {},
      text: () => Prisma.sql`SELECT *, pg_sleep(0.05)::text FROM thing`,
    })
    /** The ways that a prepared statement can take; each is sent on every connection at once. */
    const prepared: Record<string, (database: Database) => Promise<unknown>> = {
      statement: (database) => database.run(things, {}),
      'statement in a transaction': (database) => database.transaction(({ run }) => run(things, {})),
      prisma: (database) => database.models.$queryRaw`SELECT *, pg_sleep(0.05)::text FROM thing`,
      'prisma in a transaction': (database) =>
        database.transaction(({ models: prisma }) => prisma.$queryRaw`SELECT *, pg_sleep(0.05)::text FROM thing`),
    }
    const onAll = (work: () => Promise<unknown>) => Promise.all(Array.from({ length: connections }, work))
    const changes: Record<string, (database: Database) => Promise<unknown>> = {
      '0A000, after a migration': async () => {
        const migrator = test.open({ maxConnections: 1 })
        await migrator.query('ALTER TABLE thing ADD COLUMN extra int')
      },
      '26000, which the server has forgotten': (database) =>
        onAll(() => database.query('DO $$ BEGIN DEALLOCATE ALL; PERFORM pg_sleep(0.05); END $$')),
    }
    const cases = Object.entries(prepared).flatMap(([way, send]) =>
      Object.entries(changes).map(([change, happen]) => ({ way, change, send, happen })),
    )
    beforeEach(async () => {
      const database = test.open({ maxConnections: 1 })
      await database.query('DROP TABLE IF EXISTS thing')
      await database.query('CREATE TABLE thing (id int)')
    })

    it.each(cases)('retries them once on a fresh connection through $way: $change', async ({ send, happen }) => {
      const database = test.open({ maxConnections: connections })
      await onAll(() => send(database))
      await happen(database)
      await onAll(() => send(database))
    })

    it.each(Object.entries(prepared))(
      'retries them once if the server has another statement of that name (42P05): %s',
      async (_, send) => {
        const database = test.open({ maxConnections: connections })
        await onAll(() =>
          database.query(`DO $$ BEGIN
          EXECUTE 'PREPARE things AS SELECT 1';
          EXECUTE 'PREPARE prisma_0 AS SELECT 1';
          PERFORM pg_sleep(0.05);
        END $$`),
        )
        await onAll(() => send(database))
      },
    )

    it('gives up if a fresh connection does not help either', async () => {
      const database = test.open({ maxConnections: 1 })
      await database.query('CREATE SEQUENCE attempts')
      const fails = `DO $$ BEGIN PERFORM nextval('attempts'); RAISE EXCEPTION USING errcode = '26000'; END $$`
      for (const send of Object.values(ways)) {
        expect(await kindOf(send(database, fails))).toEqual({ kind: 'stale_statement' })
      }
      expect(await database.query(`SELECT nextval('attempts')::int AS next`)).toEqual([{ next: 9 }])
    })
  })

  it('retries a single statement that loses a conflict', async () => {
    const lose = `DO $$ BEGIN IF nextval('tries') < 3 THEN RAISE EXCEPTION USING errcode = '40001'; END IF; END $$`
    const pauses: number[] = []
    const sleep = async (millis: number) => void pauses.push(millis)
    const database = test.open({ timing: { now: () => 0, random: () => 0.5, sleep } })
    await database.execute(lose)
    expect(pauses).toEqual([5, 10])
    await database.query(`SELECT setval('tries', 1, false)`)
    const [, timeoutMillis] = [await sqlOn(database.tablesFor({ timeoutMillis: 1_000 })).execute(lose), 7]
    await database.query(`SELECT setval('tries', 1, false)`)
    expect(await kindOf(sqlOn(database.tablesFor({ timeoutMillis: timeoutMillis })).execute(lose))).toEqual({
      kind: 'retryable',
    })
  })

  it('is busy, not faulty, for a caller whose time is up before a connection is free', async () => {
    const single = test.open({ maxConnections: 1 })
    const taken = await single.pool.connect()
    expect(await kindOf(sqlOn(single.tablesFor({ timeoutMillis: 20 })).query('SELECT 1'))).toEqual({ kind: 'busy' })
    taken.release()
    expect(await single.query('SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  it('limits the wait for a connection, and refuses at once when its queue is full', async () => {
    const single = test.open({ maxConnections: 1, maxWaiting: 1, maxWaitMillis: 200 })
    const taken = await single.pool.connect()
    const order: string[] = []
    const waits = [0, 1].map(async (index) => {
      const kind = await kindOf(single.query('SELECT 1'))
      order.push(`${index}`)
      return kind
    })
    expect(await Promise.all(waits)).toEqual([{ kind: 'busy' }, { kind: 'busy' }])
    expect(order).toEqual(['1', '0'])
    const served = single.query('SELECT 1 AS one')
    taken.release()
    expect(await served).toEqual([{ one: 1 }])
  })

  it('cancels an abandoned statement on the server', async () => {
    const database = test.open()
    const text = 'SELECT pg_sleep(60)'
    expect(await kindOf(sqlOn(database.tablesFor({ timeoutMillis: 1 })).query(text))).toEqual(unavailable)
    const running = () => database.query(`SELECT FROM pg_stat_activity WHERE query = '${text}' AND state = 'active'`)
    await eventually(async () => expect(await running()).toEqual([]))
  })

  it('never allows a transaction more than the database does: a read-only database stays unchanged', async () => {
    const frozen = new URL(test.connectionString)
    frozen.searchParams.set('options', '-c default_transaction_read_only=on')
    const database = test.open({ connectionString: frozen.href })
    for (const send of Object.values(ways)) {
      expect(await kindOf(send(database, 'UPDATE counter SET value = 7'))).toEqual(unavailable)
    }
    expect(await database.query('SELECT value FROM counter')).toEqual([{ value: 0 }])
  })
})

/** Longer than a test may take: whatever has ended before has ended by something else. */
const NEVER_MILLIS = 600_000

describe('a silent connection', () => {
  let test: TestDatabase
  let proxy: DatabaseProxy

  beforeAll(async () => {
    test = await createTestDatabase()
    proxy = await startDatabaseProxy(test.connectionString)
  })
  afterAll(async () => {
    await proxy.close()
    await test.drop()
  })
  it('is dropped shortly after the timeout of its statement, and replaced', async () => {
    const { connectionString } = proxy
    const database = test.open({ connectionString, limits: { statement_timeout: 500 }, connectionTimeoutMillis: 500 })
    const reads = [
      () => database.query('SELECT 1'),
      () => database.transaction((sql) => sql.query('SELECT 1')),
      () => database.prisma.$queryRaw`SELECT 1`,
      () => database.transaction(({ models: prisma }) => prisma.$queryRaw`SELECT 1`),
    ]
    await Promise.all(reads.map((read) => read()))
    const sleeping = [
      database.query('SELECT pg_sleep(0.1)'),
      database.transaction((sql) => sql.query('SELECT pg_sleep(0.1)')),
      database.prisma.$executeRaw`SELECT pg_sleep(0.1)`,
      database.transaction(({ models: prisma }) => prisma.$executeRaw`SELECT pg_sleep(0.1)`),
    ].map(kindOf)
    proxy.stall()
    try {
      expect(await Promise.all(sleeping)).toEqual(sleeping.map(() => unavailable))
    } finally {
      proxy.resume()
    }
    for (const read of reads) expect(await kindOf(read())).toBe('done')
  })

  it('is dropped by a deadline that ends before the timeout of the statement', async () => {
    const { connectionString } = proxy
    const database = test.open({ connectionString, limits: { statement_timeout: NEVER_MILLIS } })
    await database.query('SELECT 1')
    proxy.stall()
    try {
      const hurried = database.tablesFor({ timeoutMillis: 50 })
      const statements = [
        sqlOn(hurried).query('SELECT 1'),
        hurried.transaction((tables) => sqlOn(tables).query('SELECT 1')),
      ]
      expect(await Promise.all(statements.map(kindOf))).toEqual([unavailable, unavailable])
    } finally {
      proxy.resume()
    }
  })

  it('does not keep the pool from closing', async () => {
    const { connectionString } = proxy
    const limits = { statement_timeout: NEVER_MILLIS }
    const database = withSql(createDatabase({ ...test.sessions, connectionString, limits, log: { warn: () => {} } }))
    await Promise.all([database.query('SELECT 1'), database.query('SELECT 1')])
    proxy.stall()
    try {
      const running = kindOf(database.query('SELECT 1'))
      await eventually(() => expect(database.pool.idleCount).toBe(1))
      await database.close()
      expect(await running).toEqual(unavailable)
    } finally {
      proxy.resume()
    }
  })
})
