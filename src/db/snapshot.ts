import type pg from 'pg'
import type { BoundedPool } from './pool.js'
import type { Statement } from './statement.js'

const FETCH_ROWS = 500

/**
 * Yields the rows of statements with the same parameters in batches, all as of one moment, however many there are and
 * however slowly they are read. Ends the transaction and releases the connection when the last row is read or the
 * caller stops.
 */
export async function* readSnapshot<Parameters, Row>(
  client: pg.PoolClient,
  statements: readonly Statement<Parameters, Row>[],
  parameters: Parameters,
): AsyncGenerator<Row[]> {
  try {
    for (const { text, values } of statements) {
      await client.query(`DECLARE snapshot NO SCROLL CURSOR FOR ${text}`, values(parameters))
      for (;;) {
        const { rows } = await client.query<Row & pg.QueryResultRow>(`FETCH ${FETCH_ROWS} FROM snapshot`)
        yield rows
        if (rows.length < FETCH_ROWS) break
      }
      await client.query('CLOSE snapshot')
    }
  } finally {
    endReading(client)
  }
}

/** Returns a connection once its transaction, which has only read, has ended; no one waits for that. */
export function endReading(client: pg.PoolClient): void {
  client.query('COMMIT').then(
    () => client.release(),
    (error: Error) => client.release(error),
  )
}

/** Begin a transaction that reads as of one moment, without time limits; separate as in `beginTexts`. */
export const BEGIN_SNAPSHOT = [
  'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  'SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0',
]

/** A connection in a transaction that `BEGIN_SNAPSHOT` began; the end of the call cancels it. */
export async function beginSnapshot(pool: BoundedPool, call: object | undefined): Promise<pg.PoolClient> {
  const client = await pool.connect()
  try {
    pool.beginFor(call, client)
    for (const text of BEGIN_SNAPSHOT) await client.query(text)
    return client
  } catch (error) {
    client.release(true)
    throw error
  }
}
