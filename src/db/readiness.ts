import pg from 'pg'
import type { Database } from './database.js'
import { diagnoseDatabase, LEAST_FREE_BYTES } from './diagnosis.js'
import { isUnanswered } from './errors.js'
import { loadMigrations } from './migrate.js'
import { withSession } from './session.js'
import { runOn } from './statement.js'
import type { Tables } from './tables.js'

/** Why calls cannot be answered, in a few words that reveal no internals; empty if they can. */
export type DatabaseFaults = Readonly<Partial<Record<'database' | 'migrations' | 'disk', string>>>

export interface ReadinessOptions {
  readonly database: Pick<Database, 'connectionString' | 'pool'>
  /** The database past the pooler that `database` goes through; absent if there is none. */
  readonly directUrl?: string | undefined
  /** Where it is logged why the database is not ready. A pino logger fits. */
  readonly log: { warn(fields: { err: unknown }, message: string): void }
  /**
   * How long a result is reused, so that many probes cause no load. Default 1 s. If calls cannot be answered, it is
   * reused for 200 ms at most, so that callers do not wait after the database is back.
   */
  readonly maxAgeMillis?: number
  /** Milliseconds since some moment. Default: the machine's. */
  readonly now?: () => number
  /** How many bytes are free on the disk of a folder. Default: as the system says. */
  readonly freeBytes?: (folder: string) => Promise<number>
}

const SESSION = { application_name: 'svc readiness', answerMillis: 2_000 }
/** How long the response is reused that calls cannot be answered. */
const NOT_READY_MILLIS = 200
/** How long every connection of the pool may owe a response: longer than calls need, less than the statement limit. */
const SILENCE_MILLIS = 5_000
const UNDEFINED_TABLE = '42P01'

/**
 * Makes the readiness check. It asks in a new session, so that an exhausted pool is not mistaken for a lost database,
 * and working connections do not hide that new ones fail. If a pooler accepts the connection but gives no session, it
 * is busy, and the database itself is asked. Reuses an answer for `maxAgeMillis`.
 */
export function createReadiness(options: ReadinessOptions) {
  const { database, directUrl, log, maxAgeMillis = 1000, now = () => performance.now(), freeBytes } = options
  const names = loadMigrations().then((migrations) => migrations.map(({ name }) => name))
  names.catch(() => {}) // Whoever asks gets the error.
  let asked: { readonly answer: Promise<DatabaseFaults>; until: number } | undefined

  const askIn = (connectionString: string) =>
    withSession({ ...SESSION, connectionString }, async (client) => judge(client, await names, freeBytes))
  const probe = async (): Promise<DatabaseFaults> => {
    if (database.pool.silentMillis >= SILENCE_MILLIS) return { database: 'no connection answers' }
    try {
      return await askIn(database.connectionString).catch((error: unknown) => {
        if (directUrl === undefined || !isUnanswered(error)) throw error
        return askIn(directUrl)
      })
    } catch (err) {
      if (err instanceof pg.DatabaseError && err.code === UNDEFINED_TABLE) return { migrations: 'are not applied' }
      log.warn({ err }, 'not ready: the database does not answer')
      return { database: 'does not answer' }
    }
  }
  return {
    /** Never rejects, and takes no longer than a few seconds. */
    ask: (): Promise<DatabaseFaults> => {
      const at = now()
      if (asked === undefined || at >= asked.until) {
        // One question at a time.
        const question = { answer: probe(), until: Number.POSITIVE_INFINITY }
        void question.answer.then((reasons) => {
          const isReady = Object.keys(reasons).length === 0
          question.until = at + (isReady ? maxAgeMillis : Math.min(maxAgeMillis, NOT_READY_MILLIS))
        })
        asked = question
      }
      return asked.answer
    },
    /** Waits for the question that is being asked. */
    close: async () => {
      await asked?.answer
    },
  }
}

const APPLIED = `
SELECT count(*)::int AS applied FROM _prisma_migrations
 WHERE migration_name = ANY($1) AND finished_at IS NOT NULL AND rolled_back_at IS NULL`

/** Unknown migrations belong to a later build, which must make sure that this one can continue. */
async function judge(
  client: pg.Client,
  migrations: readonly string[],
  freeBytesOf: ReadinessOptions['freeBytes'],
): Promise<DatabaseFaults> {
  const run: Tables['run'] = (statement, values) => runOn(client, statement, values, { isNamed: false })
  const { onlyReads, freeBytes } = await diagnoseDatabase({ run }, freeBytesOf)
  const { rows } = await client.query<{ applied: number }>(APPLIED, [migrations])
  return {
    ...(onlyReads && { database: 'is read-only' }),
    ...(freeBytes < LEAST_FREE_BYTES && { disk: 'is full' }),
    ...(rows[0]?.applied !== migrations.length && { migrations: 'are not all applied' }),
  }
}
