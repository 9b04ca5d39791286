import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { prepareBinaries } from './binaries.js'
import { ensureCluster } from './cluster.js'
import { ensureSocketDirectory, type Place, removePlace, resolvePlace } from './place.js'
import { isPostmaster, readPidFile, type StartedPostmaster, spawnPostmaster, stopPostmaster } from './postmaster.js'
import { clientConfig, openUseSession, type UseSession } from './session.js'

/** How to start the embedded PostgreSQL. */
export interface EmbeddedPostgresOptions {
  /** Directory of the service's data; made if missing. */
  readonly dataDir: string
  /** Told what happens, one line each. */
  readonly log?: (message: string) => void
  /** PostgreSQL settings over ours. They do not change a server that runs already. */
  readonly settings?: Readonly<Record<string, string>>
}

/** A running embedded PostgreSQL that this process uses. */
export interface EmbeddedPostgres {
  /** URL of the service's database, for pg and for Prisma alike. */
  readonly connectionString: string
  /** Whether it ran already: a server that another process uses, or that a killed one left. */
  readonly adopted: boolean
  /** Makes this process the one that serves; throws, naming the other, when there is one. Ends with `stop`. */
  lockServe(): Promise<void>
  /** Gives up the use. The last process to do so shuts the server down and waits for it. */
  stop(): Promise<void>
}

const DATABASE = 'svc'
const START_MILLIS = 60_000
/** Another process was faster, or the sessions of a killed server still go: look again. */
const WORTH_ANOTHER_TRY = /lock file ".*" already exists|is still in use/
/** A killed process lets go of its locks when the server notices, which takes milliseconds. */
const SERVE_LOCK_MILLIS = 1_000

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

/**
 * Starts PostgreSQL on the data directory, or joins the server that runs there. Any number of processes may do so at
 * once. Durable: what was committed survives the kill of every process. Throws with the end of the server's log.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const place = resolvePlace(options.dataDir)
  const { session, socketDirectory, adopted } = await joinOrStart(place, { ...SETTINGS, ...options.settings })
  options.log?.(`${adopted ? 'joined' : 'started'} the embedded PostgreSQL in ${place.directory}`)
  await ensureDatabase(socketDirectory)
  let stopping: Promise<void> | undefined
  const leave = async () => {
    if (!(await session.leave())) return
    await stopPostmaster(place.dataDirectory)
    options.log?.('stopped the embedded PostgreSQL')
  }
  return {
    connectionString: connectionString(socketDirectory),
    adopted,
    lockServe: () => lockServe(session, place),
    stop: () => {
      stopping ??= leave()
      return stopping
    },
  }
}

/** Stops the server of a data directory, whoever uses it, and deletes its data. */
export async function removeEmbeddedPostgres(dataDir: string): Promise<void> {
  const place = resolvePlace(dataDir)
  await stopPostmaster(place.dataDirectory)
  removePlace(dataDir)
}

interface Joined {
  readonly session: UseSession
  readonly socketDirectory: string
  readonly adopted: boolean
}

async function joinOrStart(place: Place, settings: Record<string, string>): Promise<Joined> {
  const deadline = performance.now() + START_MILLIS
  let started: StartedPostmaster | undefined
  let failure: unknown
  for (; performance.now() < deadline; await sleep(10)) {
    const running = readPidFile(place.dataDirectory)
    if (running !== undefined && isPostmaster(running.pid, place.dataDirectory)) {
      try {
        const session = await openUseSession(running.socketDirectory, running.pid)
        return { session, socketDirectory: running.socketDirectory, adopted: started === undefined || started.ended() }
      } catch (error) {
        failure = error // It starts or stops; look again.
      }
    } else if (started === undefined || started.ended()) {
      if (started !== undefined && !WORTH_ANOTHER_TRY.test(started.output())) break
      started = await start(place, settings)
    }
  }
  throw new Error(
    `the embedded PostgreSQL in ${place.directory} does not start: ${started?.output() || 'it accepts no session'}`,
    { cause: failure },
  )
}

async function start(place: Place, settings: Record<string, string>): Promise<StartedPostmaster> {
  const binaries = prepareBinaries(place)
  await ensureCluster(place, binaries)
  ensureSocketDirectory(place)
  return spawnPostmaster(place, binaries, settings)
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
  const client = new pg.Client(clientConfig(socketDirectory, 'postgres'))
  await client.connect()
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE])
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`)
  } catch (error) {
    // Another process was faster.
    if (!(error instanceof pg.DatabaseError) || (error.code !== '42P04' && error.code !== '23505')) throw error
  } finally {
    await client.end()
  }
}

function connectionString(socketDirectory: string): string {
  return `postgresql://postgres@localhost:5432/${DATABASE}?host=${encodeURIComponent(socketDirectory)}&sslmode=disable`
}
