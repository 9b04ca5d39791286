import { setTimeout as delay, setImmediate as immediate } from 'node:timers/promises'
import type pg from 'pg'
import { databaseFailure } from './errors.js'
import type { BoundedPool } from './pool.js'
import type { Models, ModelsClient, TransactionSteps } from './prisma.js'
import { boundedQuery, type ConnectionBounds, type StatementBounds, withConnection } from './sql.js'
import type { IsolationLevel, TransactionOptions } from './tables.js'

/** The time and randomness that repetitions need. */
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

/** Counts of repetitions since the start: see `withRetries`. */
export interface RetryCounts {
  /** After a deadlock or a serialization failure. */
  conflict: number
  /** After outdated prepared statements. */
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
 * Runs the attempt and repeats it, up to five times with growing random pauses, while it fails by a deadlock or a
 * serialization failure, and once if prepared statements were outdated: in all these cases nothing was done. Throws the
 * failure past the budget or after the last try. An attempt is passed the milliseconds that it has left.
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

  // Nearly every first attempt succeeds, so nothing is allocated for it but the attempt and its handler.
  const start = (): Promise<T> => {
    if (signal?.aborted === true) return Promise.reject(signal.reason)
    return attempt(deadline === undefined ? undefined : Math.max(1, Math.ceil(deadline - timing.now()))).catch(repeat)
  }
  const repeat = async (error: unknown): Promise<T> => {
    const kind = databaseFailure(error)?.kind
    if (kind === 'stale_statement' && !isFresh) {
      isFresh = true // The pool has given up the connections with the old statements.
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

/** How long one attempt may take. */
export interface TransactionBounds extends ConnectionBounds {
  readonly statementMillis: number
}

/** A connection in a transaction, and the models that use it. */
export interface Connected extends StatementBounds {
  /** Throws when nothing more must be sent. */
  readonly throwIfOver: () => void
  readonly client: pg.PoolClient
  readonly models: Models
}

/**
 * Runs the work in one transaction on a connection of the pool: commits when it returns, rolls back when it throws.
 * `statementMillis` limits every statement in it on the server, and `deadline` all of it on this side.
 */
export async function runTransaction<T>(
  { pool, client: prisma }: { readonly pool: BoundedPool; readonly client: ModelsClient },
  work: (connected: Connected) => Promise<T>,
  options: TransactionOptions,
  { deadline, call, statementMillis }: TransactionBounds,
): Promise<T> {
  const { signal, isLong = false } = options
  const throwIfOver = () => {
    signal?.throwIfAborted()
    if (call !== undefined) pool.throwIfStopped(call)
  }
  return withConnection(pool, { deadline, call, isLong }, async (client) => {
    const send = (text: string) => client.query(boundedQuery({ text }, deadline))
    const steps: TransactionSteps = {
      client,
      begin: async () => {
        await send(beginStatement(options, statementMillis))
      },
      commit: async () => {
        // A commit that was canceled while it waits for a standby would be reported as done.
        pool.finishFor(client)
        const { command } = await send('COMMIT')
        // PostgreSQL answers this if a statement has failed and the work continued regardless.
        if (command !== 'COMMIT') throw new Error('a failed transaction cannot be committed')
      },
      rollback: async () => {
        pool.finishFor(client)
        await send('ROLLBACK')
      },
    }
    return prisma.transaction(steps, async (models) => {
      const result = await work({ client, models, throwIfOver, deadline })
      throwIfOver()
      return result
    })
  })
}

/** Runs parts of a transaction in savepoints. */
export function createSavepoints(client: pg.PoolClient): <T>(work: () => Promise<T>) => Promise<T> {
  return async (work) => {
    await client.query('SAVEPOINT part')
    try {
      const result = await work()
      await client.query('RELEASE SAVEPOINT part')
      return result
    } catch (error) {
      // Released too, because an outer part has a savepoint of the same name.
      if (databaseFailure(error)?.kind !== 'unavailable') {
        await client.query('ROLLBACK TO SAVEPOINT part; RELEASE SAVEPOINT part')
      }
      throw error
    }
  }
}

const UNHURRIED_SETTINGS = [
  'statement_timeout = 0',
  'idle_in_transaction_session_timeout = 0',
  'lock_timeout = 0',
  "work_mem = '64MB'",
]

// The database's default decides whether it may write: a frozen database stays read-only.
function beginStatement(
  { isolationLevel = 'ReadCommitted', readOnly = false, isUnhurried = false }: TransactionOptions,
  millis: number,
): string {
  const mode = readOnly ? ' READ ONLY' : ''
  const settings = isUnhurried ? UNHURRIED_SETTINGS : [`statement_timeout = ${millis}`]
  const begin = `BEGIN ISOLATION LEVEL ${ISOLATION_SQL[isolationLevel]}${mode}`
  return [begin, ...settings.map((setting) => `SET LOCAL ${setting}`)].join('; ')
}
