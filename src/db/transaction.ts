import type pg from 'pg'
import { databaseFailure } from './errors.js'
import type { BoundedPool, PoolUser } from './pool.js'
import type { Models, ModelsClient } from './prisma.js'
import { answerMillis, type StatementBounds } from './statement.js'
import type { TransactionOptions } from './tables.js'

/** A connection in a transaction, and the models that use it. */
export interface Connected extends StatementBounds {
  readonly throwIfOver: () => void
  readonly client: pg.PoolClient
  readonly models: Models
}

/**
 * Runs the work in one transaction on a connection of the pool: commits when it returns, rolls back when it throws.
 * `deadline` ends all of it on this side; `statementMillis` is how long the server lets each statement run.
 */
export function runTransaction<T>(
  { pool, client: prisma }: { readonly pool: BoundedPool; readonly client: ModelsClient },
  work: (connected: Connected) => Promise<T>,
  options: TransactionOptions,
  { deadline, call, statementMillis }: PoolUser & { readonly statementMillis: number },
): Promise<T> {
  const throwIfOver = () => {
    options.signal?.throwIfAborted()
    pool.throwIfStopped(call)
  }
  return pool.use({ deadline, call }, (client) => {
    const send = (text: string) => client.query({ text, query_timeout: answerMillis(deadline) })
    const steps = {
      client,
      begin: async () => {
        for (const text of beginTexts(options, statementMillis, pool)) await send(text)
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
      const result = await work({ client, models, throwIfOver, deadline, isNamed: pool.statementNames })
      throwIfOver()
      return result
    })
  })
}

/** Runs a part of a transaction in a savepoint: if it throws, what it did is undone. */
export async function inSavepoint<T>(client: pg.PoolClient, work: () => Promise<T>): Promise<T> {
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

const SETTINGS_WITHOUT_TIMEOUT = [
  'statement_timeout = 0',
  'idle_in_transaction_session_timeout = 0',
  'lock_timeout = 0',
  "work_mem = '64MB'",
]

/**
 * The messages that begin a transaction: one, but two for a coordinator, which passes on the whole message of a setting
 * to workers, where the transaction would begin again. The default of the database decides whether it may write: a
 * frozen database stays read-only.
 */
function beginTexts(
  { withoutTimeout = false }: TransactionOptions,
  millis: number,
  { workers, transactionSettings }: BoundedPool,
): string[] {
  const settings = withoutTimeout ? SETTINGS_WITHOUT_TIMEOUT : [`statement_timeout = ${millis}`, ...transactionSettings]
  const texts = ['BEGIN ISOLATION LEVEL READ COMMITTED', settings.map((setting) => `SET LOCAL ${setting}`).join('; ')]
  return workers === undefined ? [texts.join('; ')] : texts
}
