import type pg from 'pg'

/**
 * Where SQL can be sent: the pool, or the transaction that a caller has begun. Domain code takes it as a parameter.
 * A statement with a name is prepared once per connection; a name stands for one text for ever.
 */
export interface Sql {
  /** Answers the rows. */
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[], name?: string): Promise<Row[]>
  /** Answers how many rows the statement has changed. */
  execute(text: string, values?: readonly unknown[], name?: string): Promise<number>
}

/** SQL on a pool or on one of its connections. Once the signal has aborted, nothing more is sent. */
export function createSql(target: pg.Pool | pg.PoolClient, signal?: AbortSignal): Sql {
  const send = <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[], name: string | undefined) => {
    signal?.throwIfAborted()
    return target.query<Row>({ name, text, values: [...values] })
  }
  return {
    query: async <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = [], name?: string) =>
      (await send<Row>(text, values, name)).rows,
    execute: async (text, values = [], name) => (await send(text, values, name)).rowCount ?? 0,
  }
}
