import { CallDatabase, type CallPaths } from './call-database.js'
import type { Database, SqlBounds } from './database-handle.js'
import { runModelTransaction } from './model-transaction.js'
import { BoundedPool } from './pool.js'
import { createPrisma } from './prisma.js'
import type { PreparedQueryable } from './queryable.js'
import { createReplica, type Replica } from './replica.js'
import { defaultLimits, type SessionOptions, sessionConfig, sessionUrl } from './session-settings.js'
import { beginSnapshot, readSnapshot } from './snapshot.js'
import { createSql, runPreparedOn, type Sql, withConnection } from './sql.js'
import { type RetryCounts, runTransaction, systemTiming, type Timing, withRetries } from './transaction.js'

export type { Database, SqlBounds } from './database-handle.js'

/** How to reach a database. */
export interface DatabaseOptions extends SessionOptions {
  /** Whether statements are prepared under names, once per connection. Default yes. */
  readonly statementNames?: boolean | undefined
  /** The URL of a replica, which lists and snapshots are read from while it is fresh enough. */
  readonly replicaConnectionString?: string | undefined
  /** Called when connections fail while nobody uses them. A pino logger fits. */
  readonly log: { warn(fields: { err: Error }, message: string): void }
  /** The most connections of this process. Default 10. */
  readonly maxConnections?: number
  /** How long a new connection may take. Default 5 s. */
  readonly connectionTimeoutMillis?: number
  /** The most callers that wait for a connection. Default 1,024. */
  readonly maxWaiting?: number
  /** How long a caller waits for a connection if all are in use. Default 3 s. */
  readonly maxWaitMillis?: number
  /**
   * How long one statement may run. Default 10 s. A connection that stays silent for a second longer is given up.
   * Sessions of a pooler limit statements outside of transactions as their role says.
   */
  readonly statementTimeoutMillis?: number
  /** How long a statement may wait for a lock. Default 5 s; in sessions of a pooler, what their role says. */
  readonly lockTimeoutMillis?: number
  /** How long one statement may run on the replica: past it, the primary does it. Default 3 s. */
  readonly replicaReadMillis?: number
  /** Default: the machine's. */
  readonly timing?: Timing
}

/** How much later than the end of a statement the server's report of it may arrive. */
const ANSWER_MILLIS = 1_000
/** How long a replica may take to accept a connection, and to say how far it is: it must not cost a call much. */
const REPLICA_ANSWER_MILLIS = 500
/** How long statements may continue when the handle is closed. */
const CLOSE_MILLIS = 500
/** How long a transaction of models may take if it has no budget. */
const TRANSACTION_MILLIS = 30_000
/** When to check for the first time whether the other end of an idle connection still exists. */
const KEEP_ALIVE_MILLIS = 10_000

/** Makes a database handle. Connects when first used. */
export function createDatabase(options: DatabaseOptions): Database {
  const {
    statementTimeoutMillis = (options.limits ?? defaultLimits).statement_timeout,
    statementNames = true,
    timing = systemTiming,
  } = options
  const pool = createPool(options, statementTimeoutMillis)
  const prisma = createPrisma(pool, statementNames)
  const retries: RetryCounts = { conflict: 0, staleStatement: 0 }
  const within = ({ timeoutMillis }: SqlBounds): Sql & PreparedQueryable => {
    const repeated = <T>(attempt: (deadline: number | undefined) => Promise<T>) =>
      withRetries((left) => attempt(deadlineIn(left)), { timeoutMillis }, timing, retries)
    const send = <T>(work: (sql: Sql) => Promise<T>) =>
      repeated((deadline) =>
        withConnection(pool, { deadline, call: undefined }, (client) => work(createSql(client, { deadline }))),
      )
    return {
      query: (text, values) => send((sql) => sql.query(text, values)),
      execute: (text, values) => send((sql) => sql.execute(text, values)),
      run: (statement, values) => repeated((deadline) => runPreparedOn(pool, statement, values, deadline, undefined)),
    }
  }
  const unbounded = within({ timeoutMillis: undefined })
  const replica = openReplica(options, unbounded, timing)
  const run: CallPaths['run'] = (call, statement, values) =>
    withRetries(() => runPreparedOn(pool, statement, values, undefined, call), NO_BUDGET, timing, retries)
  const paths: CallPaths = {
    run,
    read: replica === undefined ? run : readsOn(replica, run),
    transact: (call, work, transactionOptions) =>
      withRetries(
        (left) =>
          runTransaction(pool, work, transactionOptions, {
            deadline: deadlineIn(left),
            call,
            statementMillis: Math.min(left ?? statementTimeoutMillis, statementTimeoutMillis),
          }),
        transactionOptions,
        timing,
        retries,
      ),
  }
  const database: Database = {
    connectionString: sessionUrl(options),
    pool,
    replica,
    prisma,
    retries,
    models: prisma,
    ...unbounded,
    within,
    run: (statement, values) => run(undefined, statement, values),
    reads: { models: prisma, run: (statement, values) => paths.read(undefined, statement, values) },
    preparedTransaction: (work, transactionOptions = {}) => paths.transact(undefined, work, transactionOptions),
    transaction: (work, transactionOptions = {}) =>
      withRetries(
        (left = TRANSACTION_MILLIS) =>
          runModelTransaction(prisma, work, transactionOptions, {
            leftMillis: left,
            statementMillis: statementTimeoutMillis,
          }),
        transactionOptions,
        timing,
        retries,
      ),
    readSnapshot: (statements) =>
      readSnapshot(async () => (await replica?.beginSnapshot()) ?? beginSnapshot(pool), statements),
    forCall: (call, organizationId) => new CallDatabase(database, paths, call, organizationId),
    stop: (call, reason) => {
      pool.stop(call, reason)
      replica?.pool.stop(call, reason)
    },
    close: async () => {
      await Promise.all([prisma.$disconnect(), pool.close(CLOSE_MILLIS), replica?.pool.close(CLOSE_MILLIS)])
    },
  }
  return database
}

const NO_BUDGET = {}

/** Statements that may run on the replica do, if it can. */
function readsOn(replica: Replica, onPrimary: CallPaths['run']): CallPaths['read'] {
  return async (call, statement, values) =>
    (await replica.run(statement, values, call)) ?? onPrimary(call, statement, values)
}

function openReplica(options: DatabaseOptions, primary: Sql, timing: Timing): Replica | undefined {
  const { replicaConnectionString, replicaReadMillis: readMillis = 3_000, log } = options
  if (replicaConnectionString === undefined) return undefined
  const pool = createPool(
    {
      ...options,
      connectionString: replicaConnectionString,
      connectionTimeoutMillis: REPLICA_ANSWER_MILLIS,
      maxWaitMillis: REPLICA_ANSWER_MILLIS,
    },
    readMillis,
  )
  return createReplica({
    pool,
    primary,
    log,
    timing,
    answerMillis: REPLICA_ANSWER_MILLIS,
    readMillis,
  })
}

function deadlineIn(millis: number | undefined): number | undefined {
  return millis === undefined ? undefined : performance.now() + millis
}

function createPool(options: DatabaseOptions, statementTimeoutMillis: number): BoundedPool {
  const { limits = defaultLimits } = options
  const pool = new BoundedPool({
    config: {
      ...sessionConfig(options, {
        ...limits,
        statement_timeout: statementTimeoutMillis,
        lock_timeout: options.lockTimeoutMillis ?? limits.lock_timeout,
      }),
      application_name: 'svc',
      max: options.maxConnections ?? 10,
      connectionTimeoutMillis: options.connectionTimeoutMillis ?? 5_000,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MILLIS,
    },
    statementNames: options.statementNames ?? true,
    sessions: options.sessions ?? 'server',
    waiting: { maxWaiting: options.maxWaiting ?? 1_024, maxWaitMillis: options.maxWaitMillis ?? 3_000 },
    maxSilenceMillis: statementTimeoutMillis + ANSWER_MILLIS,
  })
  // The error itself contains the whole client; its message is enough.
  pool.on('error', ({ message }) =>
    options.log.warn({ err: new Error(message) }, 'an idle database connection was lost'),
  )
  return pool
}
