import pg from 'pg'
import { defaultLimits, sessionConfig } from './session-settings.js'

/** What a database reports about itself to a session of the service. */
export interface DatabaseDiagnosis {
  /** Such as `15.4`. */
  readonly version: string
  readonly majorVersion: number
  readonly onlyReads: boolean
  /** How far the clock of this machine is ahead of the database's, in milliseconds; negative if it is behind. */
  readonly clockAheadMillis: number
  /** How many more sessions the server accepts. */
  readonly freeConnections: number
}

const ANSWER_MILLIS = 10_000

const question = `
SELECT current_setting('server_version') AS version,
       current_setting('server_version_num')::int / 10000 AS "majorVersion",
       current_setting('transaction_read_only')::boolean AS "onlyReads",
       extract(epoch FROM clock_timestamp()) * 1000 AS millis,
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
         - (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS "freeConnections"`

interface Answer extends Pick<DatabaseDiagnosis, 'version' | 'majorVersion' | 'onlyReads' | 'freeConnections'> {
  readonly millis: string
}

/** Reads what an operator should know about the database, on a separate connection. `now` is this machine's clock. */
export async function diagnoseDatabase(connectionString: string, now: () => Date): Promise<DatabaseDiagnosis> {
  const client = new pg.Client({
    ...sessionConfig({ connectionString }, defaultLimits),
    application_name: 'svc doctor',
    connectionTimeoutMillis: ANSWER_MILLIS,
    query_timeout: ANSWER_MILLIS,
  })
  client.on('error', () => {}) // The query fails with the same error.
  await client.connect()
  try {
    await client.query('SELECT') // The first answer of a session takes longer.
    const asked = now().getTime()
    const { rows } = await client.query<Answer>(question)
    const answered = now().getTime()
    const [answer] = rows
    if (answer === undefined) throw new Error('the database gives no answer')
    const { version, majorVersion, onlyReads, freeConnections, millis } = answer
    return {
      version,
      majorVersion,
      onlyReads,
      freeConnections,
      clockAheadMillis: (asked + answered) / 2 - Number(millis),
    }
  } finally {
    await client.end()
  }
}
