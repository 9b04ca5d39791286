import type { Row, Sql } from '../db/sql.js'

/** More rows than nearly every list without pages has. */
const USUAL_ROWS = 1_000

/**
 * Makes the reader of a list without pages. The statement is given a LIMIT clause for the rows of the list's owner.
 *
 * A plan that PostgreSQL keeps for a prepared statement is made for an owner with as many rows as all owners have on
 * average: beside one that has nearly all of the table it would read the whole of it for the smallest list. The limit
 * tells that few are expected, so that the kept plan walks the index of the owner. A list that reaches it is read again.
 */
export function createWholeList<R extends Row>(
  name: string,
  statement: (limit: string) => string,
): (sql: Sql, values: readonly unknown[]) => Promise<R[]> {
  const usual = statement(`LIMIT ${USUAL_ROWS}`)
  const whole = statement('LIMIT ALL')
  return async (sql, values) => {
    const rows = await sql.query<R>(usual, values, name)
    return rows.length < USUAL_ROWS ? rows : sql.query<R>(whole, values, `${name}_whole`)
  }
}
