import { randomInt, randomUUID } from 'node:crypto'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import pg from 'pg'
import { type CloneStrategy, createTemplate, dropDatabases, nodesOf } from '../../harness/database-server.js'
import { databaseUrl } from '../../harness/database-url.js'
import { removeEmbeddedPostgres } from '../../harness/remove-embedded-postgres.js'
import { scratchFolder, scratchFolders } from '../../harness/scratch-folder.js'
import { startEmbeddedPostgres } from '../../src/db/embedded/embedded-postgres.js'
import { isAlive } from '../../src/db/embedded/postmaster.js'
import type { TestRun } from './current-test-run.js'

/** First half of the key of the advisory lock that a run keeps while it lasts; the second half is the run's number. */
const RUN_LOCK = 0x74657374
const DIRECTORY_PREFIX = 'svc-test-'

/** A run, and what removes all of it. */
export interface StartedTestRun {
  readonly run: TestRun
  readonly stop: () => Promise<void>
}

/**
 * Prepares a run: the server of `TEST_DATABASE_URL` or an embedded one, without the remains of interrupted runs, and
 * the template database.
 */
export async function startTestRun(url: string | undefined): Promise<StartedTestRun> {
  const server: Server = url === undefined ? await startEmbedded() : { adminUrl: url, stop: async () => {} }
  const admin = new pg.Client({ connectionString: server.adminUrl })
  await admin.connect()
  const number = randomInt(1, 2 ** 31 - 1)
  await admin.query('SELECT pg_advisory_lock($1, $2)', [RUN_LOCK, number])
  const nodes = await nodesOf(server.adminUrl)
  await dropDatabases(nodes, await abandonedDatabases(admin))
  const prefix = `svc_test_${number}_`
  const template = `${prefix}template`
  await createTemplate(nodes, template)
  return {
    run: { adminUrl: server.adminUrl, nodes, prefix, template, cloneStrategy: server.cloneStrategy },
    stop: async () => {
      await dropDatabases(nodes, await databasesLike(admin, `${prefix}%`))
      await admin.end()
      await server.stop()
    },
  }
}

interface Server {
  readonly adminUrl: string
  readonly cloneStrategy?: CloneStrategy
  readonly stop: () => Promise<void>
}

async function startEmbedded(): Promise<Server> {
  await removeAbandonedServers()
  const dataDir = join(scratchFolder(), `${DIRECTORY_PREFIX}${process.pid}-${randomUUID()}`)
  const settings = {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    max_wal_size: '128MB',
    max_connections: '200',
  }
  const server = await startEmbeddedPostgres({ dataDir, settings })
  return {
    adminUrl: databaseUrl(server.connectionString, 'postgres'),
    cloneStrategy: 'FILE_COPY',
    stop: async () => {
      await server.stop()
      await removeEmbeddedPostgres(dataDir)
      rmSync(dataDir, { recursive: true })
    },
  }
}

/** Removes the servers of this user's runs whose process has ended; those of other users are left alone. */
async function removeAbandonedServers(): Promise<void> {
  const directories = scratchFolders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  for (const directory of directories.filter((path) => basename(path).startsWith(DIRECTORY_PREFIX))) {
    const pid = Number(basename(directory).slice(DIRECTORY_PREFIX.length).split('-')[0])
    if (isAlive(pid) || statSync(directory, { throwIfNoEntry: false })?.uid !== process.getuid?.()) continue
    await removeEmbeddedPostgres(directory)
    // Another run may do the same.
    rmSync(directory, { recursive: true, force: true })
  }
}

/** The remains of interrupted runs. */
async function abandonedDatabases(admin: pg.Client): Promise<string[]> {
  const { rows } = await admin.query<{ objid: string }>(
    `SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND classid = $1`,
    [RUN_LOCK],
  )
  const alive = new Set(rows.map(({ objid }) => String(objid)))
  const names = await databasesLike(admin, 'svc\\_test\\_%')
  return names.filter((name) => !alive.has(name.split('_')[2] ?? ''))
}

async function databasesLike(admin: pg.Client, pattern: string): Promise<string[]> {
  const { rows } = await admin.query<{ datname: string }>('SELECT datname FROM pg_database WHERE datname LIKE $1', [
    pattern,
  ])
  return rows.map(({ datname }) => datname)
}
