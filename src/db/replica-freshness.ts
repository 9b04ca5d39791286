import type pg from 'pg'
import { Prisma } from '../../gen/prisma/client.js'
import { createStatement } from './statement.js'
import { firstRow, type Tables } from './tables.js'

/** What a server says of its write-ahead log and of itself. */
interface State {
  /** False for a primary, such as a former replica that was promoted. */
  readonly isStandby: boolean
  /** In bytes: where the log of a primary ends, and up to where a standby has applied it. */
  readonly lsn: string
  /** Positions of different timelines cannot be compared. */
  readonly timeline: number
  /** The cluster and the database, which a standby has in common with its primary. */
  readonly origin: string
  readonly isDistributed: boolean
  /** Whether long snapshots on it are safe: the primary keeps the rows that they need. */
  readonly hasFeedback: boolean
}

/**
 * What a replica is good for; `fault` is why it cannot stand in for the primary, and `behindBytes` how much of the log
 * it has still to apply. Whatever was committed before the primary was asked stands before the end of its log.
 */
export interface Freshness extends Pick<State, 'hasFeedback'> {
  readonly fault: string | undefined
  readonly behindBytes: number
}

// Asked for each read. An asynchronous commit counts before it is in the file. A standby that has not switched to a new
// timeline yet, or cannot because it has applied more than the new primary had, stays on the one before. Only roles that
// may monitor see that of the receiver; the other two follow within minutes.
const logState = createStatement<Record<never, never>, State>({
  name: 'read_log_state',
  columns: {
    isStandby: 'bool',
    lsn: 'text',
    timeline: 'int4',
    origin: 'text',
    isDistributed: 'bool',
    hasFeedback: 'bool',
  },
  text: () => Prisma.sql`
SELECT s."isStandby", (s.position - '0/0')::text AS lsn,
       CASE WHEN s."isStandby"
            THEN greatest((pg_control_checkpoint()).timeline_id, (pg_control_recovery()).min_recovery_end_timeline,
                          (pg_stat_get_wal_receiver()).received_tli)
            ELSE ('x' || left(pg_walfile_name(s.position), 8))::bit(32)::int END AS timeline,
       (pg_control_system()).system_identifier || '/' || current_database() AS origin,
       to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS "isDistributed",
       current_setting('hot_standby_feedback')::boolean AS "hasFeedback"
  FROM (SELECT pg_is_in_recovery() AS "isStandby",
               CASE WHEN pg_is_in_recovery() THEN coalesce(pg_last_wal_replay_lsn(), '0/0')
                    WHEN current_setting('synchronous_commit') = 'off' THEN pg_current_wal_insert_lsn()
                    ELSE pg_current_wal_flush_lsn() END AS position) AS s`,
})

/** Asks a primary; undefined if it is a standby itself. */
export async function stateOf(primary: Pick<Tables, 'run'>): Promise<State | undefined> {
  const state = await firstRow(primary, logState, {})
  return state?.isStandby === false ? state : undefined
}

/** Each statement sees what was applied when it began, so it comes after the question how far the replica is. */
const READ = 'BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY'

/**
 * Begins a transaction that reads on a replica, and compares it with the state that its primary had before. `after` is
 * sent with the question as one message, so that no pooler comes between them.
 */
export async function beginCompared(
  primary: State,
  client: pg.ClientBase,
  millis: number,
  after: readonly string[] = [],
): Promise<Freshness> {
  const text = [READ, logState.text, ...after].join('; ')
  const results: unknown = await client.query({ text, query_timeout: millis })
  const [, answer]: pg.QueryResult<State>[] = Object(results)
  const replica = answer?.rows[0]
  if (replica === undefined) throw new Error('the replica does not respond')
  const behindBytes = Math.max(0, Number(BigInt(primary.lsn) - BigInt(replica.lsn)))
  return { fault: faultOf(primary, replica), behindBytes, hasFeedback: replica.hasFeedback }
}

function faultOf(primary: State, replica: State): string | undefined {
  if (!replica.isStandby) return 'it is not a standby'
  if (primary.isDistributed) return 'the tables are distributed, and its position says nothing about the nodes'
  if (replica.origin !== primary.origin) return 'it is not a replica of this database'
  return replica.timeline >= primary.timeline ? undefined : 'it does not follow the primary yet'
}
