import type { Database, SqlBounds } from './database.js'
import { PassedOnDatabase } from './passed-on-database.js'
import type { Models } from './prisma.js'
import type { PreparedQueryable, PreparedTransaction, Queryable, Transaction } from './queryable.js'
import type { Sql } from './sql.js'
import type { Statement } from './statement.js'
import type { IsolationLevel, TransactionOptions } from './transaction-options.js'

/** Is told about statements and transactions. Must not throw. Times are on the clock of `performance.now`. */
export interface StatementObserver {
  /**
   * A statement was answered, or failed with `failure`; waits and repetitions count. `name` is the statement's; for
   * queries of Prisma's models it is the model and the operation, such as `team.findMany`.
   */
  statement(name: string, startedAt: number, failure: unknown): void
  /** A transaction was committed, or failed with `failure`. */
  transaction(startedAt: number, failure: unknown): void
}

/**
 * The same database, with an observer for whatever goes through the result. SQL that is no statement, and snapshots,
 * are not observed.
 */
export function observeDatabase(database: Database, observer: StatementObserver): Database {
  return new ObservedDatabase(database, observer)
}

// A class without functions of its own, because one is made for each call.
class ObservedDatabase extends PassedOnDatabase implements Database {
  readonly #observer: StatementObserver
  #models: Models | undefined

  constructor(database: Database, observer: StatementObserver) {
    super(database)
    this.#observer = observer
  }

  run<Parameters, Row>(statement: Statement<Parameters, Row>, values: Parameters): Promise<Row[]> {
    const startedAt = performance.now()
    const observer = this.#observer
    return watched(this.inner.run(statement, values), (failure) =>
      observer.statement(statement.name, startedAt, failure),
    )
  }

  within(bounds: SqlBounds): Sql & PreparedQueryable {
    const { query, execute, run } = this.inner.within(bounds)
    return { query, execute, run: observedPreparedRun(run, this.#observer) }
  }

  transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    options?: Omit<TransactionOptions, 'readOnly'>,
  ): Promise<T> {
    const startedAt = performance.now()
    const observer = this.#observer
    const result = this.inner.transaction(
      (transaction) => work(new ObservedTransaction(transaction, observer)),
      options,
    )
    return watched(result, (failure) => observer.transaction(startedAt, failure))
  }

  preparedTransaction<T>(
    work: (transaction: PreparedTransaction & Sql) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T> {
    const startedAt = performance.now()
    const observer = this.#observer
    const result = this.inner.preparedTransaction(
      (transaction) => work(new ObservedPreparedTransaction(transaction, observer)),
      options,
    )
    return watched(result, (failure) => observer.transaction(startedAt, failure))
  }

  forCall(call: object, organizationId?: string): Database {
    return new ObservedDatabase(this.inner.forCall(call, organizationId), this.#observer)
  }

  get models(): Models {
    this.#models ??= observedModels(this.inner.models, this.#observer)
    return this.#models
  }

  get reads(): Queryable {
    // Without a replica they are the same.
    if (this.replica === undefined) return this
    const { reads } = this.inner
    return {
      models: this.models,
      run: observedRun((statement, values) => reads.run(statement, values), this.#observer),
    }
  }
}

class ObservedTransaction implements Transaction {
  readonly isolationLevel: IsolationLevel
  readonly run: Transaction['run']
  readonly #transaction: Transaction
  readonly #observer: StatementObserver

  constructor(transaction: Transaction, observer: StatementObserver) {
    this.#transaction = transaction
    this.#observer = observer
    this.isolationLevel = transaction.isolationLevel
    this.run = observedRun(transaction.run, observer)
  }

  // Asked for again for each query, because nothing may be sent for a caller who has gone.
  get models(): Models {
    return observedModels(this.#transaction.models, this.#observer)
  }
}

class ObservedPreparedTransaction implements PreparedTransaction, Sql {
  readonly isolationLevel: IsolationLevel
  readonly nested: PreparedTransaction['nested']
  readonly run: PreparedTransaction['run']
  readonly query: Sql['query']
  readonly execute: Sql['execute']

  constructor(transaction: PreparedTransaction & Sql, observer: StatementObserver) {
    this.isolationLevel = transaction.isolationLevel
    this.nested = transaction.nested
    this.run = observedPreparedRun(transaction.run, observer)
    this.query = transaction.query
    this.execute = transaction.execute
  }
}

function observedRun(run: Queryable['run'], observer: StatementObserver): Queryable['run'] {
  return (statement, values) => {
    const startedAt = performance.now()
    return watched(run(statement, values), (failure) => observer.statement(statement.name, startedAt, failure))
  }
}

function observedPreparedRun(run: PreparedQueryable['run'], observer: StatementObserver): PreparedQueryable['run'] {
  return (statement, values) => {
    const startedAt = performance.now()
    return watched(run(statement, values), (failure) => observer.statement(statement.name, startedAt, failure))
  }
}

function observedModels(models: Models, observer: StatementObserver): Models {
  return new Proxy(models, {
    get: (target, model) => {
      const queries: unknown = Reflect.get(target, model)
      if (typeof queries !== 'object' || queries === null) return queries
      return observedQueries(String(model), queries, observer)
    },
  })
}

/** The operations of one model. Prisma sends a query when it is first awaited, and only once however often it is. */
function observedQueries(model: string, queries: object, observer: StatementObserver): object {
  return new Proxy(queries, {
    get: (target, operation) => {
      const send: unknown = Reflect.get(target, operation)
      if (typeof send !== 'function') return send
      return (...values: unknown[]) => {
        const startedAt = performance.now()
        const name = `${model}.${String(operation)}`
        const answer: PromiseLike<unknown> = Reflect.apply(send, target, values)
        return watched(answer, (failure) => observer.statement(name, startedAt, failure))
      }
    },
  })
}

/** Passes on the promise itself, so that observing delays nobody. */
function watched<Answer extends PromiseLike<unknown>>(answer: Answer, tell: (failure: unknown) => void): Answer {
  answer.then(
    () => tell(undefined),
    (error: unknown) => tell(error),
  )
  return answer
}
