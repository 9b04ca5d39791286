import { setTimeout as delay, setImmediate as immediate } from 'node:timers/promises'
import type pg from 'pg'
import { databaseFailure } from './errors.js'
import type { PreparedStore, PreparedTransaction } from './queryable.js'
import { boundedQuery, createSql, runPrepared, type Sql, type StatementBounds, withConnection } from './sql.js'
import type { IsolationLevel, TransactionOptions } from './transaction-options.js'

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

/** What has been repeated since the start: see `withRetries`. */
export interface RetryCounts {
  /** After a deadlock or a serialization failure. */
  conflict: number
  /** After prepared statements that were outdated. */
  staleStatement: number
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
 * done nothing. So has what meets prepared statements that are outdated, which is repeated once. Pauses grow and are drawn at random. Past the budget, or after the last try, the failure is thrown.
 * An attempt is told how many milliseconds it has left.
 */
export function withRetries<T>(
  attempt: (leftMillis: number | undefined) => Promise<T>,
  { signal, timeoutMillis }: Pick<TransactionOptions, 'signal' | 'timeoutMillis'>,
  timing: Timing,
  counts: RetryCounts,
): Promise<T> {
  const deadline = timeoutMillis === undefined ? undefined : timing.now() + timeoutMillis
  let retries = 0
  let isFresh = false

  // Nearly every first attempt succeeds: no more is made for it than the attempt itself and its handler.
  const start = (): Promise<T> => {
    if (signal?.aborted === true) return Promise.reject(signal.reason)
    return attempt(deadline === undefined ? undefined : Math.max(1, Math.ceil(deadline - timing.now()))).catch(repeat)
  }
  const repeat = async (error: unknown): Promise<T> => {
    const kind = databaseFailure(error)?.kind
    if (kind === 'stale_statement' && !isFresh) {
      isFresh = true // The pool has given up the connections that have the old statements.
      counts.staleStatement++
    } else {
      if (retries >= MAX_RETRIES || kind !== 'retryable') throw error
      const pause = timing.random() * FIRST_PAUSE_MILLIS * 2 ** retries
      if (deadline !== undefined && timing.now() + pause >= deadline) throw error
      await timing.sleep(pause, signal)
      counts.conflict++
    }
    retries++
    return start()
  }

  return start()
}

/**
 * Runs the work in one transaction on a connection of the pool: commits when it returns, rolls back when it throws.
 * `statementMillis` bounds every statement in it on the server, and `deadline` all of it on this side.
 */
export async function runTransaction<T>(
  pool: pg.Pool,
  work: (transaction: PreparedTransaction & Sql) => Promise<T>,
  options: TransactionOptions & StatementBounds,
  statementMillis: number,
): Promise<T> {
  return withConnection(pool, options.deadline, async (client) => {
    const send = (text: string) => client.query(boundedQuery({ text }, options.deadline))
    try {
      await send(beginStatement(options, statementMillis))
      const { isolationLevel = 'ReadCommitted' } = options
      const result = await work({
        isolationLevel,
        nested: createNested(send),
        ...createSql(client, options),
        run: (statement, parameters) => runPrepared(client, statement, parameters, options),
      })
      options.signal?.throwIfAborted()
      const { command } = await send('COMMIT')
      // PostgreSQL answers so when a statement had failed and the work went on regardless.
      if (command !== 'COMMIT') throw new Error('a failed transaction cannot be committed')
      return result
    } catch (error) {
      // A connection that is lost takes its transaction with it, and the pool gives up one that is still in its own.
      if (databaseFailure(error)?.kind !== 'unavailable') await send('ROLLBACK').catch(() => undefined)
      throw error
    }
  })
}

/** Runs parts of a transaction in savepoints. */
function createNested(send: (text: string) => Promise<unknown>): PreparedTransaction['nested'] {
  return async (work) => {
    await send('SAVEPOINT nested')
    try {
      const result = await work()
      await send('RELEASE SAVEPOINT nested')
      return result
    } catch (error) {
      // Released as well: a part around this one has a savepoint of the same name.
      if (databaseFailure(error)?.kind !== 'unavailable') {
        await send('ROLLBACK TO SAVEPOINT nested; RELEASE SAVEPOINT nested')
      }
      throw error
    }
  }
}

/** A transaction in the place of the database: what begins a transaction there becomes a part of it that can fail alone. */
export function storeWithin(transaction: PreparedTransaction): PreparedStore {
  return { run: transaction.run, preparedTransaction: (work) => transaction.nested(() => work(transaction)) }
}

const UNHURRIED_SETTINGS = [
  ...['statement_timeout = 0', 'idle_in_transaction_session_timeout = 0', 'lock_timeout = 0'],
  "work_mem = '64MB'",
]

// Whether it may write is the database's own default: a database that is frozen stays so.
function beginStatement(
  { isolationLevel = 'ReadCommitted', readOnly = false, isUnhurried = false }: TransactionOptions,
  millis: number,
): string {
  const mode = readOnly ? ' READ ONLY' : ''
  const settings = isUnhurried ? UNHURRIED_SETTINGS : [`statement_timeout = ${millis}`]
  const begin = `BEGIN ISOLATION LEVEL ${ISOLATION_SQL[isolationLevel]}${mode}`
  return [begin, ...settings.map((setting) => `SET LOCAL ${setting}`)].join('; ')
}
