import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import pg from 'pg'
import { loadMigrations, type Migration, migrate, pendingMigrations } from '../../src/db/migrate.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { eventually } from '../support/eventually.js'

const first: Migration = { name: '20260101000000_first', sql: 'CREATE TABLE first (id int)', checksum: 'a' }
const second: Migration = { name: '20260102000000_second', sql: 'CREATE TABLE second (id int)', checksum: 'b' }

describe('migrations at start-up', () => {
  let database: TestDatabase
  let client: pg.Client

  beforeEach(async () => {
    database = await createTestDatabase('empty')
    client = new pg.Client({ connectionString: database.directUrl })
    await client.connect()
  })

  afterEach(async () => {
    await client.end()
    await database.drop()
  })

  const tables = async () => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_prisma_migrations' ORDER BY 1`,
    )
    return rows.map(({ name }) => name)
  }

  it('apply the migrations of the build to an empty database, and none the second time', async () => {
    const migrations = await loadMigrations()
    expect(await migrate(database.directUrl, migrations)).toEqual(migrations.map(({ name }) => name))
    expect(await tables()).not.toEqual([])
    expect(await migrate(database.directUrl, migrations)).toEqual([])
  })

  it('apply only what is pending', async () => {
    await migrate(database.directUrl, [first])
    expect(await migrate(database.directUrl, [first, second])).toEqual([second.name])
    expect(await tables()).toEqual(['first', 'second'])
  })

  it('are applied once when several processes start at the same time', async () => {
    const runs = await Promise.all(Array.from({ length: 5 }, () => migrate(database.directUrl, [first, second])))
    expect(runs.filter((applied) => applied.length > 0)).toEqual([[first.name, second.name]])
  })

  it('leave nothing behind from a failed migration, keep those before it, and name it', async () => {
    const broken = { ...second, sql: 'CREATE TABLE half (id int); SELECT 1 / 0' }
    await expect(migrate(database.directUrl, [first, broken])).rejects.toThrow(
      `migration ${second.name} failed: division by zero`,
    )
    expect(await tables()).toEqual(['first'])
    expect(await migrate(database.directUrl, [first, second])).toEqual([second.name])
  })

  it('are applied one statement at a time', async () => {
    const note = 'INSERT INTO noted SELECT statement_timestamp()'
    const noted = { ...first, sql: `CREATE TABLE noted (at timestamptz); ${note}; SELECT pg_sleep(0.001); ${note}` }
    await migrate(database.directUrl, [noted])
    const { rows } = await client.query('SELECT count(DISTINCT at)::int AS times FROM noted')
    expect(rows).toEqual([{ times: 2 }]) // All statements of one message have one time.
  })

  it('refuse a migration that was edited after it was applied', async () => {
    await migrate(database.directUrl, [first])
    await expect(migrate(database.directUrl, [{ ...first, checksum: 'c' }, second])).rejects.toThrow(
      `migration ${first.name} was edited after it had been applied`,
    )
    expect(await tables()).toEqual(['first'])
  })

  it('ignore those of a later build, so that an older process can start beside it', async () => {
    await migrate(database.directUrl, [first, second])
    expect(await migrate(database.directUrl, [first])).toEqual([])
    expect(await pendingMigrations(database.directUrl, [first])).toEqual([])
  })

  it('refuse a database with an unknown migration that precedes the last one of the build', async () => {
    await migrate(database.directUrl, [first])
    await expect(migrate(database.directUrl, [second])).rejects.toThrow(
      `the database has migration ${first.name}, which this build does not know`,
    )
    expect(await tables()).toEqual(['first'])
  })

  it('explain how to continue with a database whose migrations were squashed', async () => {
    await migrate(database.directUrl, [first])
    const merged = /has migration 20260101000000_first, .* Export its records with that build .* import them into a new/
    await expect(migrate(database.directUrl, [second])).rejects.toThrow(merged)
    await expect(pendingMigrations(database.directUrl, [second])).rejects.toThrow(merged)
    const gap = { ...first, name: '20260101500000_unknown', sql: 'SELECT 1' }
    await migrate(database.directUrl, [first, gap])
    await expect(migrate(database.directUrl, [first, second])).rejects.toThrow(/which this build does not know$/)
  })

  it('refuse a database in which "prisma migrate" has failed, until that is resolved', async () => {
    await migrate(database.directUrl, [first])
    await client.query('UPDATE _prisma_migrations SET finished_at = NULL')
    await expect(migrate(database.directUrl, [first])).rejects.toThrow(`migration ${first.name} failed earlier`)
    await client.query('UPDATE _prisma_migrations SET rolled_back_at = now()')
    await client.query('DROP TABLE first')
    expect(await migrate(database.directUrl, [first])).toEqual([first.name])
  })

  it('wait for the lock of "prisma migrate", up to a limit', async () => {
    await client.query('SELECT pg_advisory_lock(72707369)')
    await expect(migrate(database.directUrl, [first], { patienceMillis: 10 })).rejects.toThrow(
      'another process is migrating this database: try again later',
    )
    const run = migrate(database.directUrl, [first])
    const sessions = `SELECT FROM pg_stat_activity WHERE application_name = 'svc migrate'
                         AND datname = current_database() AND query LIKE '%pg_try_advisory_lock%'`
    await eventually(async () => expect((await client.query(sessions)).rowCount).toBeGreaterThan(0))
    expect(await tables()).toEqual([])
    await client.query('SELECT pg_advisory_unlock(72707369)')
    expect(await run).toEqual([first.name])
  })

  it('let calls use a table while they wait for its lock, and acquire it in the end', async () => {
    await migrate(database.directUrl, [first])
    const wider = { ...second, sql: 'ALTER TABLE first ADD COLUMN name text' }
    await client.query('BEGIN')
    await client.query('SELECT FROM first')
    const run = migrate(database.directUrl, [first, wider], { lockMillis: 20 })
    const waiting = `SELECT FROM pg_locks WHERE relation = 'first'::regclass AND NOT granted`
    await eventually(async () => expect((await client.query(waiting)).rowCount).toBe(1))
    await eventually(async () => expect((await client.query(waiting)).rowCount).toBe(0))
    await client.query('COMMIT')
    expect(await run).toEqual([second.name])
  })

  it('fail with instructions if a table is never free', async () => {
    await migrate(database.directUrl, [first])
    const wider = { ...second, sql: 'ALTER TABLE first ADD COLUMN name text' }
    await client.query('BEGIN')
    await client.query('SELECT FROM first')
    const times = { lockMillis: 10, patienceMillis: 0 }
    await expect(migrate(database.directUrl, [first, wider], times)).rejects.toThrow(
      /^migration 20260102000000_second failed: canceling statement due to lock timeout: end long transactions/,
    )
    await client.query('COMMIT')
    expect(await migrate(database.directUrl, [first, wider])).toEqual([second.name])
  })

  it('fail if a statement exceeds its time limit', async () => {
    const slow = { ...first, sql: 'SELECT pg_sleep(60)' }
    await expect(migrate(database.directUrl, [slow], { statementMillis: 10 })).rejects.toThrow(
      `migration ${first.name} failed: canceling statement due to statement timeout`,
    )
  })

  const cut = 'SELECT pg_terminate_backend(pg_backend_pid())'
  it.each([0, 1, 2])('are applied completely after a process that ended before statement %i', async (place) => {
    const statements = ['CREATE TABLE one (id int)', 'CREATE TABLE two (id int)']
    const interrupted = { ...first, sql: statements.toSpliced(place, 0, cut).join(';') }
    await expect(migrate(database.directUrl, [interrupted])).rejects.toThrow()
    expect(await tables()).toEqual([])
    expect(await migrate(database.directUrl, [{ ...first, sql: statements.join(';') }])).toEqual([first.name])
    expect(await tables()).toEqual(['one', 'two'])
  })
})
