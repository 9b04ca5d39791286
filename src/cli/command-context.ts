import { resolve } from 'node:path'
import { InvalidArgumentError } from 'commander'
import type { Logger } from 'pino'
import type { Config } from '../config.js'
import type { DatabaseClock } from '../db/clock.js'
import type { Database, DatabaseOptions } from '../db/database.js'
import { createBearerTokens } from '../domain/auth/bearer-token.js'
import { notePepper } from '../domain/auth/pepper-check.js'
import { createSecretHasher } from '../domain/auth/secret-hash.js'
import { packageRoot } from '../package.js'
import type { Runtime } from '../runtime/runtime.js'
import type { LogTerminal } from './log.js'

export interface CommandContext {
  readonly config: Config
  readonly runtime: Runtime
  readonly log: Logger
  readonly stdin: NodeJS.ReadableStream
  readonly stdout: NodeJS.WritableStream
  readonly stderr: NodeJS.WritableStream & LogTerminal
  /** Aborts when the operator asks the program to stop; its reason is the name of the signal. */
  readonly stopSignal: AbortSignal
  /** Has the listener called, instead of ending the program, at each SIGHUP; returns how to undo that. */
  readonly onHangup?: ((listener: () => void) => () => void) | undefined
  /** Lets `runtime` go by the clock of a database. */
  useClock(clock: Pick<DatabaseClock, 'now'>): void
  /** Works on the configured database. Throws, without creating anything, if there is none or it lacks migrations. */
  onDatabase<T>(work: (database: Database) => Promise<T>): Promise<T>
  /** Works on the configured database, after creating the embedded one if needed and applying pending migrations. */
  onPreparedDatabase<T>(work: (database: Database, appliedMigrations: readonly string[]) => Promise<T>): Promise<T>
}

export interface JsonOption {
  readonly json?: true
}

/** The output of a command: one JSON object if that is requested, otherwise text for people. */
export function answer({ stdout }: CommandContext, { json }: JsonOption, value: object, text: string): void {
  stdout.write(json ? `${JSON.stringify(value)}\n` : text)
}

export function aligned(lines: readonly (readonly [label: string, text: string])[]): string {
  const width = Math.max(...lines.map(([label]) => label.length))
  return lines.map(([label, text]) => `${`${label.padEnd(width)}  ${text}`.trimEnd()}\n`).join('')
}

export function credentialsOf(database: Database, { config, runtime }: CommandContext) {
  return {
    database,
    runtime,
    hasher: createSecretHasher(config.peppers),
    bearerTokens: createBearerTokens({ database, runtime }),
  }
}

/** Throws where secrets that are stored or looked up now would not match those of the servers. */
export async function requirePepper(database: Database, { config }: CommandContext): Promise<void> {
  const fault = await notePepper(database, config.peppers)
  if (fault !== undefined) throw new Error(fault)
}

/** Where calls get their sessions; `otherwise` is the URL of a database that no variable names. */
export function sessionsOf(config: Config, otherwise = '') {
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
  } satisfies Partial<DatabaseOptions>
}

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

/** The base address of a listening socket, as a client on this machine writes it. Default: without TLS. */
export function originOf(address: string, port: number, scheme: 'http' | 'https' = 'http'): string {
  const host = address === '0.0.0.0' || address === '::' ? '127.0.0.1' : address
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3_600, d: 86_400 }
const TEN_YEARS_DAYS = 3_650

/** The seconds of a duration such as `90s`, `30m`, `24h` or `30d`; a bare number is seconds. */
export function parseDuration(given: string, { minSeconds = 1, maxDays = TEN_YEARS_DAYS } = {}): number {
  const [, count = '', unit = 'none'] = /^(\d{1,9})([smhd]?)$/.exec(given) ?? []
  const seconds = Number(count) * (UNIT_SECONDS[unit] ?? Number.NaN)
  if (seconds >= minSeconds && seconds <= maxDays * 86_400) return seconds
  throw new InvalidArgumentError(
    `must be from ${minSeconds}s to ${maxDays}d, such as 90s, 30m, 24h or 30d; a bare number is seconds`,
  )
}

export function integerFrom(min: number, max: number): (given: string) => number {
  return (given) => {
    const number = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN
    if (number >= min && number <= max) return number
    throw new InvalidArgumentError(`must be from ${min} to ${max}`)
  }
}
