import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createDatabase } from '../../src/db/database.js'
import { type DatabaseFailure, databaseFailure } from '../../src/db/errors.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { eventually } from '../support/eventually.js'
import { type Database, withSql } from '../support/sql.js'

/** What the action fails with, as the mapper sees it; undefined also when it does not fail. */
async function failureOf(action: () => Promise<unknown>): Promise<DatabaseFailure | undefined> {
  return action().then(
    () => {
      throw new Error('the action was expected to fail')
    },
    (error: unknown) => databaseFailure(error),
  )
}

/** As Citus passes on a shard's refusal: the name of the constraint is only in the message. */
const refuseOnShard = (sqlState: string, message: string) =>
  `DO $$ BEGIN RAISE EXCEPTION '${message}' USING errcode = '${sqlState}'; END $$`
const raise = (sqlState: string) => `DO $$ BEGIN RAISE EXCEPTION USING errcode = '${sqlState}'; END $$`

describe('a failure of the database', () => {
  let test: TestDatabase
  let database: Database
  /** Times out fast and has two connections. */
  let impatient: Database

  beforeAll(async () => {
    test = await createTestDatabase()
    database = test.open()
    impatient = test.open({
      maxConnections: 2,
      maxWaitMillis: 100,
      limits: { statement_timeout: 100, lock_timeout: 50 },
    })
    await database.query(`
      CREATE TABLE item (
        id int CONSTRAINT item_key PRIMARY KEY, size int CONSTRAINT size_positive CHECK (size > 0),
        parent int CONSTRAINT item_parent REFERENCES item, "text" text, "json" jsonb
      )`)
    await database.query('INSERT INTO item (id, size) VALUES (1, 1), (2, 1)')
    await database.query('CREATE TABLE item_102010 (id int CONSTRAINT item_key_102010 PRIMARY KEY)')
    await database.query('INSERT INTO item_102010 VALUES (1)')
  })

  afterAll(() => test.drop())

  /** The ways that a statement can take to the server; each reports failures in its own shape. */
  const ways: Record<string, (text: string, values: unknown[]) => Promise<unknown>> = {
    sql: (text, values) => database.query(text, values),
    'sql in a transaction': (text, values) => database.transaction((sql) => sql.execute(text, values)),
    prisma: (text, values) => database.prisma.$queryRawUnsafe(text, ...values),
    'prisma in a transaction': (text, values) =>
      database.transaction(({ models: prisma }) => prisma.$executeRawUnsafe(text, ...values)),
  }

  const statements: [name: string, text: string, values: unknown[], failure: DatabaseFailure | undefined][] = [
    ['a duplicate key', 'INSERT INTO item VALUES (1, 1)', [], { kind: 'unique_violation', constraint: 'item_key' }],
    ['a broken check', 'INSERT INTO item VALUES (3, 0)', [], { kind: 'check_violation', constraint: 'size_positive' }],
    [
      'a missing parent',
      'INSERT INTO item VALUES (3, 1, 99)',
      [],
      { kind: 'foreign_key_violation', constraint: 'item_parent' },
    ],
    [
      'a duplicate key in a shard',
      'INSERT INTO item_102010 VALUES (1)',
      [],
      { kind: 'unique_violation', constraint: 'item_key' },
    ],
    [
      'a duplicate key that a coordinator reports',
      refuseOnShard('23505', 'duplicate key value violates unique constraint "item_key_102010"'),
      [],
      { kind: 'unique_violation', constraint: 'item_key' },
    ],
    [
      'a parent in use that a coordinator reports',
      refuseOnShard(
        '23503',
        'update or delete on table "item_102010" violates foreign key constraint "item_parent_1020105" on table "part_102011"',
      ),
      [],
      { kind: 'foreign_key_violation', constraint: 'item_parent' },
    ],
    [
      'a missing owner in a shard that cuts the name short',
      refuseOnShard(
        '23503',
        'insert or update on table "app_resources_102087" violates foreign key constraint "app_resources_organization_id_app_instance_id_t_9ca6b2e0_102087"',
      ),
      [],
      { kind: 'foreign_key_violation', constraint: 'app_resources_organization_id_app_instance_id_t' },
    ],
    ['U+0000 in text', 'INSERT INTO item (id, "text") VALUES (3, $1)', ['a\0b'], { kind: 'invalid_text' }],
    [
      'U+0000 in JSON',
      'INSERT INTO item (id, "json") VALUES (3, $1::text::jsonb)',
      ['"\\u0000"'],
      { kind: 'invalid_text' },
    ],
    ['a session that is ended', 'SELECT pg_terminate_backend(pg_backend_pid())', [], { kind: 'unavailable' }],
    ['a server that starts or stops', raise('57P03'), [], { kind: 'unavailable' }],
    ['a server without free sessions', raise('53300'), [], { kind: 'unavailable' }],
    ['a lost connection', raise('08006'), [], { kind: 'unavailable' }],
    ['a server without disk space', raise('53100'), [], { kind: 'unavailable' }],
    ['a server without memory', raise('53200'), [], { kind: 'unavailable' }],
    ['a server whose disk fails', raise('58030'), [], { kind: 'unavailable' }],
    ['a server that only reads', raise('25006'), [], { kind: 'unavailable' }],
    ['a database that is dropped', raise('57P04'), [], { kind: 'unavailable' }],
    ['a database that is not there', raise('3D000'), [], { kind: 'unavailable' }],
    ['credentials that are refused', raise('28P01'), [], { kind: 'unavailable' }],
    ['a wrong statement', 'SELECT nothing FROM nowhere', [], undefined],
    ['a wrong value', `SELECT 'x'::text::int`, [], undefined],
  ]
  for (const [way, send] of Object.entries(ways)) {
    it.each(statements)(`is classified through ${way}: %s`, async (_, text, values, failure) => {
      expect(await failureOf(() => send(text, values))).toEqual(failure)
    })
  }

  it.each(['40001', '40P01'])('is retryable for SQLSTATE %s in every way without a transaction', async (sqlState) => {
    expect(await failureOf(() => database.query(raise(sqlState)))).toEqual({ kind: 'retryable' })
    expect(await failureOf(() => database.prisma.$executeRawUnsafe(raise(sqlState)))).toEqual({ kind: 'retryable' })
  })

  it('names the constraint when it comes from a Prisma model', async () => {
    const create = () => database.prisma.organization.create({ data: { id: 'one', name: '' }, select: { id: true } })
    await create()
    expect(await failureOf(create)).toEqual({ kind: 'unique_violation', constraint: 'organizations_pkey' })
  })

  it('is retryable when the serialization failure occurs only at COMMIT', async () => {
    const serializable = 'SET TRANSACTION ISOLATION LEVEL SERIALIZABLE'
    const crossing = async (reached: () => void) =>
      database.transaction(async ({ models: prisma }) => {
        await prisma.$executeRawUnsafe(serializable)
        await prisma.$queryRaw`SELECT sum(size) FROM item`
        await prisma.$executeRaw`UPDATE item SET size = size + 1 WHERE id = 1`
        await database.transaction(async (sql) => {
          await sql.execute(serializable)
          await sql.query('SELECT sum(size) FROM item')
          await sql.execute('UPDATE item SET size = size + 1 WHERE id = 2')
        })
        reached()
      })
    let commits = 0
    expect(await failureOf(() => crossing(() => commits++))).toEqual({ kind: 'retryable' })
    // Each repetition loses again.
    expect(commits).toBe(6)
  })

  it('is a timeout when a statement takes too long', async () => {
    expect(await failureOf(() => impatient.query('SELECT pg_sleep(5)'))).toEqual({ kind: 'timeout' })
    expect(await failureOf(() => impatient.prisma.$executeRaw`SELECT pg_sleep(5)`)).toEqual({ kind: 'timeout' })
  })

  it('is a timeout when a lock is not released', async () => {
    await database.transaction(async (sql) => {
      await sql.query('SELECT FROM item WHERE id = 1 FOR UPDATE')
      const update = 'UPDATE item SET size = 2 WHERE id = 1'
      expect(await failureOf(() => impatient.execute(update))).toEqual({ kind: 'timeout' })
      expect(await failureOf(() => impatient.prisma.$executeRawUnsafe(update))).toEqual({ kind: 'timeout' })
    })
  })

  it('is a timeout when a Prisma transaction exceeds its budget', async () => {
    const slow = () =>
      database.tablesFor({ timeoutMillis: 50 }).transaction(async ({ models: prisma }) => {
        await prisma.$executeRaw`SELECT pg_sleep(0.1)`
        await prisma.$executeRaw`SELECT pg_sleep(0.1)`
      })
    expect(await failureOf(slow)).toEqual({ kind: 'timeout' })
  })

  it('is reported as busy when no connection becomes free', async () => {
    const taken = await Promise.all([impatient.pool.connect(), impatient.pool.connect()])
    const actions = [
      () => impatient.query('SELECT 1'),
      () => impatient.transaction((sql) => sql.query('SELECT 1')),
      () => impatient.prisma.organization.count(),
      () => impatient.transaction(({ models: prisma }) => prisma.organization.count()),
    ]
    for (const action of actions) expect(await failureOf(action)).toEqual({ kind: 'busy' })
    for (const client of taken) client.release()
  })

  it('is unavailable when the connection is cut in the middle of a transaction', async () => {
    const cut = (pid: unknown) => database.query('SELECT pg_terminate_backend($1::int)', [pid])
    const viaSql = () =>
      database.transaction(async (sql) => {
        const [row] = await sql.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
        await cut(row?.pid)
        await sql.query('SELECT 1')
      })
    const viaPrisma = () =>
      database.transaction(async ({ models: prisma }) => {
        const [row] = await prisma.$queryRaw<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`
        await cut(row?.pid)
        await prisma.$queryRaw`SELECT 1`
      })
    expect(await failureOf(viaSql)).toEqual({ kind: 'unavailable' })
    expect(await failureOf(viaPrisma)).toEqual({ kind: 'unavailable' })
  })

  it.each([
    ['postgresql://postgres@127.0.0.1:1/none'],
    ['postgresql://postgres@localhost:1/none'],
    ['postgresql://postgres@localhost/none?host=%2Fnowhere'],
  ])('is unavailable if nothing listens: %s', async (connectionString) => {
    const unreachable = withSql(createDatabase({ connectionString, log: { warn: () => {} } }))
    const actions = [
      () => unreachable.query('SELECT 1'),
      () => unreachable.prisma.$queryRaw`SELECT 1`,
      () => unreachable.prisma.organization.count(),
      () => unreachable.transaction(({ models: prisma }) => prisma.organization.count()),
    ]
    for (const action of actions) expect(await failureOf(action)).toEqual({ kind: 'unavailable' })
    await unreachable.close()
    for (const action of actions) expect(await failureOf(action)).toEqual({ kind: 'unavailable' })
  })

  it('does not affect the next caller: a connection lost while idle is replaced', async () => {
    const warnings: string[] = []
    const single = test.open({ maxConnections: 1, log: { warn: (_, message) => warnings.push(message) } })
    const [row] = await single.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    await database.query('SELECT pg_terminate_backend($1::int)', [row?.pid])
    await eventually(() => expect(warnings).toEqual(['an idle database connection was lost']))
    expect(await single.query('SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  it('is not recognized in an unrelated error', () => {
    const missingFile = Object.assign(new Error('ENOENT'), { code: 'ENOENT', syscall: 'open' })
    for (const value of [undefined, null, 'text', new Error('text'), { code: '40001' }, missingFile]) {
      expect(databaseFailure(value)).toBeUndefined()
    }
  })
})

describe('a failure of the network', () => {
  const unreachable = Object.assign(new Error('connect ENETUNREACH'), { code: 'ENETUNREACH', syscall: 'connect' })

  it('is that the database is unavailable, whatever the system calls it, for one address or for all of a name', () => {
    expect(databaseFailure(unreachable)).toEqual({ kind: 'unavailable' })
    expect(databaseFailure(new AggregateError([unreachable, unreachable]))).toEqual({ kind: 'unavailable' })
    expect(databaseFailure(new AggregateError([new Error('text')]))).toBeUndefined()
  })
})

describe('a failure of a worker of Citus', () => {
  const report = (message: string) => Object.assign(new Error(message), { code: 'XX000', severity: 'ERROR' })

  it('is recognized by its text where its SQLSTATE says nothing', () => {
    expect(databaseFailure(report('could not find valid entry for shard 102012'))).toEqual({ kind: 'stale_statement' })
    const uncommitted = 'could not commit transaction for shard 102110 on at least one active node'
    expect(databaseFailure(report(uncommitted))).toEqual({ kind: 'unavailable' })
    expect(databaseFailure(report('cache lookup failed for relation 16384'))).toBeUndefined()
  })
})
