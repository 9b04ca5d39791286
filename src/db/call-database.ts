import type { Database } from './database-handle.js'
import type { PreparedTransaction, Queryable } from './queryable.js'
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
export class CallDatabase implements Database {
  readonly #database: Database
  readonly #paths: CallPaths
  readonly #call: object

  constructor(database: Database, paths: CallPaths, call: object) {
    this.#database = database
    this.#paths = paths
    this.#call = call
  }

  run<Parameters, Row>(statement: Statement<Parameters, Row>, values: Parameters): Promise<Row[]> {
    return this.#paths.run(this.#call, statement, values)
  }

  preparedTransaction<T>(
    work: (transaction: PreparedTransaction & Sql) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    return this.#paths.transact(this.#call, work, options)
  }

  get reads(): Queryable {
    // Without a replica they are the same.
    if (this.replica === undefined) return this
    const run = <Parameters, Row>(statement: Statement<Parameters, Row>, values: Parameters) =>
      this.#paths.read(this.#call, statement, values)
    return { models: this.models, run }
  }

  get models() {
    return this.#database.models
  }
  get connectionString() {
    return this.#database.connectionString
  }
  get pool() {
    return this.#database.pool
  }
  get replica() {
    return this.#database.replica
  }
  get prisma() {
    return this.#database.prisma
  }
  get retries() {
    return this.#database.retries
  }
  get query() {
    return this.#database.query
  }
  get execute() {
    return this.#database.execute
  }
  get within() {
    return this.#database.within
  }
  get transaction() {
    return this.#database.transaction
  }
  get readSnapshot() {
    return this.#database.readSnapshot
  }
  get forCall() {
    return this.#database.forCall
  }
  get stop() {
    return this.#database.stop
  }
  get close() {
    return this.#database.close
  }
}
