import type pg from 'pg'
import { freeBytesOf, LOCAL_FOLDER } from './readiness.js'
import { compareReplica, type Freshness, stateOf } from './replica-freshness.js'
import { createSession } from './session.js'
import { type SessionOptions, sessionUrl } from './session-settings.js'
import { runOn } from './sql.js'

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
  /** How many bytes are free on its disk, if that is one of this machine and the server reports it. */
  readonly freeBytes: number
}

const ANSWER_MILLIS = 10_000

const question = `
SELECT current_setting('server_version') AS version,
       current_setting('server_version_num')::int / 10000 AS "majorVersion",
       current_setting('transaction_read_only')::boolean AS "onlyReads",
       extract(epoch FROM clock_timestamp()) * 1000 AS millis,
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
         - (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS "freeConnections",
       ${LOCAL_FOLDER} AS folder`

type Answer = Omit<DatabaseDiagnosis, 'clockAheadMillis' | 'freeBytes'> & {
  readonly millis: string
  readonly folder: string | null
}

/** Reads what an operator should know about the database, on a separate connection. `now` is this machine's clock. */
export function diagnoseDatabase(connectionString: string, now: () => Date): Promise<DatabaseDiagnosis> {
  return inSession({ connectionString }, async (client) => {
    await client.query('SELECT') // The first answer of a session takes longer.
    const asked = now().getTime()
    const { rows } = await client.query<Answer>(question)
    const answered = now().getTime()
    if (rows[0] === undefined) throw new Error('the database does not respond')
    const { millis, folder, ...answer } = rows[0]
    const freeBytes = folder === null ? Number.POSITIVE_INFINITY : await freeBytesOf(folder)
    return { ...answer, freeBytes, clockAheadMillis: (asked + answered) / 2 - Number(millis) }
  })
}

/** Compares a replica with its database, on connections of its own. */
export function diagnoseReplica(connectionString: string, replica: SessionOptions): Promise<Freshness> {
  return inSession({ connectionString }, (primary) =>
    inSession(replica, async (standby) => {
      const state = await stateOf({
        run: (statement, values) => runOn(primary, statement, values, { isNamed: false }),
      })
      if (state === undefined) return { fault: 'its primary is a standby', behindBytes: 0, hasFeedback: false }
      return compareReplica(state, standby, { millis: ANSWER_MILLIS })
    }),
  )
}

/** Passes on why it cannot connect as it is: the report says to what. */
async function inSession<T>(options: SessionOptions, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const connectionString = sessionUrl(options)
  const client = createSession({ connectionString, application_name: 'svc doctor', answerMillis: ANSWER_MILLIS })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
