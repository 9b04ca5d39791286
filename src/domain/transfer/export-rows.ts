import type { Database } from '../../db/database.js'
import { createSql } from '../../db/sql.js'
import { type RecordKind, recordKinds } from './record-kind.js'
import { transferResources } from './resources.js'

/** A record as the database gives it: parts that are absent are null. */
export interface ExportedRow {
  readonly kind: RecordKind
  readonly record: unknown
}

/** Rows that are fetched at a time. */
const FETCH_ROWS = 500

/**
 * Gives every record of the database, each kind in the order of creation, as of one moment. Holds a connection until
 * the last one is taken or the caller turns away.
 */
export async function* exportRows(database: Pick<Database, 'pool'>): AsyncGenerator<ExportedRow> {
  const client = await database.pool.connect()
  const sql = createSql(client)
  let broken = true
  try {
    await sql.execute('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    // However slowly the caller takes.
    await sql.execute('SET LOCAL statement_timeout = 0')
    await sql.execute('SET LOCAL idle_in_transaction_session_timeout = 0')
    await sql.execute('SET LOCAL jit = off')
    for (const kind of recordKinds) {
      await sql.execute(`DECLARE exported NO SCROLL CURSOR FOR ${transferResources[kind].select}`)
      for (;;) {
        const rows = await sql.query<{ record: unknown }>(`FETCH ${FETCH_ROWS} FROM exported`)
        for (const { record } of rows) yield { kind, record }
        if (rows.length < FETCH_ROWS) break
      }
      await sql.execute('CLOSE exported')
    }
    broken = false
  } finally {
    // Ends the transaction as well, whatever it was in the middle of.
    if (broken) client.release(true)
    else {
      await sql.execute('COMMIT')
      client.release()
    }
  }
}
