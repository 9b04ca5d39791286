import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { withSession } from './session.js'
import { sessionUrl } from './session-settings.js'

/** Prisma Migrate's own advisory lock, so that `prisma migrate` and we do not change the schema at once. */
const PRISMA_LOCK = 72707369
/** How long a table, or the schema, is left to others between two attempts to lock it. */
export const PAUSE_MILLIS = 500

/** Works on the schema in a session of its own, which ends with the work. */
export function withSchemaSession<T>(
  connectionString: string,
  name: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  return withSession({ connectionString: sessionUrl({ connectionString }), application_name: name }, work)
}

/**
 * Keeps others from changing the schema until the session ends. Tries again and again: a session waiting in a statement
 * would block an index that is made concurrently.
 */
export async function lockSchema(client: pg.Client, patienceMillis: number): Promise<void> {
  const end = performance.now() + patienceMillis
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [PRISMA_LOCK])
    if (rows[0]?.locked === true) return
    if (performance.now() >= end) throw new Error('another process is migrating this database: try again later')
    await delay(PAUSE_MILLIS)
  }
}

/** Tables of the database itself: its migrations, and the key with which page tokens are signed. */
const KEPT = ['_prisma_migrations', 'signing_keys']

/** Deletes every row of every table of the service. */
export function emptyTables(connectionString: string): Promise<void> {
  return withSchemaSession(connectionString, 'svc demo', async (client) => {
    const { rows } = await client.query<{ names: string }>(
      `SELECT string_agg(quote_ident(tablename), ', ') AS names FROM pg_tables
        WHERE schemaname = current_schema() AND tablename <> ALL ($1)`,
      [KEPT],
    )
    await client.query(`TRUNCATE ${rows[0]?.names}`)
  })
}
