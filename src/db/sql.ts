import type pg from 'pg'

/** A row of an answer: values by column. */
export type Row = pg.QueryResultRow

/**
 * Where SQL can be sent: the pool, or the transaction that a caller has begun. Domain code takes it as a parameter.
 * A statement with a name is prepared once per connection; a name stands for one text for ever.
 */
export interface Sql {
  /** Answers the rows. */
  query<R extends Row>(text: string, values?: readonly unknown[], name?: string): Promise<R[]>
  /** Answers how many rows the statement has changed. */
  execute(text: string, values?: readonly unknown[], name?: string): Promise<number>
}

/** SQL on a pool or on one of its connections. Once the signal has aborted, nothing more is sent. */
export function createSql(target: pg.Pool | pg.PoolClient, signal?: AbortSignal): Sql {
  const send = <R extends Row>(text: string, values: readonly unknown[], name: string | undefined) => {
    signal?.throwIfAborted()
    return target.query<R>({ name, text, values: [...values] })
  }
  return {
    query: async <R extends Row>(text: string, values: readonly unknown[] = [], name?: string) =>
      (await send<R>(text, values, name)).rows,
    execute: async (text, values = [], name) => (await send(text, values, name)).rowCount ?? 0,
  }
}
