import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { databaseUrl } from '../../harness/database-url.js'
import { removeEmbeddedPostgres } from '../../harness/remove-embedded-postgres.js'
import { scratchFolder } from '../../harness/scratch-folder.js'
import { type Binaries, prepareBinaries, SERVER_ENVIRONMENT } from '../../src/db/embedded/binaries.js'
import { ensureSocketDirectory, type Place, resolvePlace } from '../../src/db/embedded/place.js'
import { readPidFile, spawnPostmaster, stopPostmaster } from '../../src/db/embedded/postmaster.js'
import { loadMigrations, migrate } from '../../src/db/migrate.js'

/** One of two servers. */
export interface ReplicatedServer {
  /** Of the database with all migrations. */
  readonly url: string
  start(): Promise<void>
  /** Shuts it down cleanly. */
  stop(): Promise<void>
  /** Kills it at once (SIGKILL). */
  kill(): Promise<void>
  /** Sends statements on a connection of its own; returns the rows of the last one. */
  sql(...texts: string[]): Promise<Record<string, unknown>[]>
}

/** A PostgreSQL server and a standby that follows it, both of the version that the tests run on. */
export interface ReplicatedServers {
  readonly primary: ReplicatedServer
  readonly standby: ReplicatedServer
  /** Makes the standby apply commits this many milliseconds after they happened. */
  setLag(millis: number): Promise<void>
  /** Waits until the standby has applied all that the primary has. */
  caughtUp(): Promise<void>
  /** Makes a former primary follow another server, or none, when it is restarted. */
  demote(server: ReplicatedServer, follows?: ReplicatedServer): void
  /** Stops both and removes their data. */
  remove(): Promise<void>
}

const PATIENCE_MILLIS = 60_000
const SETTINGS = { listen_addresses: '', fsync: 'off', full_page_writes: 'off', max_connections: '100' }
const DATABASE = 'svc'

/** Starts both, on Unix sockets. */
export async function startReplicatedServers(): Promise<ReplicatedServers> {
  // The names by which the next run finds and removes what an interrupted run left behind.
  const directories = [0, 1].map(() => join(scratchFolder(), `svc-test-${process.pid}-${randomUUID()}`))
  const [first, second] = directories.map((directory) => resolvePlace(directory))
  if (first === undefined || second === undefined) throw new Error('there are two places')
  const binaries = await binariesUnderTest(first)
  await run(first, binaries.initdb, [
    '-D',
    first.dataDirectory,
    '-U',
    'postgres',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale=C',
  ])
  const primary = createServer(first, binaries)
  await primary.start()
  await query(databaseUrl(primary.url, 'postgres'), `CREATE DATABASE ${DATABASE} TEMPLATE template0`)
  await migrate(primary.url, await loadMigrations())
  await primary.stop()
  await run(first, 'cp', ['-Rp', first.dataDirectory, join(first.directory, 'copy')])
  await promisify(execFile)('mv', [join(first.directory, 'copy'), second.dataDirectory])
  const standby = createServer(second, binaries)
  const places = new Map([
    [primary, first],
    [standby, second],
  ])
  const demote: ReplicatedServers['demote'] = (server, follows) => {
    const place = places.get(server)
    const source = follows && places.get(follows)
    if (place === undefined) throw new Error('this is neither of the two servers')
    const signal = join(place.dataDirectory, 'standby.signal')
    writeFileSync(signal, '')
    const settings = source && `primary_conninfo = 'host=${source.socketDirectory} user=postgres'\n`
    writeFileSync(join(place.dataDirectory, 'postgresql.auto.conf'), settings ?? '')
  }
  demote(standby, primary)
  await Promise.all([primary.start(), standby.start()])
  return {
    primary,
    standby,
    demote,
    setLag: async (millis) => {
      await standby.sql(`ALTER SYSTEM SET recovery_min_apply_delay = ${millis}`, 'SELECT pg_reload_conf()')
    },
    caughtUp: async () => {
      const [row] = await primary.sql('SELECT pg_current_wal_flush_lsn()::text AS lsn')
      await until(async () => {
        const [{ applied } = {}] = await standby.sql(
          `SELECT pg_last_wal_replay_lsn() >= '${String(row?.['lsn'])}' AS applied`,
        )
        return applied === true
      })
    },
    remove: async () => {
      for (const directory of directories) {
        await removeEmbeddedPostgres(directory)
        rmSync(directory, { recursive: true, force: true })
      }
    },
  }
}

function createServer(place: Place, binaries: Binaries): ReplicatedServer {
  const host = encodeURIComponent(place.socketDirectory)
  const url = `postgresql://postgres@localhost:5432/${DATABASE}?host=${host}&sslmode=disable`
  return {
    url,
    start: async () => {
      ensureSocketDirectory(place)
      await until(async () => {
        // The processes of a killed server may still be ending.
        const started = spawnPostmaster(place, binaries, SETTINGS, readPidFile(place.dataDirectory)?.pid)
        return until(async () => started.ended() || (await answers(url)), 5).then(() => !started.ended())
      })
    },
    stop: () => stopPostmaster(place.dataDirectory),
    kill: async () => {
      const pid = readPidFile(place.dataDirectory)?.pid
      if (pid === undefined) throw new Error('the server does not run')
      process.kill(pid, 'SIGKILL')
      await until(async () => !(await answers(url)))
    },
    sql: (...texts) => query(url, ...texts),
  }
}

/** The programs of the server of `TEST_DATABASE_URL`, if they are on this machine, otherwise the embedded ones. */
async function binariesUnderTest(place: Place): Promise<Binaries> {
  const url = process.env['TEST_DATABASE_URL']
  if (url !== undefined) {
    const [row] = await query(url, 'SHOW server_version_num')
    const folder = `/usr/lib/postgresql/${Math.floor(Number(row?.['server_version_num']) / 10_000)}/bin`
    if (existsSync(folder)) return { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') }
  }
  return prepareBinaries(place)
}

/** As the account of the servers. */
async function run(place: Place, program: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)(program, args, { ...place.account, cwd: place.directory, env: SERVER_ENVIRONMENT })
}

async function answers(url: string): Promise<boolean> {
  try {
    await query(databaseUrl(url, 'postgres'), 'SELECT')
    return true
  } catch {
    return false // It is starting or has ended.
  }
}

async function query(url: string, ...texts: string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: PATIENCE_MILLIS })
  client.on('error', () => {}) // Whoever asks gets the error.
  await client.connect()
  try {
    let rows: Record<string, unknown>[] = []
    for (const text of texts) rows = (await client.query<Record<string, unknown>>(text)).rows
    return rows
  } finally {
    await client.end()
  }
}

async function until(isTrue: () => Promise<boolean>, pauseMillis = 20): Promise<void> {
  const end = performance.now() + PATIENCE_MILLIS
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error('the servers take too long')
    await delay(pauseMillis)
  }
}
