import pg from 'pg'
import { Prisma } from '../../gen/prisma/client.js'
import { databaseFailure } from './errors.js'
import { BoundedPool, type PoolOptions } from './pool.js'
import type { Timing } from './retries.js'
import { BEGIN_SNAPSHOT, endReading } from './snapshot.js'
import { createStatement, runOn, type Statement } from './statement.js'
import { firstRow, type Tables } from './tables.js'

/** A replica that reads for the primary whenever it has applied all that was committed when the read began. */
export type Replica = ReturnType<typeof createReplica>

/** How long it may take to accept a connection, and to say how far it is: it must not cost a call much. */
const ANSWER_MILLIS = 500
/** How long a replica that failed is left alone. */
const FAILED_PAUSE_MILLIS = 1_000
/** How long one that is behind is left alone: at first, doubled each time, and at most. */
const BEHIND_PAUSE_MILLIS = { first: 1, most: 1_000 }
const SNAPSHOT = ['COMMIT', ...BEGIN_SNAPSHOT]

/** Makes a handle, which connects when first used. A statement may take `readMillis` there, 3 s by default. */
export function createReplica(
  { readMillis = 3_000, ...options }: PoolOptions & { readonly readMillis?: number | undefined },
  primary: Pick<Tables, 'run'>,
  timing: Pick<Timing, 'now'>,
) {
  const pool = new BoundedPool({
    ...options,
    limits: { ...options.limits, statement_timeout: readMillis },
    connectionTimeoutMillis: ANSWER_MILLIS,
    maxWaitMillis: ANSWER_MILLIS,
  })
  /** How many reads went where since the start. */
  const reads = {
    /** To the replica. */
    replica: 0,
    /** To the primary, because the replica had not applied everything yet. */
    behind: 0,
    /** To the primary, because the replica failed or cannot stand in for it. */
    failed: 0,
    /** To the primary without asking: the replica was behind, or failed, a moment ago. */
    skipped: 0,
  }
  let notBefore = 0
  let pauseMillis = 0
  let isFailing = false
  let behindBytes: number | undefined

  const leaveAlone = (millis: number) => {
    pauseMillis = millis
    notBefore = timing.now() + millis
  }
  const giveUp = (error: unknown) => {
    reads.failed++
    leaveAlone(FAILED_PAUSE_MILLIS)
    const err = new Error(error instanceof Error ? error.message : String(error))
    if (!isFailing) options.log.warn({ err }, 'the replica cannot be used: reads go to the primary')
    isFailing = true
  }
  /** A connection in a transaction that sees all that was committed until now, and whether long snapshots are safe. */
  const begin = async (after?: readonly string[]) => {
    const pauseBefore = pauseMillis
    if (timing.now() < notBefore) {
      reads.skipped++
      return undefined
    }
    // After a pause, one tries while the others go on pausing.
    if (pauseBefore > 0) leaveAlone(pauseBefore)
    const state = await stateOf(primary)
    if (state === undefined) return undefined
    let client: pg.PoolClient | undefined
    try {
      client = await pool.connect()
      const freshness = await beginCompared(state, client, after)
      if (freshness.fault !== undefined) throw new Error(freshness.fault)
      behindBytes = freshness.behindBytes
      if (behindBytes === 0) {
        leaveAlone(0)
        isFailing = false
        return { client, hasFeedback: freshness.hasFeedback }
      }
      endReading(client)
      reads.behind++
      // Of several that find it behind at once, one counts.
      leaveAlone(Math.min(BEHIND_PAUSE_MILLIS.most, Math.max(BEHIND_PAUSE_MILLIS.first, pauseBefore * 2)))
    } catch (error) {
      client?.release(true)
      if (databaseFailure(error)?.kind === 'busy') reads.skipped++
      else giveUp(error)
    }
    return undefined
  }
  return {
    pool,
    reads: reads as Readonly<typeof reads>,
    /** How many bytes of the log were still to be applied when last asked; undefined if never asked. */
    get behindBytes() {
      return behindBytes
    },
    /** Compares it with the primary now, whatever was found before. */
    compare: async (): Promise<Freshness> => {
      const state = await stateOf(primary)
      if (state === undefined) return { fault: 'its primary is a standby', behindBytes: 0, hasFeedback: false }
      const client = await pool.connect()
      return beginCompared(state, client).finally(() => client.release(true))
    },
    /** Runs a statement that only reads; undefined if the primary must do it. Rejects if that cannot be asked. */
    run: async <Parameters, Row>(
      statement: Statement<Parameters, Row>,
      values: Parameters,
      call?: object,
    ): Promise<Row[] | undefined> => {
      const begun = await begin()
      if (begun === undefined) return undefined
      const { client } = begun
      let isLost = false
      try {
        pool.beginFor(call, client)
        const bounds = { deadline: performance.now() + readMillis, isNamed: pool.statementNames }
        const rows = await runOn(client, statement, values, bounds)
        reads.replica++
        return rows
      } catch (error) {
        const reason = pool.stopReason(call)
        if (reason !== undefined) throw reason
        // The primary does the same, and reports a fault of the statement.
        isLost = !(error instanceof pg.DatabaseError) || databaseFailure(error)?.kind === 'unavailable'
        if (isLost) giveUp(error)
        else reads.failed++
        return undefined
      } finally {
        pool.finishFor(client)
        if (isLost) client.release(true)
        else endReading(client)
      }
    },
    /**
     * A connection with a transaction that reads as of one moment, however long; undefined if the primary must do it.
     * Rejects if the primary cannot be asked.
     */
    beginSnapshot: async (): Promise<pg.PoolClient | undefined> => {
      const begun = await begin(SNAPSHOT)
      if (begun?.hasFeedback === true) {
        reads.replica++
        return begun.client
      }
      if (begun !== undefined) endReading(begun.client)
      return undefined
    },
  }
}

/** The state of a server and of its write-ahead log. */
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
 * How fresh a replica is: `fault` is why it cannot stand in for the primary, and `behindBytes` how much of the log it
 * still has to apply. Everything committed before the primary was asked is in the log up to the end that it gave.
 */
export interface Freshness extends Pick<State, 'hasFeedback'> {
  readonly fault: string | undefined
  readonly behindBytes: number
}

// Asked for each read. An asynchronous commit counts before it is in the log file. A standby that has not switched to a
// new timeline, or cannot because it has applied more than the new primary had, stays on the old one. Only roles that
// may read all statistics see the timeline of the receiver; the other two follow within minutes.
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
async function stateOf(primary: Pick<Tables, 'run'>): Promise<State | undefined> {
  const state = await firstRow(primary, logState, {})
  return state?.isStandby === false ? state : undefined
}

/** Each statement sees what was applied when it began, so it comes after the question how far the replica is. */
const READ = 'BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY'

/**
 * Begins a transaction that reads on a replica, and compares it with the state that its primary had before. `after` is
 * sent with the question as one message, so that no pooler comes between them.
 */
async function beginCompared(primary: State, client: pg.ClientBase, after: readonly string[] = []): Promise<Freshness> {
  const text = [READ, logState.text, ...after].join('; ')
  const results: unknown = await client.query({ text, query_timeout: ANSWER_MILLIS })
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
