import { resolve } from 'node:path'
import type { Logger } from 'pino'
import type { Config, Setting } from '../config.js'
import type { Database, DatabaseOptions } from '../db/database.js'
import type { EmbeddedPostgres } from '../db/embedded/embedded-postgres.js'
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

/** The folder of the embedded database, relative to the package, wherever the program was started. */
export function dataFolderOf({ dataDir }: Config): string {
  return resolve(packageRoot(), dataDir)
}

/** Throws where the database lacks migrations of this build. */
export function requireNoPending(pending: readonly string[] | undefined): void {
  if (pending === undefined) throw new Error('the database is empty: run "npx svc serve", "migrate" or "import"')
  if (pending.length > 0) throw new Error(`the database lacks ${pending.join(', ')}: run "npx svc migrate"`)
}
