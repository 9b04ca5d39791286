import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { Migration } from './migration.js'

/** A migration that a database has had: a row of the table of Prisma Migrate, so that its commands and ours agree. */
export interface AppliedMigration {
  readonly name: string
  readonly checksum: string
  readonly finished: boolean
}

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

/** Makes the table of the history. */
export async function createHistory(client: pg.Client): Promise<void> {
  await client.query(CREATE_TABLE)
}

/** The applied migrations in order; undefined if there never was one. */
export async function readHistory(client: pg.Client): Promise<readonly AppliedMigration[] | undefined> {
  const { rows } = await client.query<{ found: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS found`,
  )
  if (rows[0]?.found !== true) return undefined
  const applied = await client.query<AppliedMigration>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
       FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`,
  )
  return applied.rows
}

/** Records that a migration was applied. */
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
