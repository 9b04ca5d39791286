import type { Models } from './prisma.js'
import type { PreparedStatement, Statement } from './statement.js'
import type { IsolationLevel, TransactionOptions } from './transaction-options.js'

/** Where prepared statements can be sent: the database, or a transaction of either kind. */
export interface PreparedQueryable {
  /** Runs a statement and answers its rows. */
  readonly run: <Parameters, Row>(statement: PreparedStatement<Parameters, Row>, values: Parameters) => Promise<Row[]>
}

/** Where models and statements can be used side by side: the database, or a transaction. Stores take it. */
export interface Queryable {
  /** Prisma's models. Ask for them anew for each call, so that nothing is sent once the caller has gone. */
  readonly models: Models
  /** Runs a statement and answers its rows. */
  readonly run: <Parameters, Row>(statement: Statement<Parameters, Row>, values: Parameters) => Promise<Row[]>
}

/** A transaction, with models and statements. What locks or has to be one with something else takes it. */
export interface Transaction extends Queryable {
  readonly isolationLevel: IsolationLevel
}

/** A transaction past Prisma, of prepared statements alone: it begins in one message. */
export interface PreparedTransaction extends PreparedQueryable {
  readonly isolationLevel: IsolationLevel
  /** Runs a part of it that can fail alone: what the part has done is undone when it throws, and the rest stands. */
  readonly nested: <T>(work: () => Promise<T>) => Promise<T>
}

/** A transaction of either kind, for stores whose statements are all prepared. */
export type AnyTransaction = Transaction | PreparedTransaction

/** What sends prepared statements alone, and begins transactions of them: the database, or one transaction in its place. */
export interface PreparedStore extends PreparedQueryable {
  /** Runs the work in one transaction past Prisma, which is repeated as a whole when it loses against another one. */
  readonly preparedTransaction: <T>(
    work: (transaction: PreparedTransaction) => Promise<T>,
    options?: TransactionOptions,
  ) => Promise<T>
}

/** The tables, and how to begin transactions on them. */
export interface Store extends Queryable, Pick<PreparedStore, 'preparedTransaction'> {
  /** Runs the work in one transaction, which is repeated as a whole when it loses against another one. */
  readonly transaction: <T>(
    work: (transaction: Transaction) => Promise<T>,
    options?: Omit<TransactionOptions, 'readOnly'>,
  ) => Promise<T>
}

/** A row of a snapshot, with the place of its statement. */
export interface SnapshotRow<Row> {
  readonly index: number
  readonly row: Row
}

/** Where everything can be read as of one moment. */
export interface Snapshots {
  /** Gives the rows of statements without parameters, in order. Holds a connection until the caller has had enough. */
  readonly readSnapshot: <Row>(
    statements: readonly PreparedStatement<object, Row>[],
  ) => AsyncGenerator<SnapshotRow<Row>>
}
