import { setTimeout as delay, setImmediate as immediate } from 'node:timers/promises'
import type pg from 'pg'
import { databaseFailure } from './errors.js'
import { createSql, type Sql } from './sql.js'

/** How a transaction runs. */
export interface TransactionOptions {
  /** Default: `ReadCommitted`. */
  readonly isolationLevel?: IsolationLevel
  readonly readOnly?: boolean
  /** Nothing more is sent, and nothing committed, once it has aborted; the transaction fails with its reason. */
  readonly signal?: AbortSignal
  /** Budget of the whole, repetitions included, in milliseconds. */
  readonly timeoutMillis?: number
}

/** Isolation levels under Prisma's names. */
export type IsolationLevel = 'ReadCommitted' | 'RepeatableRead' | 'Serializable'

/** What repetitions need of the outside world. */
export interface Timing {
  /** Monotonic, in milliseconds. */
  now(): number
  /** Less than 1 ms is one turn of the event loop. */
  sleep(millis: number, signal?: AbortSignal): Promise<void>
  /** From 0 to below 1. */
  random(): number
}

/** The machine's clock and randomness. */
export const systemTiming: Timing = {
  now: () => performance.now(),
  sleep: async (millis, signal) => {
    if (millis < 1) await immediate(undefined, signal && { signal })
    else await delay(millis, undefined, signal && { signal })
  },
  random: Math.random,
}

const MAX_RETRIES = 5
const FIRST_PAUSE_MILLIS = 10
const ISOLATION_SQL: Record<IsolationLevel, string> = {
  ReadCommitted: 'READ COMMITTED',
  RepeatableRead: 'REPEATABLE READ',
  Serializable: 'SERIALIZABLE',
}

/**
 * Runs the attempt and repeats it, up to five times, while it fails by a deadlock or a serialization failure: those have
 * done nothing. Pauses grow and are drawn at random. Past the budget, or after the last try, the failure is thrown.
 * An attempt is told how many milliseconds it has left.
 */
export async function withRetries<T>(
  attempt: (leftMillis: number | undefined) => Promise<T>,
  { signal, timeoutMillis }: Pick<TransactionOptions, 'signal' | 'timeoutMillis'>,
  timing: Timing,
): Promise<T> {
  const deadline = timeoutMillis === undefined ? undefined : timing.now() + timeoutMillis
  for (let retries = 0; ; retries++) {
    signal?.throwIfAborted()
    try {
      return await attempt(deadline === undefined ? undefined : Math.max(1, Math.ceil(deadline - timing.now())))
    } catch (error) {
      if (retries === MAX_RETRIES || databaseFailure(error)?.kind !== 'retryable') throw error
      const pause = timing.random() * FIRST_PAUSE_MILLIS * 2 ** retries
      if (deadline !== undefined && timing.now() + pause >= deadline) throw error
      await timing.sleep(pause, signal)
    }
  }
}

/**
 * Runs the work in one transaction on a connection of the pool: commits when it returns, rolls back when it throws.
 * `statementMillis` bounds every statement in it.
 */
export async function runTransaction<T>(
  pool: pg.Pool,
  work: (sql: Sql) => Promise<T>,
  options: TransactionOptions,
  statementMillis: number,
): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  const onError = (error: Error) => {
    broken = error // The next query on it fails; without a listener it would end the process.
  }
  client.on('error', onError)
  try {
    await client.query(beginStatement(options, statementMillis))
    const result = await work(createSql(client, options.signal))
    options.signal?.throwIfAborted()
    const { command } = await client.query('COMMIT')
    // PostgreSQL answers so when a statement had failed and the work went on regardless.
    if (command !== 'COMMIT') throw new Error('a failed transaction cannot be committed')
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch((failure: Error) => {
      broken = failure
    })
    throw error
  } finally {
    client.off('error', onError)
    client.release(broken)
  }
}

function beginStatement(
  { isolationLevel = 'ReadCommitted', readOnly = false }: TransactionOptions,
  millis: number,
): string {
  const mode = readOnly ? 'READ ONLY' : 'READ WRITE'
  return `BEGIN ISOLATION LEVEL ${ISOLATION_SQL[isolationLevel]} ${mode}; SET LOCAL statement_timeout = ${millis}`
}
