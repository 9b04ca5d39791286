import pg from 'pg'
import { askState, findFault, positionOf } from './replica-freshness.js'
import { type SessionOptions, sessionUrl } from './session-settings.js'

/** What an operator should know about a replica. */
export interface ReplicaDiagnosis {
  /** Why it cannot read for the database; undefined if it can. */
  readonly fault: string | undefined
  /** How much of the write-ahead log it has still to apply. */
  readonly behindBytes: number
  /** Whether snapshots are read on it: the primary keeps the rows that they need. */
  readonly hasFeedback: boolean
}

const ANSWER_MILLIS = 10_000

/** Compares a replica with its database, on connections of its own. */
export async function diagnoseReplica(connectionString: string, replica: SessionOptions): Promise<ReplicaDiagnosis> {
  const primary = createClient({ connectionString })
  const standby = createClient(replica)
  const clients = [primary, standby]
  try {
    for (const client of clients) await client.connect()
    const sql = {
      query: async <Row extends pg.QueryResultRow>(text: string) => (await primary.query<Row>(text)).rows,
    }
    const position = await positionOf(sql)
    if (position === undefined) return { fault: 'its primary is a standby', behindBytes: 0, hasFeedback: false }
    const { isStandby, lsn, hasFeedback } = await askState(standby, { before: '', millis: ANSWER_MILLIS })
    const fault = isStandby ? await findFault(sql, standby, position, ANSWER_MILLIS) : 'it is no standby'
    return { fault, behindBytes: Math.max(0, Number(position.lsn - lsn)), hasFeedback }
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
}

function createClient(options: SessionOptions): pg.Client {
  const client = new pg.Client({
    connectionString: sessionUrl(options),
    application_name: 'svc doctor',
    connectionTimeoutMillis: ANSWER_MILLIS,
    query_timeout: ANSWER_MILLIS,
  })
  client.on('error', () => {}) // The query fails with the same error.
  return client
}
