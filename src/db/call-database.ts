import type { Database } from './database-handle.js'
import { PassedOnDatabase } from './passed-on-database.js'
import type { Models } from './prisma.js'
import type { PreparedTransaction, Queryable, Transaction } from './queryable.js'
import type { Sql } from './sql.js'
import type { Statement } from './statement.js'
import type { TransactionOptions } from './transaction-options.js'

/** How statements reach the database for a call, or for none. */
export interface CallPaths {
  run<Parameters, Row>(
    call: object | undefined,
    statement: Statement<Parameters, Row>,
    values: Parameters,
  ): Promise<Row[]>
  /** For statements that the replica may run. */
  read<Parameters, Row>(
    call: object | undefined,
    statement: Statement<Parameters, Row>,
    values: Parameters,
  ): Promise<Row[]>
  transact<T>(
    call: object | undefined,
    work: (transaction: PreparedTransaction & Sql) => Promise<T>,
    options: TransactionOptions,
  ): Promise<T>
}

/**
 * The database as one call uses it: `stop` of the database cancels what runs for the call. A class, because one is made
 * for each call.
 */
export class CallDatabase extends PassedOnDatabase implements Database {
  readonly #paths: CallPaths
  readonly #call: object
  readonly #organizationId: string | undefined
  #models: Models | undefined

  constructor(database: Database, paths: CallPaths, call: object, organizationId: string | undefined) {
    super(database)
    this.#paths = paths
    this.#call = call
    this.#organizationId = organizationId
  }

  run<Parameters, Row>(statement: Statement<Parameters, Row>, values: Parameters): Promise<Row[]> {
    return this.#use(() => this.#paths.run(this.#call, statement, values))
  }

  preparedTransaction<T>(
    work: (transaction: PreparedTransaction & Sql) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    return this.#use(() => this.#paths.transact(this.#call, work, options))
  }

  get reads(): Queryable {
    // Without a replica they are the same.
    if (this.replica === undefined) return this
    const run = <Parameters, Row>(statement: Statement<Parameters, Row>, values: Parameters) =>
      this.#use(() => this.#paths.read(this.#call, statement, values))
    return { models: this.models, run }
  }

  get models(): Models {
    if (this.#organizationId === undefined) return this.inner.models
    this.#models ??= eachQueryIn((send) => this.#use(send), this.inner.models)
    return this.#models
  }
  get within() {
    return this.inner.within
  }
  transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    options?: Omit<TransactionOptions, 'readOnly'>,
  ): Promise<T> {
    return this.#use(() => this.inner.transaction(work, options))
  }
  get forCall() {
    return this.inner.forCall
  }

  #use<T>(work: () => Promise<T>): Promise<T> {
    const { organizationShares } = this.inner.pool
    return this.#organizationId === undefined ? work() : organizationShares.use(this.#organizationId, work)
  }
}

/** The same models, each of whose queries is sent by `use`. */
function eachQueryIn(use: (send: () => Promise<unknown>) => Promise<unknown>, models: Models): Models {
  return new Proxy(models, {
    get: (all, model) => {
      const queries: unknown = Reflect.get(all, model)
      if (typeof queries !== 'object' || queries === null) return queries
      return new Proxy(queries, {
        get: (each, operation) => {
          const query: unknown = Reflect.get(each, operation)
          if (typeof query !== 'function') return query
          return (...values: unknown[]) => use(async () => Reflect.apply(query, each, values))
        },
      })
    },
  })
}
