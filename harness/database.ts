import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createDatabase, type Database } from '../src/db/database.js'
import { startEmbeddedPostgres } from '../src/db/embedded/embedded-postgres.js'
import { resolvePlace } from '../src/db/embedded/place.js'
import { readPidFile } from '../src/db/embedded/postmaster.js'
import { loadMigrations, migrate } from '../src/db/migrate.js'
import { createAccessToken } from '../src/domain/auth/access-token.js'
import { createApiKey } from '../src/domain/auth/api-key.js'
import { createApiKeySecret } from '../src/domain/auth/api-key-secret.js'
import { createBearerTokens } from '../src/domain/auth/bearer-token.js'
import { createKeyUses } from '../src/domain/auth/key-use.js'
import { createSecretHasher } from '../src/domain/auth/secret-hash.js'
import { createUserToken } from '../src/domain/auth/user-token.js'
import { systemRuntime } from '../src/runtime/runtime.js'
import { importRecords } from '../src/transfer/import-records.js'
import { databaseUrl } from './database-url.js'
import { cpuMicrosOfTree } from './programs.js'
import { type DatasetSize, place, recordLines } from './records.js'
import { removeEmbeddedPostgres } from './remove-embedded-postgres.js'

/** A PostgreSQL server for one run, with any number of databases. */
export interface EmbeddedServer {
  /** Makes a database with all migrations, and returns its URL. */
  createDatabase(name: string): Promise<string>
  /** Makes a database without migrations, and returns its URL. */
  createEmptyDatabase(name: string): Promise<string>
  /** Makes a copy of a database, to which nobody may be connected, and returns its URL. */
  copyDatabase(from: string, name: string): Promise<string>
  /** What the server has used so far: processor time of all its processes, and what it has written ahead. */
  usage(): Promise<DatabaseUsage>
  /** Kills the server at once (SIGKILL); it is started again. */
  kill(): void
  stop(): Promise<void>
}

/** What a database server has used. */
export interface DatabaseUsage {
  readonly cpuMicros: number
  readonly walBytes: number
}

/** Starts the embedded PostgreSQL in a new folder in the one given, which `stop` removes. */
export async function startEmbeddedServer(
  parent = tmpdir(),
  settings: Readonly<Record<string, string>> = {},
): Promise<EmbeddedServer> {
  const dataDir = await mkdtemp(join(parent, 'svc-embedded-'))
  // PostgreSQL runs as another account if this one is root, and then could not reach a private folder.
  await chmod(dataDir, 0o711)
  const embedded = await startEmbeddedPostgres({ dataDir, settings })
  const copyDatabase = async (from: string, name: string) => {
    const client = new pg.Client({ connectionString: embedded.connectionString })
    await client.connect()
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${from}`)
    await client.end()
    return databaseUrl(embedded.connectionString, name)
  }
  const createEmptyDatabase = (name: string) => copyDatabase('template0', name)
  const running = () => {
    const { pid } = readPidFile(resolvePlace(dataDir).dataDirectory) ?? {}
    if (pid === undefined) throw new Error('PostgreSQL does not run')
    return pid
  }
  return {
    createEmptyDatabase,
    copyDatabase,
    usage: async () => {
      const client = new pg.Client({ connectionString: embedded.connectionString })
      await client.connect()
      const { rows } = await client.query<{ bytes: number }>(
        `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS bytes`,
      )
      await client.end()
      return { cpuMicros: cpuMicrosOfTree(running()), walBytes: rows[0]?.bytes ?? Number.NaN }
    },
    kill: () => {
      process.kill(running(), 'SIGKILL')
    },
    createDatabase: async (name) => {
      const url = await createEmptyDatabase(name)
      await migrate(url, await loadMigrations())
      return url
    },
    stop: async () => {
      await embedded.stop()
      await removeEmbeddedPostgres(dataDir)
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Credentials of the seeded organization. */
export interface Tokens {
  /** Of a key of the organization with every permission. */
  readonly key: string
  /** Of the organization's admin. */
  readonly user: string
  /** The secrets of keys that nobody uses. */
  readonly leaked: readonly string[]
  /** A secret that is of no key. */
  readonly unknown: string
}

/** Opens a handle, passes it to `work` and closes it. */
export async function withDatabase<T>(
  connectionString: string,
  work: (database: Database) => Promise<T>,
  statementTimeoutMillis = 30_000,
): Promise<T> {
  const log = { warn: ({ err }: { err: Error }) => console.error(err) }
  const database = createDatabase({ connectionString, log, limits: { statement_timeout: statementTimeoutMillis } })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** Imports the records and makes the credentials. */
export function seed(connectionString: string, size: DatasetSize): Promise<Tokens> {
  return withDatabase(connectionString, async (database) => {
    await importRecords(database, chunks(size), { runtime: systemRuntime })
    await database.pool.query('VACUUM ANALYZE')
    return insertTokens(database)
  })
}

/** Makes the credentials, as the service does, in a database that has the organization and its first user. */
export async function insertTokens(database: Database): Promise<Tokens> {
  const { organization: organizationId } = place
  const hasher = createSecretHasher()
  const bearerTokens = createBearerTokens({ database, runtime: systemRuntime })
  const keyUses = createKeyUses({ database, runtime: systemRuntime, log: { warn: ({ err }) => console.error(err) } })
  const options = { database, hasher, bearerTokens, keyUses, runtime: systemRuntime }
  const key = await createApiKey(options, { organizationId })
  const access = await createAccessToken(options, { clientId: key.id, clientSecret: key.secret })
  const user = await createUserToken(options, { organizationId, userId: 'user-0' })
  const leaked = [await createApiKey(options, { organizationId }), await createApiKey(options, { organizationId })]
  await keyUses.flush()
  return {
    key: access.token,
    user: user.token,
    leaked: leaked.map(({ secret }) => secret),
    unknown: createApiKeySecret('pk', systemRuntime),
  }
}

async function* chunks(size: DatasetSize): AsyncGenerator<string> {
  yield* recordLines(size)
}
