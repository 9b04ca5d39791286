import pg from 'pg'
import type { Statement } from './statement.js'

declare module 'pg' {
  interface QueryConfig {
    /** In milliseconds; past it the query fails, and its connection is unusable. 0 is no limit. */
    query_timeout?: number
  }
}

/** How a statement is sent, and how long its result is of use to its sender. */
export interface StatementBounds {
  /** Whether it is prepared under its name. */
  readonly isNamed: boolean
  /** Asked before each statement. Throws when nothing more must be sent. */
  readonly throwIfOver?: (() => void) | undefined
  /** On the clock of `performance.now`. A connection that has not answered shortly afterwards is given up. */
  readonly deadline?: number | undefined
}

/** How long after the deadline a response may come: in that time the server reports that it has ended the statement. */
export const ANSWER_MILLIS = 1_000

/** Runs a statement on one connection and returns its rows. */
export async function runOn<Parameters, Row>(
  client: pg.ClientBase,
  statement: Statement<Parameters, Row>,
  parameters: Parameters,
  { throwIfOver, deadline, isNamed }: StatementBounds,
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
