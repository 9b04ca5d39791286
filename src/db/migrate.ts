import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { concurrentIndexOf, runConcurrently } from './concurrent-index.js'
import type { Migration } from './migration.js'
import { createHistory, pendingOf, readHistory, recordMigration } from './migration-history.js'
import { splitStatements } from './split-statements.js'

/** How long a migration may take, and wait. */
export interface MigrationTimes {
  /** How long all tries for a lock may take, in milliseconds: that of other runners, then those of tables. Default 60,000. */
  readonly patienceMillis?: number
  /**
   * How long one statement waits for a table that calls use, in milliseconds: as long as it waits, every call to the table
   * waits behind it. Default 2,000.
   */
  readonly lockMillis?: number
  /** How long one statement may run, in milliseconds. Default 30 minutes. */
  readonly statementMillis?: number
}

/** Prisma Migrate's own advisory lock: this runner and `prisma migrate` exclude each other. */
const PRISMA_LOCK = 72707369
/** How long calls have a table for themselves between two tries for it. */
const PAUSE_MILLIS = 500
const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK = '40P01'

/** The server refuses a message of several statements: a distributed database changes its schema one at a time. */
const ALONE = { queryMode: 'extended' }

/**
 * Applies what is pending, in order, and answers the names applied. Each migration is a transaction of its own, sent a
 * statement at a time; one that makes or drops an index concurrently is that one statement, in no transaction. Any number of
 * processes may do so at once, while servers run, and again after one has ended at any point. Throws, having changed nothing
 * more, when a migration fails or cannot have its locks, and where `pendingOf` throws.
 */
export function migrate(
  connectionString: string,
  migrations: readonly Migration[],
  times: MigrationTimes = {},
): Promise<string[]> {
  const { patienceMillis = 60_000, lockMillis = 2_000, statementMillis = 1_800_000 } = times
  return withClient(connectionString, async (client) => {
    await lock(client, patienceMillis)
    const history = await readHistory(client)
    if (history === undefined) await createHistory(client)
    const pending = pendingOf(history, migrations)
    for (const migration of pending) {
      try {
        await apply(client, migration, { patienceMillis, lockMillis, statementMillis })
      } catch (cause) {
        throw new Error(`migration ${migration.name} failed: ${messageOf(cause)}`, { cause })
      }
    }
    return pending.map(({ name }) => name)
  })
}

/**
 * The names of the migrations that are not applied; undefined where the database has no tables of the service. Changes
 * nothing. Throws where `migrate` would.
 */
export function pendingMigrations(
  connectionString: string,
  migrations: readonly Migration[],
): Promise<string[] | undefined> {
  return withClient(connectionString, async (client) => {
    const applied = await readHistory(client)
    return applied && pendingOf(applied, migrations).map(({ name }) => name)
  })
}

async function withClient<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString, application_name: 'svc migrate' })
  let lost: Error | undefined
  client.on('error', (error) => {
    lost = error // The next query fails with it.
  })
  await connect(client)
  try {
    return await work(client)
  } catch (error) {
    throw lost ?? error
  } finally {
    await client.end() // Gives the lock back.
  }
}

/** A name with several addresses fails with an error that has no message of its own. */
async function connect(client: pg.Client): Promise<void> {
  try {
    await client.connect()
  } catch (cause) {
    const causes = cause instanceof AggregateError ? cause.errors : [cause]
    const reasons = causes.map((each) => (each instanceof Error ? each.message : String(each)))
    throw new Error(`cannot connect to the database: ${reasons.join(', ')}`, { cause })
  }
}

/** Asks again and again: a session that waits in a statement would hold up an index that is made concurrently. */
async function lock(client: pg.Client, patienceMillis: number): Promise<void> {
  const end = performance.now() + patienceMillis
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [PRISMA_LOCK])
    if (rows[0]?.locked === true) return
    if (performance.now() >= end) throw new Error('another process is migrating this database: try again later')
    await delay(PAUSE_MILLIS)
  }
}

async function apply(client: pg.Client, migration: Migration, times: Required<MigrationTimes>): Promise<void> {
  const statements = splitStatements(migration.sql)
  const concurrent = statements.map(concurrentIndexOf).find((found) => found !== undefined)
  if (concurrent === undefined) return applyInTransaction(client, migration, statements, times)
  const [alone = '', ...others] = statements
  if (others.length > 0) throw new Error('what is done concurrently has to be the only statement of its migration')
  await runConcurrently(client, alone, concurrent)
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
      for (const text of statements) await client.query({ text, ...ALONE })
      await recordMigration(client, migration)
      await client.query('COMMIT')
      return
    } catch (error) {
      await client.query('ROLLBACK')
      const code = error instanceof pg.DatabaseError ? error.code : undefined
      if (code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK) throw error
      if (performance.now() >= end) {
        throw new Error(`${messageOf(error)}: end long transactions (pg_stat_activity) and try again`, { cause: error })
      }
      await delay(PAUSE_MILLIS)
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
