import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

/** Prisma Migrate's own advisory lock: whoever changes the schema here and `prisma migrate` exclude each other. */
const PRISMA_LOCK = 72707369
/** How long calls have a table for themselves between two tries for it, and others between two for the schema. */
export const PAUSE_MILLIS = 500

/** Works on the schema in a session of its own, which ends with the work. Throws what ended the session, if anything did. */
export async function withSchemaSession<T>(
  connectionString: string,
  applicationName: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString, application_name: applicationName })
  let lost: Error | undefined
  client.on('error', (error) => {
    lost = error // The next query fails with it.
  })
  await connect(client)
  try {
    return await work(client)
  } catch (error) {
    throw lost ?? error
  } finally {
    await client.end() // Gives the lock back.
  }
}

/** A name with several addresses fails with an error that has no message of its own. */
async function connect(client: pg.Client): Promise<void> {
  try {
    await client.connect()
  } catch (cause) {
    const causes = cause instanceof AggregateError ? cause.errors : [cause]
    const reasons = causes.map((each) => (each instanceof Error ? each.message : String(each)))
    throw new Error(`cannot connect to the database: ${reasons.join(', ')}`, { cause })
  }
}

/**
 * Keeps others from changing the schema until the session ends. Asks again and again: a session that waits in a statement would hold up an index that is made concurrently.
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

/** The rows that a statement of such a session answers. */
export async function rowsOf<Row extends pg.QueryResultRow>(
  client: pg.Client,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  return (await client.query<Row>(text, values)).rows
}
