import type { Models } from './prisma.js'
import type { Statement } from './statement.js'
import type { IsolationLevel, TransactionOptions } from './transaction-options.js'

/** Where statements can be sent: the database, or a transaction of either kind. */
export interface PreparedQueryable {
  /** Runs a statement and returns its rows. */
  readonly run: <Parameters, Row>(statement: Statement<Parameters, Row>, values: Parameters) => Promise<Row[]>
}

/** Where models and statements can be used side by side: the database, or a transaction. Stores take it. */
export interface Queryable extends PreparedQueryable {
  /** Prisma's models. Read this again for each call, so that nothing is sent once the caller has gone. */
  readonly models: Models
}

/** The database as lists and snapshots read it: a replica runs their statements if there is one that is fresh enough. */
export interface Reads {
  readonly reads: Queryable
}

/** A transaction, with models and statements. Functions that lock, or that must be atomic with others, take it. */
export interface Transaction extends Queryable {
  readonly isolationLevel: IsolationLevel
}

/** A transaction past Prisma, with statements only: it begins in one message. */
export interface PreparedTransaction extends PreparedQueryable {
  readonly isolationLevel: IsolationLevel
  /** Runs a part that can fail alone: if it throws, what it did is undone, and the rest of the transaction remains. */
  readonly nested: <T>(work: () => Promise<T>) => Promise<T>
}

/** A transaction of either kind, for stores that use no models. */
export type AnyTransaction = Transaction | PreparedTransaction

/** Sends only statements, and begins transactions of them: the database, or one transaction in its place. */
export interface PreparedStore extends PreparedQueryable {
  /** Runs the work in one transaction past Prisma, which is repeated as a whole if it loses against another one. */
  readonly preparedTransaction: <T>(
    work: (transaction: PreparedTransaction) => Promise<T>,
    options?: TransactionOptions,
  ) => Promise<T>
}

/** The tables, and how to begin transactions on them. */
export interface Store extends Queryable, Pick<PreparedStore, 'preparedTransaction'> {
  /** Runs the work in one transaction, which is repeated as a whole if it loses against another one. */
  readonly transaction: <T>(
    work: (transaction: Transaction) => Promise<T>,
    options?: Omit<TransactionOptions, 'readOnly'>,
  ) => Promise<T>
}

/** A row of a snapshot, with the index of its statement. */
export interface SnapshotRow<Row> {
  readonly index: number
  readonly row: Row
}

/** Where everything can be read as of one moment. */
export interface Snapshots {
  /** Yields the rows of statements without parameters, in order. Holds a connection until the caller stops. */
  readonly readSnapshot: <Row>(statements: readonly Statement<object, Row>[]) => AsyncGenerator<SnapshotRow<Row>>
}
