import pg from 'pg'
import { databaseFailure } from './errors.js'
import { BoundedPool, type PoolOptions } from './pool.js'
import { beginCompared, type Freshness, stateOf } from './replica-freshness.js'
import type { Timing } from './retries.js'
import { BEGIN_SNAPSHOT, endReading } from './snapshot.js'
import { runOn } from './sql.js'
import type { Statement } from './statement.js'
import type { Tables } from './tables.js'

/** A replica that reads for the primary whenever it has applied all that was committed when the read began. */
export type Replica = ReturnType<typeof createReplica>

/** How long it may take to accept a connection, and to say how far it is: it must not cost a call much. */
const ANSWER_MILLIS = 500
/** How long a replica that failed is left alone. */
const FAILED_PAUSE_MILLIS = 1_000
/** How long one that is behind is left alone: at first, doubled each time, and at most. */
const BEHIND_PAUSE_MILLIS = { first: 1, most: 1_000 }
const SNAPSHOT = ['COMMIT', ...BEGIN_SNAPSHOT]

/**
 * Makes a replica's handle, whose pool has the options. Connects when first used. The replica may take `readMillis` for
 * a statement, 3 s by default.
 */
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
      const freshness = await beginCompared(state, client, ANSWER_MILLIS, after)
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
    /** Connections to the replica. */
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
      return beginCompared(state, client, ANSWER_MILLIS).finally(() => client.release(true))
    },
    /**
     * Runs a statement that only reads, for a call if one is given; undefined if the primary must do it. Rejects if the
     * primary cannot be asked.
     */
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
