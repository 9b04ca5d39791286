import type pg from 'pg'
import type { BoundedPool } from './pool.js'
import type { Statement } from './statement.js'

/** A row of a snapshot, with the index of its statement. */
export interface SnapshotRow<Row> {
  readonly index: number
  readonly row: Row
}

/** Rows per fetch. */
const FETCH_ROWS = 500

/**
 * Yields the rows of statements without parameters one by one, all as of one moment, however many there are and however
 * slowly they are read. Holds a connection, in the transaction that `begin` has begun, until the last one is read or
 * the caller stops.
 */
export async function* readSnapshot<Row>(
  begin: () => Promise<pg.PoolClient>,
  statements: readonly Statement<object, Row>[],
): AsyncGenerator<SnapshotRow<Row>> {
  const client = await begin()
  let isWhole = false
  try {
    for (const [index, { text }] of statements.entries()) {
      await client.query(`DECLARE snapshot NO SCROLL CURSOR FOR ${text}`)
      for (;;) {
        const { rows } = await client.query<Row & pg.QueryResultRow>(`FETCH ${FETCH_ROWS} FROM snapshot`)
        for (const row of rows) yield { index, row }
        if (rows.length < FETCH_ROWS) break
      }
      await client.query('CLOSE snapshot')
    }
    await client.query('COMMIT')
    isWhole = true
  } finally {
    // Giving up a connection ends its transaction too, whatever state it is in.
    client.release(!isWhole)
  }
}

/** Begins a transaction that reads as of one moment, for as long as it takes. */
export const BEGIN_SNAPSHOT = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0`

/** A connection of the pool with such a transaction. */
export async function beginSnapshot(pool: BoundedPool): Promise<pg.PoolClient> {
  const client = await pool.connect()
  try {
    await client.query(BEGIN_SNAPSHOT)
    return client
  } catch (error) {
    client.release(true)
    throw error
  }
}
