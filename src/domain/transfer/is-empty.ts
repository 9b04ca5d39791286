import type { Sql } from '../../db/sql.js'

/** Whether the database has no organization, and so nothing at all. */
export async function isEmpty(sql: Sql): Promise<boolean> {
  const [row] = await sql.query<{ is_empty: boolean }>('SELECT NOT EXISTS (SELECT FROM organizations) AS is_empty')
  return row?.is_empty === true
}
