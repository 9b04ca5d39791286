import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Database } from '../../src/db/database.js'
import { migrate } from '../../src/db/migrate.js'
import { loadMigrations } from '../../src/db/migration.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { insertApiKey, insertUserToken } from '../support/fixture.js'
import { demoLines, exportLines, importLines } from '../transfer/transfer-text.js'

/** The last migration before organizations became a part of every key. */
const BEFORE = '20261122151000_idempotency_keys'

describe('a database from before organizations were a part of every key', () => {
  let present: TestDatabase
  let past: TestDatabase
  let expected: Database
  let migrated: Database

  beforeAll(async () => {
    present = await createTestDatabase()
    past = await createTestDatabase('empty')
    expected = present.open()
    migrated = past.open()
    await importLines(expected, demoLines)
    const [{ organizationId, userId }] = (await expected.query<{ organizationId: string; userId: string }>(
      'SELECT organization_id AS "organizationId", user_id AS "userId" FROM memberships ORDER BY ordinal LIMIT 1',
    )) as [{ organizationId: string; userId: string }]
    await insertApiKey(expected, { organizationId })
    await insertUserToken(expected, { organizationId, userId })
    const migrations = await loadMigrations()
    const then = migrations.filter(({ name }) => name <= BEFORE)
    expect(then.at(-1)?.name).toBe(BEFORE)
    await migrate(past.directUrl, then)
    await copyRows(expected, migrated)
    await migrate(past.directUrl, migrations)
  })
  afterAll(async () => {
    await Promise.all([present.drop(), past.drop()])
  })

  it('has every row when it is migrated, with the organization in each', async () => {
    const rows = await rowsByTable(expected)
    expect(withoutMadeUp(await rowsByTable(migrated))).toEqual(withoutMadeUp(rows))
    expect(Object.keys(rows).filter((table) => rows[table]?.length === 0)).toEqual([
      'api_key_rotations',
      'audit_events',
      'directory_refusals',
      'idempotency_keys',
      'source_profiles',
    ])
  })

  it('has the constraints and indexes that a new database has', async () => {
    expect(await definitions(migrated)).toEqual(await definitions(expected))
  })

  it('gives the same export', async () => {
    expect(await exportLines(migrated)).toEqual(await exportLines(expected))
  })
})

/** Values that a row gets when its column or table is made: times of the migration, and random ids. */
const MADE_UP: Readonly<Record<string, readonly string[]>> = {
  groups: ['created_at', 'updated_at'],
  member_counts: ['id'],
  memberships: ['updated_at'],
}

function withoutMadeUp(rows: Readonly<Record<string, readonly string[]>>): Record<string, unknown[]> {
  return Object.fromEntries(
    Object.entries(rows).map(([table, texts]) => {
      const isOwn = (name: string) => MADE_UP[table]?.includes(name) !== true
      const own = (text: string) => Object.entries(Object(JSON.parse(text))).filter(([name]) => isOwn(name))
      return [table, texts.map((text) => Object.fromEntries(own(text)))]
    }),
  )
}

/** Writes the rows of all tables into those of the same names, if there are any, without the columns that these lack. */
async function copyRows(from: Database, to: Database): Promise<void> {
  await to.preparedTransaction(async (sql) => {
    // Foreign keys wait for no order.
    await sql.execute('SET LOCAL session_replication_role = replica')
    const known = Object.keys(await rowsByTable(to))
    for (const [table, rows] of Object.entries(await rowsByTable(from))) {
      if (!known.includes(table)) continue
      await sql.execute(`DELETE FROM ${table}`)
      await sql.execute(`INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, $1)`, [
        `[${rows.join()}]`,
      ])
    }
  })
}

/** The rows of every table but those that are the database's own, as JSON. */
async function rowsByTable(database: Database): Promise<Record<string, string[]>> {
  const tables = await database.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables
      WHERE schemaname = 'public' AND tablename NOT IN ('_prisma_migrations', 'revoke_attempts') ORDER BY 1`,
  )
  const rows: Record<string, string[]> = {}
  for (const { name } of tables) {
    const found = await database.query<{ row: string }>(`SELECT to_json(t)::text AS row FROM ${name} t ORDER BY 1`)
    rows[name] = found.map(({ row }) => row)
  }
  return rows
}

/** What holds the tables together: constraints and indexes, as PostgreSQL writes them. */
async function definitions(database: Database): Promise<unknown[]> {
  return database.query(
    `SELECT conrelid::regclass::text AS table, conname AS name, pg_get_constraintdef(oid) AS text FROM pg_constraint
      WHERE connamespace = 'public'::regnamespace
     UNION ALL
     SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
      ORDER BY 1, 2, 3`,
  )
}
