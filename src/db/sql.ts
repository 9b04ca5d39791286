import pg from 'pg'
import type { Statement } from './statement.js'

declare module 'pg' {
  interface QueryConfig {
    /** In milliseconds; past it the query fails, and its connection is unusable. 0 is no limit. */
    query_timeout?: number
  }
}

/** A row of a response: values by column. */
export type Row = pg.QueryResultRow

/** Sends SQL that is not a statement of a store. */
export interface Sql {
  /** Returns the rows. */
  query<R extends Row>(text: string, values?: readonly unknown[]): Promise<R[]>
  /** Returns how many rows the statement has changed. */
  execute(text: string, values?: readonly unknown[]): Promise<number>
}

/** How long the result of a statement is of use to its sender. */
export interface StatementBounds {
  /** Asked before each statement. Throws when nothing more must be sent. */
  readonly throwIfOver?: (() => void) | undefined
  /** On the clock of `performance.now`. A connection that has not answered shortly afterwards is given up. */
  readonly deadline?: number | undefined
}

/** How long after the deadline a response may come: in that time the server reports that it has ended the statement. */
const ANSWER_MILLIS = 1_000

/** SQL on one connection. */
export function createSql(client: pg.PoolClient, { throwIfOver, deadline }: StatementBounds): Sql {
  const send = <R extends Row>(text: string, values: readonly unknown[] = []) => {
    throwIfOver?.()
    return client.query<R>({ text, values: [...values], query_timeout: answerMillis(deadline) })
  }
  return {
    query: async <R extends Row>(text: string, values?: readonly unknown[]) => (await send<R>(text, values)).rows,
    execute: async (text, values) => (await send(text, values)).rowCount ?? 0,
  }
}

/** Runs a statement on one connection and returns its rows. */
export async function runOn<Parameters, Row>(
  client: pg.PoolClient,
  statement: Statement<Parameters, Row>,
  parameters: Parameters,
  { throwIfOver, deadline, isNamed }: StatementBounds & { readonly isNamed: boolean },
): Promise<Row[]> {
  throwIfOver?.()
  const { name, text, planned, values } = statement
  const query = {
    name: isNamed && planned === 'once' ? name : '',
    text,
    values: values(parameters),
    types,
    query_timeout: answerMillis(deadline),
  }
  return (await client.query<Row & pg.QueryResultRow>(query)).rows
}

/** On the clock of `performance.now`; undefined without a limit. */
export function deadlineIn(millis: number | undefined): number | undefined {
  return millis === undefined ? undefined : performance.now() + millis
}

/** Reads values as Prisma does, so that a statement has the same rows on every path. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => {
    if (oid === pg.types.builtins.INT8) return BigInt
    if (oid === pg.types.builtins.DATE) return (text: string) => new Date(text)
    return pg.types.getTypeParser(oid, format)
  },
}

/** How long a response by the deadline may take; 0, which is as long as it takes, if there is none. */
export function answerMillis(deadline: number | undefined): number {
  return deadline === undefined ? 0 : Math.max(0, Math.ceil(deadline - performance.now())) + ANSWER_MILLIS
}

/** Tables of the database itself: its migrations, and the key with which page tokens are signed. */
const KEPT = ['_prisma_migrations', 'signing_keys']

/** Deletes every row of every table of the service, in one statement. */
export async function emptyTables(sql: Sql): Promise<void> {
  const [row] = await sql.query<{ names: string }>(
    `SELECT string_agg(quote_ident(tablename), ', ') AS names FROM pg_tables
      WHERE schemaname = current_schema() AND tablename <> ALL ($1)`,
    [KEPT],
  )
  if (row !== undefined) await sql.execute(`TRUNCATE ${row.names}`)
}
