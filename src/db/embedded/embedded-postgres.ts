import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { codeOf } from '../errors.js'
import { withSession } from '../session.js'
import { prepareBinaries } from './binaries.js'
import { ensureCluster } from './cluster.js'
import { ensureSocketDirectory, type Place, resolvePlace } from './place.js'
import { isPostmaster, readPidFile, type StartedPostmaster, spawnPostmaster, stopPostmaster } from './postmaster.js'
import { adminSession, openUseSession, type UseSession } from './session.js'

/** A running embedded PostgreSQL that this process uses. */
export type EmbeddedPostgres = Awaited<ReturnType<typeof startEmbeddedPostgres>>

const DATABASE = 'svc'
/** The server releases the locks of a killed process when it notices, within milliseconds. */
const SERVE_LOCK_MILLIS = 1_000
/** Between two attempts to start a server that does not. */
const AGAIN_MILLIS = 500

/**
 * Starts PostgreSQL on the data directory, or joins the server that runs there. Any number of processes may do so at
 * once. Durable: what was committed survives the kill of every process. A server that crashes is started again, as
 * often as it takes. Throws with the server's log if it does not start at first.
 */
export async function startEmbeddedPostgres({
  dataDir,
  log = () => {},
  settings = {},
}: {
  /** Directory of the service's data; made if missing. */
  readonly dataDir: string
  /** Receives progress messages, one line each. */
  readonly log?: (message: string) => void
  /** PostgreSQL settings that override ours. They do not change a server that is already running. */
  readonly settings?: Readonly<Record<string, string>>
}) {
  const place = resolvePlace(dataDir)
  const { session: first, socketDirectory, adopted } = await joinOrStart(place, settings)
  log(`${adopted ? 'joined' : 'started'} the embedded PostgreSQL in ${place.directory}`)
  await ensureDatabase(socketDirectory)
  const logLost = (error: unknown) => log(`lost the embedded PostgreSQL: ${String(error)}`)
  let session = first
  let serves = false
  let stopping: Promise<void> | undefined
  const keep = async (): Promise<void> => {
    await session.ended
    while (stopping === undefined) {
      log('lost the embedded PostgreSQL, joining again')
      try {
        session = (await joinOrStart(place, settings)).session
      } catch (error) {
        // Its disk may be full, for one: as soon as the cause is mended, it starts.
        logLost(error)
        await sleep(AGAIN_MILLIS)
        continue
      }
      if (stopping !== undefined) return leave() // Stopped in the meantime, while there was no session to leave.
      if (serves) await lockServe(session, place)
      await session.ended
    }
  }
  const leave = async () => {
    if (!(await session.leave())) return
    await stopPostmaster(place.dataDirectory)
    log('stopped the embedded PostgreSQL')
  }
  keep().catch(logLost)
  const host = encodeURIComponent(socketDirectory)
  return {
    /** URL of the service's database, for pg and for Prisma alike. */
    connectionString: `postgresql://postgres@localhost:5432/${DATABASE}?host=${host}&sslmode=disable`,
    /** Whether the server was already running: another process uses it, or a killed one left it behind. */
    adopted,
    /** Makes this process the one that serves, until `stop`. Throws with the name of the other if there is one. */
    lockServe: async () => {
      await lockServe(session, place)
      serves = true
    },
    /** Stops using the server. The last process to do so shuts it down and waits for that. */
    stop: () => {
      stopping ??= leave()
      return stopping
    },
  }
}

async function lockServe(session: UseSession, place: Place): Promise<void> {
  const deadline = performance.now() + SERVE_LOCK_MILLIS
  while (!(await session.tryServe())) {
    if (performance.now() < deadline) {
      await sleep(50)
      continue
    }
    throw new Error(
      `another server (${(await session.serving()) ?? 'unknown'}) already serves from ${place.directory}: ` +
        'stop it, use --workers, or set DATABASE_URL to run several servers on one database',
    )
  }
}

async function ensureDatabase(socketDirectory: string): Promise<void> {
  const make = async (client: pg.Client) => {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE])
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`)
  }
  await withSession(adminSession(socketDirectory), make).catch((error: unknown) => {
    // Another process was faster.
    if (!['42P04', '23505'].includes(codeOf(error) ?? '')) throw error
  })
}

const START_MILLIS = 60_000
/** Another process was faster, or the sessions of a killed server are still ending: try again. */
const WORTH_ANOTHER_TRY = /lock file "[^"]*" already exists|is still in use/

const SETTINGS = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '100',
  shared_buffers: '64MB',
  max_wal_size: '512MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
  jit: 'off',
}

/** A session on the server of the place, which is started if it does not run. Throws with the server's log. */
async function joinOrStart(place: Place, settings: Readonly<Record<string, string>>) {
  const deadline = performance.now() + START_MILLIS
  let started: StartedPostmaster | undefined
  let failure: unknown
  for (; performance.now() < deadline; await sleep(started?.ended() ? 100 : 10)) {
    const found = readPidFile(place.dataDirectory)
    if (found !== undefined && isPostmaster(found.pid, place.dataDirectory)) {
      try {
        const session = await openUseSession(found.socketDirectory, found.pid)
        return { session, socketDirectory: found.socketDirectory, adopted: started?.pid !== found.pid }
      } catch (error) {
        failure = error // It is starting or stopping: try again.
      }
    } else if (started === undefined || started.ended()) {
      if (started !== undefined && !WORTH_ANOTHER_TRY.test(started.output())) break
      const binaries = prepareBinaries(place)
      await ensureCluster(place, binaries)
      ensureSocketDirectory(place)
      started = spawnPostmaster(place, binaries, { ...SETTINGS, ...settings }, found?.pid)
    }
  }
  throw new Error(
    `the embedded PostgreSQL in ${place.directory} did not start: ${started?.output() || 'it accepts no session'}`,
    { cause: failure },
  )
}
