import pg from 'pg'
import { CONNECTION_TIMEOUT, databaseFailure } from './errors.js'
import type { PreparedStatement } from './statement.js'

/** A row of an answer: values by column. */
export type Row = pg.QueryResultRow

/** Where SQL can be sent that is no statement of a store: the pool, or a transaction that a caller has begun. */
export interface Sql {
  /** Answers the rows. */
  query<R extends Row>(text: string, values?: readonly unknown[]): Promise<R[]>
  /** Answers how many rows the statement has changed. */
  execute(text: string, values?: readonly unknown[]): Promise<number>
}

/** Until when statements are of use to whoever sent them. */
export interface StatementBounds {
  /** Nothing more is sent once it has aborted. */
  readonly signal?: AbortSignal | undefined
  /** On the clock of `performance.now`. A connection that has not answered a moment later is given up. */
  readonly deadline?: number | undefined
}

/** How much later than the deadline an answer may come: the server says in that time that it has ended the statement. */
const ANSWER_MILLIS = 1_000

/** SQL on one connection. */
export function createSql(client: pg.PoolClient, { signal, deadline }: StatementBounds = {}): Sql {
  const send = <R extends Row>(text: string, values: readonly unknown[]) => {
    signal?.throwIfAborted()
    return client.query<R>(boundedQuery({ text, values: [...values] }, deadline))
  }
  return {
    query: async <R extends Row>(text: string, values: readonly unknown[] = []) => (await send<R>(text, values)).rows,
    execute: async (text, values = []) => (await send(text, values)).rowCount ?? 0,
  }
}

/** Runs a prepared statement on one connection. */
export async function runPrepared<Parameters, Row>(
  client: pg.PoolClient,
  statement: PreparedStatement<Parameters, Row>,
  parameters: Parameters,
  { signal, deadline }: StatementBounds,
): Promise<Row[]> {
  signal?.throwIfAborted()
  const { name, text, planned } = statement
  // One shape for all of them: this is the path of nearly every call.
  const query = {
    name: planned === 'once' ? name : '',
    text,
    values: statement.values(parameters),
    types,
    query_timeout: deadline === undefined ? 0 : answerMillis(deadline),
  }
  return (await client.query<Row & pg.QueryResultRow>(query)).rows
}

/** Reads values as Prisma does, so that the rows of a statement are the same on every path. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => {
    if (oid === pg.types.builtins.INT8) return BigInt
    if (oid === pg.types.builtins.DATE) return (text: string) => new Date(text)
    return pg.types.getTypeParser(oid, format)
  },
}

/** Adds the bound that pg itself keeps: past it the statement fails, and its connection is of no more use. */
export function boundedQuery<Query extends pg.QueryConfig>(query: Query, deadline: number | undefined): Query {
  return deadline === undefined ? query : { ...query, query_timeout: answerMillis(deadline) }
}

function answerMillis(deadline: number): number {
  return Math.max(0, Math.ceil(deadline - performance.now())) + ANSWER_MILLIS
}

/**
 * Runs the work on a connection of the pool, which is given back, or given up where it is of no more use. Nobody waits for
 * a connection past the deadline.
 */
export async function withConnection<T>(
  pool: pg.Pool,
  deadline: number | undefined,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await (deadline === undefined ? pool.connect() : connectBefore(pool, deadline))
  let isLost = false
  try {
    return await work(client)
  } catch (error) {
    isLost = databaseFailure(error)?.kind === 'unavailable'
    throw error
  } finally {
    client.release(isLost)
  }
}

function connectBefore(pool: pg.Pool, deadline: number): Promise<pg.PoolClient> {
  return new Promise((resolve, reject) => {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      reject(new Error(CONNECTION_TIMEOUT))
    }, deadline - performance.now())
    pool.connect((error, client, release) => {
      clearTimeout(timer)
      if (client === undefined) reject(error)
      else if (isLate) release()
      else resolve(client)
    })
  })
}
