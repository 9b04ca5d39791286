import type pg from 'pg'
import { Prisma } from '../../gen/prisma/client.js'
import { createStatement } from './statement.js'
import { firstRow, type Tables } from './tables.js'

/** Where the write-ahead log of the primary ended at some moment: whatever was committed before stands before it. */
export interface LogPosition {
  /** In bytes. */
  readonly lsn: bigint
  /** Positions of different timelines cannot be compared. */
  readonly timeline: number
}

/** What a replica's session says about its server. */
export interface ReplicaState {
  /** False for a primary, such as a former replica that was promoted. */
  readonly isStandby: boolean
  /** Up to here the log of the primary was applied. */
  readonly lsn: bigint
  /** Identifies one run of one server. */
  readonly server: string
  /** Whether long snapshots are safe: the primary keeps the rows that they need. */
  readonly hasFeedback: boolean
}

/** Where the log ends, on a primary; null on a standby. An asynchronous commit counts before it is in the file. */
const position = createStatement<
  Record<never, never>,
  { readonly lsn: string | null; readonly timeline: string | null }
>({
  name: 'read_log_position',
  columns: { lsn: 'text', timeline: 'text' },
  text: () => Prisma.sql`
SELECT (log.position - '0/0')::text AS lsn, left(pg_walfile_name(log.position), 8) AS timeline
  FROM (SELECT CASE WHEN NOT pg_is_in_recovery()
                    THEN CASE current_setting('synchronous_commit')
                              WHEN 'off' THEN pg_current_wal_insert_lsn() ELSE pg_current_wal_flush_lsn() END
                END AS position) AS log`,
})

/** Cheap, because it is asked for each read. */
const stateQuestion = `
SELECT pg_is_in_recovery() AS "isStandby", (pg_last_wal_replay_lsn() - '0/0')::text AS lsn,
       concat_ws(' ', inet_server_addr(), inet_server_port(), extract(epoch FROM pg_postmaster_start_time())) AS server,
       current_setting('hot_standby_feedback')::boolean AS "hasFeedback"`

/** The cluster and the database, which a standby has in common with its primary. */
const origin = `(SELECT system_identifier FROM pg_control_system()) || '/' || current_database()`

const origins = createStatement<Record<never, never>, { readonly origin: string; readonly isDistributed: boolean }>({
  name: 'read_origin',
  columns: { origin: 'text', isDistributed: 'bool' },
  text: () => Prisma.sql`
SELECT ${Prisma.raw(origin)} AS origin, to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS "isDistributed"`,
})

// A standby that has not switched yet, or cannot because it has applied more than the new primary had, stays on the
// timeline before. Only roles that may monitor see that of the receiver; the other two follow within minutes.
const pedigreeQuestion = `
SELECT ${origin} AS origin,
       greatest((SELECT timeline_id FROM pg_control_checkpoint()),
                (SELECT min_recovery_end_timeline FROM pg_control_recovery()),
                (SELECT received_tli FROM pg_stat_wal_receiver)) AS timeline`

/** Where the log of the primary ends now; undefined if the server is a standby itself. */
export async function positionOf(primary: Pick<Tables, 'run'>): Promise<LogPosition | undefined> {
  const row = await firstRow(primary, position, {})
  if (row === undefined || row.lsn === null || row.timeline === null) return undefined
  return { lsn: BigInt(row.lsn), timeline: Number.parseInt(row.timeline, 16) }
}

/** Sends `before`, the question and `after` as one message, so that no pooler comes between them. */
export async function askState(
  client: pg.ClientBase,
  {
    before = '',
    after = '',
    millis,
  }: { readonly before?: string; readonly after?: string | undefined; readonly millis: number },
): Promise<ReplicaState> {
  const text = [before, stateQuestion, after].filter((part) => part !== '').join(';')
  const results: unknown = await client.query({ text, query_timeout: millis })
  const rows = (Array.isArray(results) ? results : [results]).flatMap((result: pg.QueryResult) => result.rows)
  const [row]: (Omit<ReplicaState, 'lsn'> & { readonly lsn: string | null })[] = rows
  if (row === undefined) throw new Error('the replica does not respond')
  return { ...row, lsn: BigInt(row.lsn ?? 0) }
}

/** Says why a server cannot stand in for the primary; undefined if it can, for positions of the primary's timeline. */
export async function findFault(
  primary: Pick<Tables, 'run'>,
  client: pg.ClientBase,
  { timeline }: LogPosition,
  millis: number,
): Promise<string | undefined> {
  const expected = await firstRow(primary, origins, {})
  if (expected?.isDistributed === true)
    return 'the tables are distributed, and its position says nothing about the nodes'
  const query = { text: pedigreeQuestion, query_timeout: millis }
  const { rows } = await client.query<{ origin: string; timeline: number }>(query)
  const [found] = rows
  if (found === undefined || found.origin !== expected?.origin) return 'it is not a replica of this database'
  return found.timeline >= timeline ? undefined : 'it does not follow the primary yet'
}
