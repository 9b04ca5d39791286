import type { BoundedPool } from './pool.js'
import type { Prisma } from './prisma.js'
import type { PreparedQueryable, PreparedTransaction, Reads, Snapshots, Store } from './queryable.js'
import type { Replica } from './replica.js'
import type { Sql } from './sql.js'
import type { RetryCounts } from './transaction.js'
import type { TransactionOptions } from './transaction-options.js'

/** What a call with a deadline of its own needs of a database. */
export interface SqlBounds {
  /** How long all of it may take, repetitions included. */
  readonly timeoutMillis: number | undefined
}

/**
 * One pool of connections, for stores, SQL and Prisma. A statement outside of transactions that loses against another
 * one is repeated.
 */
export interface Database extends Sql, Store, Snapshots, Reads {
  /** The URL of its sessions, with what every one of them has. */
  readonly connectionString: string
  readonly pool: BoundedPool
  /** Undefined if there is none. */
  readonly replica: Replica | undefined
  readonly prisma: Prisma
  readonly retries: Readonly<RetryCounts>
  /** Prepared statements and SQL within a time: a connection that does not answer a second later is given up. */
  within(bounds: SqlBounds): Sql & PreparedQueryable
  /** A transaction past Prisma. SQL in it is for what is not part of the service, such as tests. */
  readonly preparedTransaction: <T>(
    work: (transaction: PreparedTransaction & Sql) => Promise<T>,
    options?: TransactionOptions,
  ) => Promise<T>
  /**
   * The same database for one call, whose statements `stop` cancels. Queries of Prisma's models, which several calls
   * may share, end at their own limit. Of an organization's calls, at most as many use the database at a time as half of
   * the pool has connections.
   */
  readonly forCall: (call: object, organizationId?: string) => Database
  /** Nobody waits for a call any more: what it still waits for fails with the reason, and is cancelled if it runs. */
  readonly stop: (call: object, reason: Error) => void
  /** Waits briefly for running statements, then closes every connection. */
  close(): Promise<void>
}
