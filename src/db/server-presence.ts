import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Prisma } from '../../gen/prisma/client.js'
import { withSession } from './session.js'
import { createStatement } from './statement.js'
import type { Tables } from './tables.js'

/** The session of a server is named after its address, which fits in the 63 bytes that PostgreSQL keeps of a name. */
const SESSION_NAME = 'svc at '
const CONNECT_MILLIS = 5_000
const RETRY_MILLIS = 5_000

/** A server that announces itself on its database. */
export type ServerPresence = Awaited<ReturnType<typeof showServer>>

interface ServerPresenceOptions {
  readonly connectionString: string
  readonly origin: string
  /** Aborting it ends the session; unlike `close`, nobody waits for that. */
  readonly signal: AbortSignal
  /** Where it is logged that the server cannot be announced for a while. A pino logger fits. */
  readonly log: { warn(fields: { err: unknown }, message: string): void }
  /** How long to wait before opening a new session. Default 5 s. */
  readonly retryMillis?: number
}

/**
 * Shows a server to `runningServers` by a separate session on the database, which ends with the process, however that
 * ends. A lost session is replaced. Never rejects: the server answers calls all the same.
 */
export async function showServer(options: ServerPresenceOptions) {
  const closing = new AbortController()
  const signal = AbortSignal.any([closing.signal, options.signal])
  let ended: Promise<void> = Promise.resolve()
  await new Promise<void>((tried) => {
    ended = keepSession(options, signal, tried)
  })
  return {
    close: () => {
      closing.abort()
      return ended
    },
  }
}

async function keepSession(options: ServerPresenceOptions, signal: AbortSignal, tried: () => void): Promise<void> {
  const { connectionString, origin, log, retryMillis = RETRY_MILLIS } = options
  const application_name = `${SESSION_NAME}${origin}`
  while (!signal.aborted) {
    const session = { connectionString, application_name, connectionTimeoutMillis: CONNECT_MILLIS, keepAlive: true }
    await withSession(session, async (client) => {
      tried()
      await once(client, 'end', { signal })
    }).catch((err: unknown) => {
      if (!signal.aborted) log.warn({ err }, '"svc status" cannot see this server for now')
    })
    tried()
    // Rejects when it is closed, which ends the loop.
    await sleep(retryMillis, undefined, { signal }).catch(() => undefined)
  }
  // Also if it was to end before it began.
  tried()
}

const sessions = createStatement<{ readonly beginning: string }, { readonly name: string }>({
  name: 'list_server_sessions',
  columns: { name: 'text' },
  text: ({ beginning }) => Prisma.sql`
SELECT application_name AS name
  FROM pg_stat_activity
 WHERE datname = current_database() AND starts_with(application_name, ${beginning})
 ORDER BY backend_start`,
})

/** Base addresses of the servers that run on a database, the oldest first. */
export async function runningServers({ run }: Pick<Tables, 'run'>): Promise<string[]> {
  return (await run(sessions, { beginning: SESSION_NAME })).map(({ name }) => name.slice(SESSION_NAME.length))
}
