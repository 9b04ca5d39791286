import type { Logger } from 'pino'
import type { Config } from '../config.js'
import { createDatabase, type Database } from '../db/database.js'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../db/embedded/embedded-postgres.js'
import { loadMigrations, migrate } from '../db/migrate.js'
import type { Runtime } from '../domain/runtime.js'

/** A database that a command works on, brought up to date. */
export interface OpenedDatabase {
  readonly database: Database
  readonly connectionString: string
  /** The migrations that were pending. */
  readonly appliedMigrations: readonly string[]
  /** The embedded server, where that is the one. */
  readonly embedded: EmbeddedPostgres | undefined
  /** Closes the connections and gives up the embedded server. */
  close(): Promise<void>
}

/** What commands get from the outside. */
export interface CommandContext {
  readonly config: Config
  readonly runtime: Runtime
  readonly log: Logger
  readonly stdin: NodeJS.ReadableStream
  readonly stdout: NodeJS.WritableStream
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean }
  /** Aborts when the operator asks the program to stop. */
  readonly stopSignal: AbortSignal
  /** Opens the configured database, starts the embedded one where that is it, and applies pending migrations. */
  openDatabase(): Promise<OpenedDatabase>
}

/** How a command reaches its database: see `CommandContext.openDatabase`. */
export async function openConfiguredDatabase(
  config: Config,
  log: Logger,
  beforeUse?: (embedded: EmbeddedPostgres) => Promise<void>,
): Promise<OpenedDatabase> {
  const embedded =
    config.databaseUrl === undefined
      ? await startEmbeddedPostgres({ dataDir: config.dataDir, log: (message) => log.debug(message) })
      : undefined
  const connectionString = embedded?.connectionString ?? config.databaseUrl ?? ''
  try {
    if (embedded !== undefined) await beforeUse?.(embedded)
    const appliedMigrations = await migrate(connectionString, await loadMigrations())
    const database = createDatabase({ connectionString, log })
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
