import type { Sql } from './sql.js'

/** Tables of the database itself: its migrations, and the key with which page tokens are signed. */
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
