import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { packageRoot } from '../package.js'

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

/** Comments, texts, names and bodies of functions, in which a semicolon ends nothing; or one character. */
const element = /--[^\n]*|'[^']*'|"[^"]*"|\$\$[\s\S]*?\$\$|[\s\S]/g

/**
 * The statements of a migration in order, each with the comments before it and without its semicolon. It may have what
 * migrations have: comments of a line, texts without backslash escapes, and bodies between `$$`.
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

/** A migration that a database has had: a row of the table of Prisma Migrate, so that its commands and ours agree. */
type AppliedMigration = Omit<Migration, 'sql'> & { readonly finished: boolean }

export const CREATE_HISTORY = `CREATE TABLE _prisma_migrations (
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
export async function readHistory(client: pg.Client): Promise<readonly AppliedMigration[] | undefined> {
  const { rowCount } = await client.query(`SELECT WHERE to_regclass('_prisma_migrations') IS NOT NULL`)
  if (rowCount === 0) return undefined
  const { rows } = await client.query<AppliedMigration>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
       FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`,
  )
  return rows
}

export async function recordMigration(client: pg.Client, { name, checksum }: Migration): Promise<void> {
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
 * The migrations that are not applied, in order. Those of a later build are ignored: while servers are replaced one by
 * one, an older process may start beside it. Throws if a migration failed under `prisma migrate`, was edited after it
 * was applied, or is unknown and no later than those of this build.
 */
export function pendingOf(
  history: readonly AppliedMigration[] = [],
  migrations: readonly Migration[],
): readonly Migration[] {
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
