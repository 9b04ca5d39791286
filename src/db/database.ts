import { BoundedPool } from './pool.js'
import { createModelsClient, type Prisma } from './prisma.js'
import { createReplica, type Replica } from './replica.js'
import { type RetryCounts, systemTiming, type Timing } from './retries.js'
import { defaultLimits, type SessionOptions, sessionConfig, sessionUrl } from './session-settings.js'
import { beginSnapshot, readSnapshot, type SnapshotRow } from './snapshot.js'
import type { Sql } from './sql.js'
import type { Statement } from './statement.js'
import type { TablesUser } from './tables.js'
import { type SqlTables, TablesOfUser } from './user-tables.js'

/** One pool of connections, for models, statements and SQL. */
export interface Database extends SqlTables {
  /** The URL of its sessions, with what every one of them has. */
  readonly connectionString: string
  readonly pool: BoundedPool
  /** Undefined if there is none. */
  readonly replica: Replica | undefined
  readonly prisma: Prisma
  readonly retries: Readonly<RetryCounts>
  /** The tables as a user has them: a call, or what has a time limit of its own. */
  readonly tablesFor: (user: TablesUser) => SqlTables
  /** Yields the rows of statements, all as of one moment. Holds a connection until the caller stops. */
  readonly readSnapshot: <Row>(statements: readonly Statement<object, Row>[]) => AsyncGenerator<SnapshotRow<Row>>
  /** No one waits for a call any more: what it still waits for fails with the reason, and is canceled if it runs. */
  readonly stop: (call: object, reason: Error) => void
  /** Waits briefly for running statements, then closes every connection. */
  close(): Promise<void>
}

/** How to reach a database. */
export interface DatabaseOptions extends SessionOptions {
  /** Whether statements are prepared under names, once per connection. Default yes. */
  readonly statementNames?: boolean | undefined
  /** The URL of a replica, which lists and snapshots are read from while it is fresh enough. */
  readonly replicaConnectionString?: string | undefined
  /** Called when connections fail while no one uses them. A pino logger fits. */
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
   * Sessions of a pooler limit statements outside transactions as their role says.
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
  const client = createModelsClient(pool, statementNames)
  const retries: RetryCounts = { conflict: 0, staleStatement: 0 }
  const sources = { pool, client, statementMillis: statementTimeoutMillis, timing, retries }
  const primary = new TablesOfUser({ ...sources, replica: undefined }, {})
  const replica = openReplica(options, primary, timing)
  const tablesFor = (user: TablesUser) => new TablesOfUser({ ...sources, replica }, user)
  const own = tablesFor({})
  return {
    connectionString: sessionUrl(options),
    pool,
    replica,
    prisma: client.prisma,
    retries,
    models: own.models,
    reads: own.reads,
    run: (statement, values) => own.run(statement, values),
    transaction: (work, options) => own.transaction(work, options),
    query: (text, values) => own.query(text, values),
    execute: (text, values) => own.execute(text, values),
    tablesFor,
    readSnapshot: (statements) =>
      readSnapshot(async () => (await replica?.beginSnapshot()) ?? beginSnapshot(pool), statements),
    stop: (call, reason) => {
      pool.stop(call, reason)
      replica?.pool.stop(call, reason)
    },
    close: async () => {
      await Promise.all([client.prisma.$disconnect(), pool.close(CLOSE_MILLIS), replica?.pool.close(CLOSE_MILLIS)])
    },
  }
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
