import { statfs } from 'node:fs/promises'
import pg from 'pg'
import type { Database } from './database.js'
import { isUnanswered } from './errors.js'
import { loadMigrations } from './migration.js'
import { withSession } from './session.js'

/** What keeps calls from being answered, in a few words that reveal no internals; empty if nothing does. */
export type NotReady = Readonly<Partial<Record<'database' | 'migrations' | 'disk', string>>>

/** Asks whether calls can be answered. */
export type Readiness = ReturnType<typeof createReadiness>

/** What readiness depends on. */
export interface ReadinessOptions {
  readonly database: Pick<Database, 'connectionString' | 'pool'>
  /** The database past the pooler that `database` goes through; absent if there is none. */
  readonly directUrl?: string | undefined
  /** Where it is logged why the database is not ready. A pino logger fits. */
  readonly log: { warn(fields: { err: unknown }, message: string): void }
  /**
   * How long a response is reused, so that probes are no load, whoever sends them. Default 1 s. One that calls cannot
   * be answered is reused for 200 ms at most, so that callers do not wait after the database is back.
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
 * Asks in a new session, so that an exhausted pool is not mistaken for a lost database, and connections that still work
 * do not hide that new ones fail. A pooler that has accepted the connection but gives no session is busy: then the
 * database itself is asked. Reuses a response for `maxAgeMillis`.
 */
export function createReadiness(options: ReadinessOptions) {
  const { database, directUrl, log, maxAgeMillis = 1000, now = () => performance.now() } = options
  const { freeBytes = freeBytesOf } = options
  const names = loadMigrations().then((migrations) => migrations.map(({ name }) => name))
  names.catch(() => {}) // Whoever asks gets the error.
  let asked: { readonly answer: Promise<NotReady>; until: number } | undefined

  const askIn = (connectionString: string) =>
    withSession({ ...SESSION, connectionString }, async (client) => judge(client, await names, freeBytes))
  const probe = async (): Promise<NotReady> => {
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
    ask: (): Promise<NotReady> => {
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

/** Below this, PostgreSQL may not get the next file of its write-ahead log, of 16 MiB, and refuses writes. */
export const LEAST_FREE_BYTES = 32 * 1024 * 1024

/** SQL of the folder of a database on this machine, such as the embedded one; null if it is elsewhere, or not known. */
export const LOCAL_FOLDER = `CASE WHEN inet_server_addr() IS NULL
            AND (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN current_setting('data_directory') END`

/** How many bytes a server could still write; any number if the folder is not one of this machine. */
export async function freeBytesOf(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

const question = `
SELECT current_setting('transaction_read_only')::boolean AS only_reads,
       ${LOCAL_FOLDER} AS folder,
       (SELECT count(*)::int FROM _prisma_migrations
         WHERE migration_name = ANY($1) AND finished_at IS NOT NULL AND rolled_back_at IS NULL) AS applied`

/** Unknown migrations belong to a later build, which must make sure that this one can continue. */
async function judge(
  client: pg.Client,
  migrations: readonly string[],
  freeBytes: NonNullable<ReadinessOptions['freeBytes']>,
): Promise<NotReady> {
  const { rows } = await client.query<{ only_reads: boolean; applied: number; folder: string | null }>(question, [
    migrations,
  ])
  const [row] = rows
  const free = typeof row?.folder === 'string' ? await freeBytes(row.folder) : Number.POSITIVE_INFINITY
  return {
    ...(row?.only_reads !== false && { database: 'is read-only' }),
    ...(free < LEAST_FREE_BYTES && { disk: 'is full' }),
    ...(row?.applied !== migrations.length && { migrations: 'are not all applied' }),
  }
}
