import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { packageRoot } from '../package.js'
import { concurrentIndexOf, runConcurrently } from './concurrent-index.js'
import { placeNewTables } from './distribution-plan.js'
import { lockSchema, PAUSE_MILLIS, reasonOf, withSchemaSession } from './session.js'

export interface Migration {
  /** Name of its folder; the order of the names is the order of application. */
  readonly name: string
  readonly sql: string
  /** SHA-256 of the file in hexadecimal, as Prisma Migrate records it. */
  readonly checksum: string
}

/** Reads the migrations of a folder in order, by default those of this build. Throws if one has no `migration.sql`. */
export async function loadMigrations(folder = join(packageRoot(), 'prisma', 'migrations')): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return Promise.all(
    names.sort().map(async (name) => {
      const bytes = await readFile(join(folder, name, 'migration.sql'))
      return { name, sql: bytes.toString('utf8'), checksum: createHash('sha256').update(bytes).digest('hex') }
    }),
  )
}

/** A comment, text, quoted name or function body, in which a semicolon ends nothing; or one character. */
const element = /--[^\n]*|'[^']*'|"[^"]*"|\$\$[\s\S]*?\$\$|[\s\S]/g

/**
 * The statements of a migration in order, each with the comments before it and without its semicolon. Knows line
 * comments, texts without backslash escapes, and bodies between `$$`.
 */
export function splitStatements(sql: string): string[] {
  const statements: string[] = []
  let statement = ''
  let isBegun = false
  for (const [part] of `${sql};`.matchAll(element)) {
    if (part === ';') {
      if (isBegun) statements.push(statement.trim())
      statement = ''
      isBegun = false
    } else {
      statement += part
      isBegun ||= !part.startsWith('--') && part.trim() !== ''
    }
  }
  return statements
}

interface MigrationTimes {
  /** How long all tries for a lock may take, in milliseconds, of other runners and then of tables. Default 60,000. */
  readonly patienceMillis?: number
  /** How long one waits for a table in use, before which all calls to it wait. Default 2,000. */
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
 * Applies pending migrations in order, and returns their names. Each runs in a transaction of its own, one statement at
 * a time; those with concurrent indexes run outside a transaction, and have no other statements. Several processes may
 * run it at once, while servers run, and again after an interruption at any point. Throws, having changed nothing more,
 * if a migration fails or cannot get its locks, and if `pendingOf` throws.
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

/** A migration that a database has had: a row of the table of Prisma Migrate, so that its commands and ours agree. */
type AppliedMigration = Omit<Migration, 'sql'> & { readonly finished: boolean }

const CREATE_HISTORY = `CREATE TABLE _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL,
  checksum VARCHAR(64) NOT NULL,
  finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL,
  logs TEXT,
  rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  applied_steps_count INTEGER NOT NULL DEFAULT 0
)`

/** The applied migrations in order; undefined if there never was one. */
async function readHistory(client: pg.Client): Promise<readonly AppliedMigration[] | undefined> {
  const { rowCount } = await client.query(`SELECT WHERE to_regclass('_prisma_migrations') IS NOT NULL`)
  if (rowCount === 0) return undefined
  const { rows } = await client.query<AppliedMigration>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
       FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`,
  )
  return rows
}

async function recordMigration(client: pg.Client, { name, checksum }: Migration): Promise<void> {
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`,
    [randomUUID(), checksum, name],
  )
}

/** Migrations before the first one of a build were merged into it. */
const MERGED =
  ': it is from an earlier build, whose migrations were merged into one. Export its records with that build ' +
  '("npx svc export"), and import them into a new database ("npx svc import")'

/**
 * The migrations that are not applied, in order. Applied ones of a later build are ignored: in a rolling upgrade, an
 * older process may start afterwards. Throws if a migration failed under `prisma migrate`, was edited after it was
 * applied, or is unknown and no later than those of this build.
 */
function pendingOf(history: readonly AppliedMigration[] = [], migrations: readonly Migration[]): readonly Migration[] {
  const known = new Map(migrations.map((migration) => [migration.name, migration]))
  const [first = '', last = ''] = [migrations[0]?.name, migrations.at(-1)?.name]
  for (const { name, checksum, finished } of history) {
    if (!finished) {
      throw new Error(`migration ${name} failed earlier: repair the database, then use "npx prisma migrate resolve"`)
    }
    const migration = known.get(name)
    if (migration === undefined && name > last) continue
    if (migration === undefined)
      throw new Error(`the database has migration ${name}, which this build does not know${name < first ? MERGED : ''}`)
    if (migration.checksum !== checksum) throw new Error(`migration ${name} was edited after it had been applied`)
  }
  const applied = new Set(history.map(({ name }) => name))
  return migrations.filter(({ name }) => !applied.has(name))
}
