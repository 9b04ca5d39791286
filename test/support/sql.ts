import type pg from 'pg'
import type { Database as ServiceDatabase } from '../../src/db/database.js'
import type { Tables, TransactionOptions } from '../../src/db/tables.js'

/** A row of a response: values by column. */
export type Row = pg.QueryResultRow

/** Sends SQL of a test. */
export interface Sql {
  /** Returns the rows; numbers of eight bytes are texts. */
  query<R extends Row>(text: string, values?: readonly unknown[]): Promise<R[]>
  execute(text: string, values?: readonly unknown[]): Promise<void>
}

/** A database with the SQL of a test, in its transactions too. */
export interface Database extends ServiceDatabase, Sql {
  transaction<T>(work: (tables: Tables & Sql) => Promise<T>, options?: TransactionOptions): Promise<T>
}

/** SQL that is sent as the statements of the tables are. */
export function sqlOn({ run }: Pick<Tables, 'run'>): Sql {
  const send = (text: string, values: readonly unknown[] = []) =>
    run<unknown, Row>({ name: 'test', columns: {}, text, planned: 'anew', values: () => [...values] }, undefined)
  return {
    query: async <R extends Row>(text: string, values?: readonly unknown[]) =>
      (await send(text, values)).map(
        (row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, textOf(value)])) as R,
      ),
    execute: async (text, values) => {
      await send(text, values)
    },
  }
}

function textOf(value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

/** The same database, with SQL. */
export function withSql(database: ServiceDatabase): Database {
  return {
    ...database,
    ...sqlOn(database),
    transaction: (work, options) => database.transaction((tables) => work({ ...tables, ...sqlOn(tables) }), options),
  }
}
