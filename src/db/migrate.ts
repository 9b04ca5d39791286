import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { packageRoot } from '../package.js'
import { splitStatements } from './split-statements.js'

/** One migration of `prisma/migrations`. */
export interface Migration {
  /** Name of its folder; the order of the names is the order of application. */
  readonly name: string
  readonly sql: string
  /** SHA-256 of the file in hexadecimal, as Prisma Migrate records it. */
  readonly checksum: string
}

/** The migrations that come with this build. */
export const MIGRATIONS_FOLDER = join(packageRoot(), 'prisma', 'migrations')

/** Prisma Migrate's own advisory lock: this runner and `prisma migrate` exclude each other. */
const PRISMA_LOCK = 72707369
const LOCK_TIMEOUT_MILLIS = 60_000

/** Prisma Migrate's own table. */
const CREATE_TABLE = `CREATE TABLE _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL,
  checksum VARCHAR(64) NOT NULL,
  finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL,
  logs TEXT,
  rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  applied_steps_count INTEGER NOT NULL DEFAULT 0
)`

/**
 * The server refuses a message of several statements: a distributed database takes changes of its schema one at a
 * time.

 */
const ALONE = { queryMode: 'extended' }

/** Reads the migrations of a folder in order. Throws when one has no `migration.sql`. */
export async function loadMigrations(folder: string = MIGRATIONS_FOLDER): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return Promise.all(
    names.sort().map(async (name) => {
      const bytes = await readFile(join(folder, name, 'migration.sql'))
      return { name, sql: bytes.toString('utf8'), checksum: createHash('sha256').update(bytes).digest('hex') }
    }),
  )
}

/**
 * Applies what is pending, in order, each migration in a transaction of its own, statement by statement, and answers the
 * names applied. Any
 * number of processes may do so at once. Throws, having changed nothing more, when a migration fails, has failed
 * earlier under `prisma migrate`, was edited after it was applied, or is unknown to this build.
 */
export function migrate(connectionString: string, migrations: readonly Migration[]): Promise<string[]> {
  return withClient(connectionString, async (client) => {
    await lock(client)
    const applied = await readHistory(client)
    if (applied === undefined) await client.query(CREATE_TABLE)
    const pending = pendingOf(applied, migrations)
    for (const migration of pending) await apply(client, migration)
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
  const client = new pg.Client({ connectionString, application_name: 'svc migrate', lock_timeout: LOCK_TIMEOUT_MILLIS })
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

async function lock(client: pg.Client): Promise<void> {
  try {
    await client.query('SELECT pg_advisory_lock($1)', [PRISMA_LOCK])
  } catch (cause) {
    if (!(cause instanceof pg.DatabaseError) || cause.code !== '55P03') throw cause
    throw new Error('another process has been migrating this database for a minute: try again later', { cause })
  }
}

interface AppliedMigration {
  readonly name: string
  readonly checksum: string
  readonly finished: boolean
}

/** What was applied; undefined where nothing ever was. */
async function readHistory(client: pg.Client): Promise<Map<string, AppliedMigration> | undefined> {
  const { rows } = await client.query<{ found: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS found`,
  )
  if (rows[0]?.found !== true) return undefined
  const applied = await client.query<AppliedMigration>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
       FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`,
  )
  return new Map(applied.rows.map((row) => [row.name, row]))
}

function pendingOf(applied = new Map<string, AppliedMigration>(), migrations: readonly Migration[]): Migration[] {
  const known = new Map(migrations.map((migration) => [migration.name, migration]))
  for (const { name, checksum, finished } of applied.values()) {
    if (!finished) {
      throw new Error(`migration ${name} failed earlier: repair the database, then use "npx prisma migrate resolve"`)
    }
    const migration = known.get(name)
    if (migration === undefined) throw new Error(`the database has migration ${name}, which this build does not know`)
    if (migration.checksum !== checksum) throw new Error(`migration ${name} was edited after it had been applied`)
  }
  return migrations.filter(({ name }) => !applied.has(name))
}

async function apply(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  await client.query('BEGIN')
  try {
    for (const text of splitStatements(sql)) await client.query({ text, ...ALONE })
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`,
      [randomUUID(), checksum, name],
    )
    await client.query('COMMIT')
  } catch (cause) {
    await client.query('ROLLBACK')
    throw new Error(`migration ${name} failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}
