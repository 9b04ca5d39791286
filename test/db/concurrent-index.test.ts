import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import pg from 'pg'
import { concurrentIndexOf } from '../../src/db/concurrent-index.js'
import { type Migration, migrate } from '../../src/db/migrate.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'

const table: Migration = { name: '20260101000000_table', sql: 'CREATE TABLE items (id int)', checksum: 'a' }
const index = (sql: string): Migration => ({ name: '20260102000000_index', sql, checksum: 'b' })
const make = 'CREATE UNIQUE INDEX CONCURRENTLY items_id ON items (id)'

describe('a migration that creates or drops an index concurrently', () => {
  let database: TestDatabase
  let client: pg.Client

  beforeEach(async () => {
    database = await createTestDatabase('empty')
    client = new pg.Client({ connectionString: database.directUrl })
    await client.connect()
    await migrate(database.directUrl, [table])
  })

  afterEach(async () => {
    await client.end()
    await database.drop()
  })

  const apply = (sql: string) => migrate(database.directUrl, [table, index(sql)])
  const validity = async () => {
    const { rows } = await client.query(
      "SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('items_id')",
    )
    return rows
  }

  it('creates it, and only once', async () => {
    expect(await apply(make)).toEqual([index('').name])
    expect(await validity()).toEqual([{ valid: true }])
    expect(await apply(make)).toEqual([])
  })

  it('runs while others write to the table', async () => {
    await client.query('BEGIN')
    await client.query('INSERT INTO items VALUES (1)')
    const run = apply(make)
    const other = new pg.Client({ connectionString: database.directUrl })
    await other.connect()
    await other.query('INSERT INTO items VALUES (2)')
    await other.end()
    await client.query('COMMIT')
    expect(await run).toEqual([index('').name])
  })

  it('repairs an index that was left invalid', async () => {
    await client.query('INSERT INTO items VALUES (1), (1)')
    await expect(apply(make)).rejects.toThrow(/^migration 20260102000000_index failed: could not create unique index/)
    expect(await validity()).toEqual([{ valid: false }])
    await client.query('TRUNCATE items')
    expect(await apply(make)).toEqual([index('').name])
    expect(await validity()).toEqual([{ valid: true }])
  })

  it('accepts an index created by a process that ended before it was recorded', async () => {
    await client.query(make)
    expect(await apply(make)).toEqual([index('').name])
  })

  it('drops it, even if it is already gone', async () => {
    await client.query(make)
    expect(await apply('DROP INDEX CONCURRENTLY items_id')).toEqual([index('').name])
    expect(await validity()).toEqual([])
    await client.query("DELETE FROM _prisma_migrations WHERE migration_name LIKE '%index'")
    expect(await apply('DROP INDEX CONCURRENTLY items_id')).toEqual([index('').name])
  })

  it('makes and drops several, and goes on where it was interrupted', async () => {
    const all = `${make}; CREATE INDEX CONCURRENTLY items_more ON items (id); DROP INDEX CONCURRENTLY items_more`
    await client.query(make)
    expect(await apply(all)).toEqual([index('').name])
    expect(await validity()).toEqual([{ valid: true }])
  })

  it('is refused if it has another statement', async () => {
    await expect(apply(`${make}; SELECT 1`)).rejects.toThrow('must have no other statements')
    expect(await validity()).toEqual([])
  })

  it('runs once when several processes start at the same time', async () => {
    const runs = await Promise.all(Array.from({ length: 4 }, () => apply(make)))
    expect(runs.filter((applied) => applied.length > 0)).toEqual([[index('').name]])
  })
})

describe('the index that a statement creates or drops concurrently', () => {
  it.each([
    ['CREATE INDEX CONCURRENTLY a_b ON a (b)', { action: 'create', index: 'a_b' }],
    ['create unique index concurrently if not exists "A b" on a (b)', { action: 'create', index: '"A b"' }],
    ['-- why\nCREATE INDEX\n  CONCURRENTLY a_b ON a (b)', { action: 'create', index: 'a_b' }],
    ['DROP INDEX CONCURRENTLY IF EXISTS public.a_b', { action: 'drop', index: 'public.a_b' }],
    ['CREATE INDEX a_b ON a (b)', undefined],
    ["COMMENT ON INDEX a_b IS 'CREATE INDEX CONCURRENTLY a_b'", undefined],
  ])('is recognized in %j', (sql, expected) => {
    expect(concurrentIndexOf(sql)).toEqual(expected)
  })
})
