import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { concurrentIndexOf, runConcurrently } from './concurrent-index.js'
import { placeNewTables } from './distribution-plan.js'
import {
  CREATE_HISTORY,
  type Migration,
  pendingOf,
  readHistory,
  recordMigration,
  splitStatements,
} from './migration.js'
import { lockSchema, PAUSE_MILLIS, withSchemaSession } from './schema-session.js'
import { reasonOf } from './session.js'

export interface MigrationTimes {
  /** How long all tries for a lock may take, in milliseconds, of other runners and then of tables. Default 60,000. */
  readonly patienceMillis?: number
  /**
   * How long one statement waits for a table in use, in milliseconds. Meanwhile, every call to the table waits behind
   * it. Default 2,000.
   */
  readonly lockMillis?: number
  /** How long one statement may run, in milliseconds. Default 30 minutes. */
  readonly statementMillis?: number
}

const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK = '40P01'

/** The server refuses a message of several statements: a distributed database changes its schema one at a time. */
const ALONE = { queryMode: 'extended' }
const CREATES_TABLE = /\bCREATE TABLE\b/i

/**
 * Applies pending migrations in order, and returns their names. Each is a transaction of its own, sent a statement at a
 * time; one that makes or drops indexes concurrently consists of such statements, outside a transaction. Several
 * processes may do this at once, while servers run, and again after one was interrupted at any point. Throws, having
 * changed nothing more, if a migration fails or cannot get its locks, and if `pendingOf` throws.
 */
export function migrate(
  connectionString: string,
  migrations: readonly Migration[],
  times: MigrationTimes = {},
): Promise<string[]> {
  const { patienceMillis = 60_000, lockMillis = 2_000, statementMillis = 1_800_000 } = times
  return withSchemaSession(connectionString, 'svc migrate', async (client) => {
    await lockSchema(client, patienceMillis)
    const history = await readHistory(client)
    if (history === undefined) await client.query(CREATE_HISTORY)
    const pending = pendingOf(history, migrations)
    for (const migration of pending) {
      try {
        await apply(client, migration, { patienceMillis, lockMillis, statementMillis })
      } catch (cause) {
        throw new Error(`migration ${migration.name} failed: ${reasonOf(cause)}`, { cause })
      }
    }
    return pending.map(({ name }) => name)
  })
}

/**
 * The names of the migrations that are not applied; undefined if the database has no tables of the service. Changes
 * nothing. Throws if `migrate` would.
 */
export function pendingMigrations(
  connectionString: string,
  migrations: readonly Migration[],
): Promise<string[] | undefined> {
  return withSchemaSession(connectionString, 'svc migrate', async (client) => {
    const applied = await readHistory(client)
    return applied && pendingOf(applied, migrations).map(({ name }) => name)
  })
}

async function apply(client: pg.Client, migration: Migration, times: Required<MigrationTimes>): Promise<void> {
  const statements = splitStatements(migration.sql)
  const isConcurrent = statements.map((sql) => concurrentIndexOf(sql) !== undefined)
  if (!isConcurrent.includes(true)) return applyInTransaction(client, migration, statements, times)
  if (isConcurrent.includes(false)) throw new Error('a migration with CONCURRENTLY must have no other statements')
  for (const sql of statements) await runConcurrently(client, sql)
  await recordMigration(client, migration)
}

async function applyInTransaction(
  client: pg.Client,
  migration: Migration,
  statements: readonly string[],
  { patienceMillis, lockMillis, statementMillis }: Required<MigrationTimes>,
): Promise<void> {
  const end = performance.now() + patienceMillis
  for (;;) {
    try {
      await client.query('BEGIN')
      await client.query(`SET LOCAL lock_timeout = ${lockMillis}`)
      await client.query(`SET LOCAL statement_timeout = ${statementMillis}`)
      for (const text of statements) {
        await client.query({ text, ...ALONE })
        if (CREATES_TABLE.test(text)) for (const placing of await placeNewTables(client)) await client.query(placing)
      }
      await recordMigration(client, migration)
      await client.query('COMMIT')
      return
    } catch (error) {
      await client.query('ROLLBACK')
      const code = error instanceof pg.DatabaseError ? error.code : undefined
      if (code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK) throw error
      if (performance.now() >= end) {
        throw new Error(`${reasonOf(error)}: end long transactions (pg_stat_activity) and try again`, { cause: error })
      }
      await delay(PAUSE_MILLIS)
    }
  }
}
