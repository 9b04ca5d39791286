import type pg from 'pg'
import type { SnapshotRow } from './queryable.js'
import type { PreparedStatement } from './statement.js'

/** Rows that are fetched at a time. */
const FETCH_ROWS = 500

/**
 * Gives the rows of statements without parameters one by one, all as of one moment, however many there are and however
 * slowly they are taken. Holds a connection until the last one is taken or the caller turns away.
 */
export async function* readSnapshot<Row>(
  pool: pg.Pool,
  statements: readonly PreparedStatement<object, Row>[],
): AsyncGenerator<SnapshotRow<Row>> {
  const client = await pool.connect()
  let isWhole = false
  try {
    await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
      SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0`)
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
    // A connection that is given up takes its transaction with it, whatever it was in the middle of.
    client.release(!isWhole)
  }
}
