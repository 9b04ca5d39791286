import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { v7 } from 'uuid'
import { createDatabase, type Database } from '../src/db/database.js'
import { removeEmbeddedPostgres, startEmbeddedPostgres } from '../src/db/embedded/embedded-postgres.js'
import { migrate } from '../src/db/migrate.js'
import { loadMigrations } from '../src/db/migration.js'
import { importRecords } from '../src/transfer/import-records.js'
import { insertApiKey, insertUserToken } from '../test/support/fixture.js'
import { type DatasetSize, place, recordLines } from './records.js'

/** A PostgreSQL server for one run, with any number of databases. */
export interface BenchServer {
  /** Makes a database with all migrations, and answers its URL. */
  createDatabase(name: string): Promise<string>
  stop(): Promise<void>
}

/** Starts the embedded PostgreSQL in a folder of its own, which `stop` removes. */
export async function startBenchServer(): Promise<BenchServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-bench-'))
  const embedded = await startEmbeddedPostgres({ dataDir })
  return {
    createDatabase: async (name) => {
      const client = new pg.Client({ connectionString: embedded.connectionString })
      await client.connect()
      await client.query(`CREATE DATABASE ${name} TEMPLATE template0`)
      await client.end()
      const url = new URL(embedded.connectionString)
      url.pathname = `/${name}`
      await migrate(url.href, await loadMigrations())
      return url.href
    },
    stop: async () => {
      await embedded.stop()
      // If the directory is private, the data is elsewhere.
      await removeEmbeddedPostgres(dataDir)
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Credentials of the benchmarks. */
export interface Tokens {
  /** Of a key of the organization with every permission. */
  readonly key: string
  /** Of the organization's admin. */
  readonly user: string
}

/** Opens a handle, passes it to `work` and closes it. */
export async function withDatabase<T>(
  connectionString: string,
  work: (database: Database) => Promise<T>,
  statementTimeoutMillis = 30_000,
): Promise<T> {
  const log = { warn: ({ err }: { err: Error }) => console.error(err) }
  const database = createDatabase({ connectionString, log, statementTimeoutMillis })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** Imports the records and makes the credentials. */
export function seed(connectionString: string, size: DatasetSize): Promise<Tokens> {
  return withDatabase(connectionString, async (database) => {
    const runtime = { now: () => new Date(), newId: () => v7(), randomBytes: (count: number) => randomBytes(count) }
    await importRecords(database, chunks(size), { runtime })
    await database.execute('VACUUM ANALYZE')
    return insertTokens(database)
  })
}

/** Makes the credentials in a database that has the organization and its first user. */
export async function insertTokens(database: Database): Promise<Tokens> {
  const { token } = await insertApiKey(database, { organizationId: place.organization })
  return { key: token, user: await insertUserToken(database, { userId: 'user-0', organizationId: place.organization }) }
}

async function* chunks(size: DatasetSize): AsyncGenerator<string> {
  yield* recordLines(size)
}
