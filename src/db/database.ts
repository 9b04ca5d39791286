import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { type Prisma, PrismaClient } from '../../gen/prisma/client.js'
import { createSql, type Sql } from './sql.js'
import { runTransaction, systemTiming, type Timing, type TransactionOptions, withRetries } from './transaction.js'

/** How to reach a database. */
export interface DatabaseOptions {
  /** A `postgresql://` URL. */
  readonly connectionString: string
  /** Told about connections that fail while nobody uses them. A pino logger fits. */
  readonly log: { warn(fields: { err: Error }, message: string): void }
  /** Connections of this process, at most. Default 10. */
  readonly maxConnections?: number
  /** How long a caller waits for a connection. Default 5 s. */
  readonly connectionTimeoutMillis?: number
  /** How long one statement may run. Default 30 s. */
  readonly statementTimeoutMillis?: number
  /** How long a statement may wait for a lock. Default 10 s. */
  readonly lockTimeoutMillis?: number
  /** Default: the machine's. */
  readonly timing?: Timing
}

/** One pool of connections, with SQL and Prisma on it. `query` and `execute` run outside of any transaction. */
export interface Database extends Sql {
  readonly pool: pg.Pool
  readonly prisma: PrismaClient
  /** Runs SQL in one transaction, which is repeated as a whole when it loses against another one. */
  transaction<T>(work: (sql: Sql) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** The same with Prisma; raw statements in it go through `$queryRaw`. */
  prismaTransaction<T>(
    work: (prisma: Prisma.TransactionClient) => Promise<T>,
    options?: Omit<TransactionOptions, 'readOnly'>,
  ): Promise<T>
  /** Waits for what runs, then closes every connection. */
  close(): Promise<void>
}

/** A session that has begun a transaction and does nothing holds locks; it is cut after this time. */
const IDLE_IN_TRANSACTION_MILLIS = 60_000
/** Texts that Prisma may have prepared per connection; lists of different lengths are different texts. */
const MAX_PREPARED = 500

/** Makes a database handle. Connects when first used. */
export function createDatabase(options: DatabaseOptions): Database {
  const { statementTimeoutMillis = 30_000, connectionTimeoutMillis = 5_000, timing = systemTiming } = options
  const pool = new pg.Pool({
    connectionString: withSessionSettings(options.connectionString),
    application_name: 'svc',
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    statement_timeout: statementTimeoutMillis,
    lock_timeout: options.lockTimeoutMillis ?? 10_000,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MILLIS,
  })
  // The error itself carries the whole client; its message says what there is to know.
  pool.on('error', ({ message }) =>
    options.log.warn({ err: new Error(message) }, 'an idle database connection was lost'),
  )
  const adapter = new PrismaPg(pool, { statementNameGenerator: createStatementNames() })
  const prisma = new PrismaClient({ adapter })
  return {
    pool,
    prisma,
    ...createSql(pool),
    transaction: (work, transactionOptions = {}) =>
      withRetries(
        (left = statementTimeoutMillis) =>
          runTransaction(pool, work, transactionOptions, Math.min(left, statementTimeoutMillis)),
        transactionOptions,
        timing,
      ),
    prismaTransaction: (work, transactionOptions = {}) =>
      withRetries(
        (left = statementTimeoutMillis) =>
          prisma.$transaction(
            async (client) => {
              const result = await work(client)
              transactionOptions.signal?.throwIfAborted()
              return result
            },
            {
              isolationLevel: transactionOptions.isolationLevel ?? 'ReadCommitted',
              maxWait: connectionTimeoutMillis,
              timeout: left,
            },
          ),
        transactionOptions,
        timing,
      ),
    close: async () => {
      await prisma.$disconnect()
      await pool.end()
    },
  }
}

/**
 * Adds what every session must have, whatever the server's defaults: Prisma's adapter reads times as if the session
 * were in UTC. Statements that PostgreSQL believes to be long are not compiled (`jit`): that takes longer than any of them.
 */
function withSessionSettings(connectionString: string): string {
  const url = new URL(connectionString)
  const given = url.searchParams.get('options')
  url.searchParams.set('options', `${given === null ? '' : `${given} `}-c TimeZone=UTC -c DateStyle=ISO -c jit=off`)
  return url.href
}

/** Names for Prisma's statements, the same for the same text; none past the limit, so that servers' memory is bounded. */
function createStatementNames(): (query: { sql: string }) => string {
  const names = new Map<string, string>()
  return ({ sql }) => {
    const known = names.get(sql)
    if (known !== undefined || names.size === MAX_PREPARED) return known ?? ''
    const name = `prisma_${names.size}`
    names.set(sql, name)
    return name
  }
}
