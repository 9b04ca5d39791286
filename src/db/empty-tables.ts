import type { Sql } from './sql.js'

/** What belongs to the database itself: what was applied to it, and the key that its page tokens are signed with. */
const KEPT = ['_prisma_migrations', 'signing_keys']

/** Deletes every row of every table of the service, in one statement. */
export async function emptyTables(sql: Sql): Promise<void> {
  const [row] = await sql.query<{ names: string }>(
    `SELECT string_agg(quote_ident(tablename), ', ') AS names FROM pg_tables
      WHERE schemaname = current_schema() AND tablename <> ALL ($1)`,
    [KEPT],
  )
  if (row !== undefined) await sql.execute(`TRUNCATE ${row.names}`)
}
