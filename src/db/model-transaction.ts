import type { Models, Prisma } from './prisma.js'
import type { Transaction } from './queryable.js'
import type { IsolationLevel, TransactionOptions } from './transaction-options.js'

/** How long a transaction may take, in milliseconds. */
export interface TransactionTimes {
  /** All of it. */
  readonly leftMillis: number
  /** One statement, in a session without another limit. */
  readonly statementMillis: number
}

/**
 * Runs the work in one transaction of Prisma's: commits when it returns, rolls back when it throws. No statement runs
 * past the budget, on the server either. Once the signal has aborted, nothing more is sent and nothing is committed.
 */
export async function runModelTransaction<T>(
  prisma: Prisma,
  work: (transaction: Transaction) => Promise<T>,
  { isolationLevel = 'ReadCommitted', signal }: TransactionOptions,
  { leftMillis, statementMillis }: TransactionTimes,
): Promise<T> {
  return prisma.$transaction(
    async (client) => {
      if (leftMillis < statementMillis) {
        await client.$queryRaw`SELECT set_config('statement_timeout', ${String(leftMillis)}, true)`
      }
      const result = await work(new ModelTransaction(client, isolationLevel, signal))
      signal?.throwIfAborted()
      return result
    },
    {
      // Sessions begin with read committed; asking for it would cost a round trip.
      ...(isolationLevel !== 'ReadCommitted' && { isolationLevel }),
      // The pool bounds the wait.
      maxWait: leftMillis,
      timeout: leftMillis,
    },
  )
}

// A class, because an accessor of an object literal would give every object a hidden class of its own.
class ModelTransaction implements Transaction {
  readonly isolationLevel: IsolationLevel
  readonly run: Transaction['run']
  readonly #client: Models
  readonly #signal: AbortSignal | undefined

  constructor(
    client: Models & Pick<Prisma, '$queryRaw'>,
    isolationLevel: IsolationLevel,
    signal: AbortSignal | undefined,
  ) {
    this.#client = client
    this.#signal = signal
    this.isolationLevel = isolationLevel
    this.run = async (statement, values) => {
      signal?.throwIfAborted()
      return client.$queryRaw(statement.bound(values))
    }
  }

  get models(): Models {
    this.#signal?.throwIfAborted()
    return this.#client
  }
}
