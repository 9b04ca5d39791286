import { resolve } from 'node:path'
import type { Logger } from 'pino'
import type { Config, Setting } from '../config.js'
import { createDatabase, type Database, type DatabaseOptions } from '../db/database.js'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../db/embedded/embedded-postgres.js'
import { hasCluster } from '../db/embedded/place.js'
import { migrate, pendingMigrations } from '../db/migrate.js'
import { loadMigrations } from '../db/migration.js'
import { requireWholeDistribution } from '../db/require-whole-distribution.js'
import { requireSessions } from '../db/session-settings.js'
import { packageRoot } from '../package.js'
import type { Runtime } from '../runtime/runtime.js'
import type { LogTerminal } from './log.js'

/** A database for a command, with all migrations of this build. */
export interface OpenedDatabase {
  readonly database: Database
  readonly connectionString: string
  /** The same database, past the pooler if there is one: for what needs a session. */
  readonly directUrl: string
  /** The migrations that have just been applied. */
  readonly appliedMigrations: readonly string[]
  /** The embedded server, if that is what is used. */
  readonly embedded: EmbeddedPostgres | undefined
  /** Closes the connections and lets go of the embedded server. */
  close(): Promise<void>
}

/** What commands get from the outside. */
export interface CommandContext {
  readonly config: Config
  /** What the configuration comes from. */
  readonly settings: readonly Setting[]
  readonly runtime: Runtime
  readonly log: Logger
  readonly stdin: NodeJS.ReadableStream
  readonly stdout: NodeJS.WritableStream
  readonly stderr: NodeJS.WritableStream & LogTerminal
  /** Aborts when the operator asks the program to stop; its reason is the name of the signal. */
  readonly stopSignal: AbortSignal
  /** Has the listener called, instead of ending the program, at each SIGHUP; returns how to undo that. */
  readonly onHangup?: ((listener: () => void) => () => void) | undefined
  /** Opens the configured database. Throws, without having made anything, if there is none or it lacks migrations. */
  openDatabase(): Promise<OpenedDatabase>
  /** Opens the configured database, making the embedded one if needed, and applies pending migrations. */
  makeDatabase(): Promise<OpenedDatabase>
}

/** How a command reaches its database. */
export interface OpenOptions {
  readonly config: Config
  readonly log: Logger
  /** Whether to make and migrate the database, as `CommandContext.makeDatabase` does. */
  readonly make: boolean
  /** Called with the embedded server before its database is used. */
  readonly beforeUse?: (embedded: EmbeddedPostgres) => Promise<void>
  /** How long one statement may run. Default 10 minutes, for what operators wait for, such as a large import. */
  readonly statementTimeoutMillis?: number
  /** Whether to use the pooler, if there is one. Default no: what operators do may take a session of its own. */
  readonly usesPooler?: boolean
}

/** See `CommandContext.openDatabase` and `makeDatabase`. */
export async function openConfiguredDatabase(options: OpenOptions): Promise<OpenedDatabase> {
  const { config, log, make, beforeUse, statementTimeoutMillis = 600_000, usesPooler = false } = options
  const embedded = config.databaseUrl === undefined ? await openEmbedded(config, log, make) : undefined
  const directUrl = embedded?.connectionString ?? directUrlOf(config)
  const statementNames = config.databaseStatementNames
  const sessions = usesPooler ? sessionsOf(config, directUrl) : { connectionString: directUrl, statementNames }
  try {
    if (embedded === undefined) {
      await requireSessions({ ...sessions, statementNames })
      await requireWholeDistribution(directUrl)
    } else await beforeUse?.(embedded)
    const migrations = await loadMigrations()
    const appliedMigrations = make ? await migrate(directUrl, migrations) : []
    if (!make) requireNoPending(await pendingMigrations(directUrl, migrations))
    const database = createDatabase({
      ...sessions,
      replicaConnectionString: config.databaseReplicaUrl,
      log,
      maxConnections: config.databasePoolSize,
      statementTimeoutMillis,
    })
    return {
      database,
      connectionString: sessions.connectionString,
      directUrl,
      appliedMigrations,
      embedded,
      close: async () => {
        await database.close()
        await embedded?.stop()
      },
    }
  } catch (error) {
    await embedded?.stop()
    throw error
  }
}

/** Where calls get their sessions; `otherwise` is the URL of a database that no variable names. */
export function sessionsOf(
  config: Config,
  otherwise = '',
): Pick<
  DatabaseOptions,
  'connectionString' | 'sessions' | 'statementNames' | 'limits' | 'maxWaitMillis' | 'maxWaiting'
> {
  const { databaseUrl, databaseDirectUrl, databaseStatementNames } = config
  return {
    limits: {
      statement_timeout: config.databaseStatementSeconds * 1000,
      lock_timeout: config.databaseLockSeconds * 1000,
      idle_in_transaction_session_timeout: config.databaseIdleSeconds * 1000,
    },
    maxWaitMillis: config.databaseWaitSeconds * 1000,
    maxWaiting: config.databaseMaxWaiting,
    connectionString: databaseUrl ?? otherwise,
    sessions: databaseDirectUrl === undefined ? 'server' : 'pooler',
    statementNames: databaseStatementNames,
  }
}

/** The URL past the pooler, if there is one. */
export function directUrlOf({ databaseUrl = '', databaseDirectUrl = databaseUrl }: Config): string {
  return databaseDirectUrl
}

/** Starts or joins the embedded database. Throws where there is none and none is to be made. */
export async function openEmbedded(
  config: Config,
  log: Pick<Logger, 'debug'>,
  make: boolean,
): Promise<EmbeddedPostgres> {
  const dataDir = dataFolderOf(config)
  if (!make && !hasCluster(dataDir)) {
    throw new Error(
      `there is no database in ${dataDir}: create one with "npx svc serve", "migrate" or "import", ` +
        'or set SVC_DATA_DIR to another folder or DATABASE_URL to a server',
    )
  }
  return startEmbeddedPostgres({ dataDir, log: (message) => log.debug(message) })
}

/** The folder of the embedded database, relative to the package, wherever the program was started. */
export function dataFolderOf({ dataDir }: Config): string {
  return resolve(packageRoot(), dataDir)
}

/** Throws where the database lacks migrations of this build. */
export function requireNoPending(pending: readonly string[] | undefined): void {
  if (pending === undefined) throw new Error('the database is empty: run "npx svc serve", "migrate" or "import"')
  if (pending.length > 0) throw new Error(`the database lacks ${pending.join(', ')}: run "npx svc migrate"`)
}
