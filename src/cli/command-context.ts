import { resolve } from 'node:path'
import type { Logger } from 'pino'
import type { Config, Setting } from '../config.js'
import { createDatabase, type Database } from '../db/database.js'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../db/embedded/embedded-postgres.js'
import { hasCluster } from '../db/embedded/place.js'
import { migrate, pendingMigrations } from '../db/migrate.js'
import { loadMigrations } from '../db/migration.js'
import { requireWholeDistribution } from '../db/require-whole-distribution.js'
import { packageRoot } from '../package.js'
import type { Runtime } from '../runtime/runtime.js'
import type { LogTerminal } from './log.js'

/** A database for a command, with all migrations of this build. */
export interface OpenedDatabase {
  readonly database: Database
  readonly connectionString: string
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
}

/** See `CommandContext.openDatabase` and `makeDatabase`. */
export async function openConfiguredDatabase(options: OpenOptions): Promise<OpenedDatabase> {
  const { config, log, make, beforeUse, statementTimeoutMillis = 600_000 } = options
  const embedded = config.databaseUrl === undefined ? await openEmbedded(config, log, make) : undefined
  const connectionString = embedded?.connectionString ?? config.databaseUrl ?? ''
  try {
    if (embedded === undefined) await requireWholeDistribution(connectionString)
    else await beforeUse?.(embedded)
    const migrations = await loadMigrations()
    const appliedMigrations = make ? await migrate(connectionString, migrations) : []
    if (!make) requireNoPending(await pendingMigrations(connectionString, migrations))
    const database = createDatabase({
      connectionString,
      log,
      maxConnections: config.databasePoolSize,
      statementTimeoutMillis,
    })
    return {
      database,
      connectionString,
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
