import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import pg from 'pg'
import { removeEmbeddedPostgres } from '../../harness/remove-embedded-postgres.js'
import { scratchFolder } from '../../harness/scratch-folder.js'
import { configFromEnvironment } from '../../src/config.js'
import { freeBytesOf } from '../../src/db/diagnosis.js'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/db/embedded/embedded-postgres.js'
import { isPostmaster, readPidFile, stopPostmaster } from '../../src/db/embedded/postmaster.js'
import { loadMigrations, migrate } from '../../src/db/migrate.js'
import { createReadiness } from '../../src/db/readiness.js'
import { eventually } from '../support/eventually.js'

describe('the embedded PostgreSQL', () => {
  /** A data directory that tests use one after the other where a used one does: a new one takes a second. */
  const seed = join(scratchFolder(), `svc-embedded-${randomUUID()}`)
  let folder: string
  let dataDir: string
  const processes: ChildProcess[] = []
  const users: EmbeddedPostgres[] = []

  beforeAll(async () => {
    const embedded = await startEmbeddedPostgres({ dataDir: seed })
    await embedded.stop()
  })
  afterAll(async () => {
    await removeEmbeddedPostgres(seed)
    rmSync(seed, { recursive: true })
  })

  beforeEach(() => {
    folder = join(scratchFolder(), `svc-embedded-${randomUUID()}`)
    mkdirSync(folder)
    chmodSync(folder, 0o711)
    dataDir = join(folder, 'data')
  })

  afterEach(async () => {
    for (const child of processes.splice(0)) child.kill('SIGKILL')
    await Promise.all(users.splice(0).map((user) => user.stop()))
    if (dataDir === seed) await stopPostmaster(cluster())
    else await removeEmbeddedPostgres(dataDir)
    chmodSync(folder, 0o711)
    rmSync(folder, { recursive: true })
  })

  /** Without fsync, which only a loss of power could distinguish from the default. */
  const start = async () => {
    const embedded = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } })
    users.push(embedded)
    return embedded
  }
  const plant = () => execFileSync('cp', ['-a', seed, dataDir])
  const cluster = () => join(realpathSync(join(dataDir, 'postgres')), 'data')
  const running = () => {
    const file = readPidFile(cluster())
    return file !== undefined && isPostmaster(file.pid, cluster()) ? file.pid : undefined
  }

  async function ask(embedded: { connectionString: string }, statement: string) {
    const client = new pg.Client({ connectionString: embedded.connectionString })
    await client.connect()
    const { rows } = await client.query(statement)
    await client.end()
    return rows
  }

  it('is not ready once its disk is full, and says so', async () => {
    plant()
    const database = await start()
    await migrate(database.connectionString, await loadMigrations())
    let free = 32 * 2 ** 20
    const folders: string[] = []
    const readiness = createReadiness({
      database: { connectionString: database.connectionString, pool: { silentMillis: 0 } as never },
      log: { warn: () => {} },
      maxAgeMillis: 0,
      freeBytes: async (folder) => {
        folders.push(folder)
        return free
      },
    })
    expect(await readiness.ask()).toEqual({})
    free -= 1
    expect(await readiness.ask()).toEqual({ disk: 'is full' })
    expect(new Set(folders)).toEqual(new Set([cluster()]))
    expect(await freeBytesOf(cluster())).toBeGreaterThan(0)
    expect(await freeBytesOf('/nothing/there')).toBe(Number.POSITIVE_INFINITY)
  })

  /** Another process on the same folder, in a process group of its own. */
  async function startProcess(task: 'use' | 'serve' | 'write', environment = {}) {
    const program = fileURLToPath(new URL('./embedded-process.mjs', import.meta.url))
    const env = { ...process.env, ...environment }
    const child = fork(program, [dataDir, task], { detached: true, execArgv: [], env })
    processes.push(child)
    const [handle]: { connectionString: string; adopted: boolean }[] = await once(child, 'message')
    if (handle === undefined) throw new Error('the process says nothing')
    return { child, handle }
  }

  /** Kills the process with its group, which the server is not part of. */
  async function kill(child: ChildProcess) {
    const gone = once(child, 'exit')
    process.kill(-(child.pid ?? 0), 'SIGKILL')
    await gone
  }

  it('starts in an empty folder, keeps what was written, and stops', async () => {
    const first = await start()
    expect(first.adopted).toBe(false)
    await ask(first, 'CREATE TABLE kept AS SELECT 1 AS n')
    await first.stop()
    expect(running()).toBeUndefined()

    const second = await start()
    expect(await ask(second, 'SELECT n FROM kept')).toEqual([{ n: 1 }])
    await second.stop()
    expect(running()).toBeUndefined()
  })

  it('is durable, reachable only through its socket, and in UTC', async () => {
    dataDir = seed
    const embedded = await startEmbeddedPostgres({ dataDir })
    const settings = `SELECT name, setting FROM pg_settings
      WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit', 'listen_addresses', 'TimeZone') ORDER BY name`
    expect(await ask(embedded, settings)).toEqual([
      { name: 'TimeZone', setting: 'UTC' },
      { name: 'fsync', setting: 'on' },
      { name: 'full_page_writes', setting: 'on' },
      { name: 'listen_addresses', setting: '' },
      { name: 'synchronous_commit', setting: 'on' },
    ])
    const { mode, uid } = statSync(realpathSync(join(dataDir, 'postgres')))
    expect(mode & 0o077).toBe(0)
    expect(uid).not.toBe(0)
    await embedded.stop()
  })

  it('is reached over its socket by a URL without a host, as clouds give them', async () => {
    dataDir = seed
    const embedded = await startEmbeddedPostgres({ dataDir })
    users.push(embedded)
    const { searchParams, pathname } = new URL(embedded.connectionString)
    const given = `postgresql://postgres@${pathname}?host=${searchParams.get('host')}`
    const { databaseUrl = '' } = configFromEnvironment({ DATABASE_URL: given })
    const [row] = await ask(
      { connectionString: databaseUrl },
      'SELECT inet_server_addr() AS address, current_user AS name',
    )
    expect(row).toEqual({ address: null, name: 'postgres' })
  })

  it('is one server for all processes that start at once in an empty folder', async () => {
    const all = await Promise.all([start(), start(), startProcess('use').then(({ handle }) => handle)])
    expect(new Set(all.map(({ connectionString }) => connectionString)).size).toBe(1)
    expect(all.filter(({ adopted }) => !adopted)).toHaveLength(1)
  })

  it('runs until its last user has left, whichever started it', async () => {
    dataDir = seed
    const starter = await start()
    const { child, handle } = await startProcess('serve')
    expect(handle.adopted).toBe(true)
    await starter.stop()
    expect(await ask(handle, 'SELECT 1 AS one')).toEqual([{ one: 1 }])

    const visitor = await start()
    expect(visitor.adopted).toBe(true)
    await visitor.stop()
    expect(await ask(handle, 'SELECT 1 AS one')).toEqual([{ one: 1 }])

    child.send('stop')
    await once(child, 'exit')
    expect(running()).toBeUndefined()
  })

  it('stops when all of its users leave at the same moment', async () => {
    dataDir = seed
    const all = await Promise.all([start(), start(), start(), start()])
    await Promise.all(all.map((user) => user.stop()))
    expect(running()).toBeUndefined()
  })

  it('allows one process to serve, and refuses a second with a message that names the first', async () => {
    dataDir = seed
    const { child } = await startProcess('serve')
    const second = await start()
    await expect(second.lockServe()).rejects.toThrow(`another server (svc ${child.pid}) already serves from`)
    await kill(child)
    await second.lockServe()
    await second.stop()
  })

  it('can be joined again after the process that served was killed', async () => {
    dataDir = seed
    const { child } = await startProcess('serve')
    const server = running()
    await kill(child)
    const next = await start()
    expect(next.adopted).toBe(true)
    expect(running()).toBe(server)
    await next.lockServe()
    await next.stop()
    expect(running()).toBeUndefined()
  })

  it('stops by itself soon after its last user was killed', async () => {
    dataDir = seed
    const { child } = await startProcess('serve')
    await kill(child)
    await eventually(() => expect(running()).toBeUndefined())
  })

  it('loses no acknowledged write when every process is killed', async () => {
    dataDir = seed
    const acknowledged: number[] = []
    for (let round = 0; round < 3; round++) {
      const { child } = await startProcess('write')
      const enough = acknowledged.length + 50
      await new Promise<void>((resolve) => {
        child.on('message', ({ written }: { written: number }) => {
          if (acknowledged.push(written) === enough) resolve()
        })
      })
      const server = running() ?? 0
      const killed = kill(child)
      process.kill(server, 'SIGKILL')
      await killed
      expect(existsSync(join(cluster(), 'postmaster.pid'))).toBe(true)
    }
    const embedded = await start()
    expect(embedded.adopted).toBe(false)
    const rows = await ask(embedded, 'SELECT n FROM written')
    const found = new Set(rows.map(({ n }: { n: string }) => Number(n)))
    expect(acknowledged.filter((n) => !found.has(n))).toEqual([])
    await embedded.stop()
  })

  it('is restarted when it crashes, and its user remains registered', async () => {
    dataDir = seed
    const { child, handle } = await startProcess('serve')
    const server = running() ?? 0
    process.kill(server, 'SIGKILL')
    await eventually(() => expect(running() ?? server).not.toBe(server))
    const visitor = await start()
    const serving = `SELECT application_name AS name FROM pg_locks JOIN pg_stat_activity USING (pid)
                      WHERE locktype = 'advisory' AND objid = 2`
    await eventually(async () => expect(await ask(handle, serving)).toEqual([{ name: `svc ${child.pid}` }]))
    await expect(visitor.lockServe()).rejects.toThrow(`another server (svc ${child.pid})`)
    await visitor.stop()
    expect(await ask(handle, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    child.send('stop')
    await once(child, 'exit')
    expect(running()).toBeUndefined()
  })

  it('is restarted as soon as possible if the first attempt failed', async () => {
    dataDir = seed
    const said: string[] = []
    const embedded = await startEmbeddedPostgres({ dataDir, log: (line) => said.push(line) })
    users.push(embedded)
    const settings = join(cluster(), 'postgresql.auto.conf')
    const before = readFileSync(settings)
    writeFileSync(settings, 'shared_buffers = plenty\n')
    process.kill(running() ?? 0, 'SIGKILL')
    await eventually(() => expect(said.join()).toContain('did not start'))
    writeFileSync(settings, before)
    await eventually(async () => expect(await ask(embedded, 'SELECT 1 AS one')).toEqual([{ one: 1 }]))
  })

  it('starts even if its old process id now belongs to another process of its account', async () => {
    dataDir = seed
    const { child } = await startProcess('use')
    const file = join(cluster(), 'postmaster.pid')
    const server = running() ?? 0
    const content = readFileSync(file, 'utf8')
    await kill(child)
    process.kill(server, 'SIGKILL')
    await eventually(() => expect(running()).toBeUndefined())

    const { uid, gid } = statSync(cluster())
    const stranger = spawn('sleep', ['60'], process.getuid?.() === 0 ? { uid, gid, cwd: '/' } : {})
    processes.push(stranger)
    writeFileSync(file, content.replace(String(server), String(stranger.pid)))
    const next = await start()
    expect(next.adopted).toBe(false)
    expect(running()).not.toBe(stranger.pid)
    expect(stranger.exitCode).toBeNull()
    await next.stop()
  })

  it('starts after its creation was interrupted', async () => {
    plant()
    await (await start()).stop()
    const place = realpathSync(join(dataDir, 'postgres'))
    rmSync(cluster(), { recursive: true })
    mkdirSync(join(place, `init-99999999-${randomUUID()}`, 'base'), { recursive: true })
    const embedded = await start()
    expect(readdirSync(place).filter((name) => name.startsWith('init-'))).toEqual([])
    await embedded.stop()
  })

  it('works in a folder that only its owner can enter', async () => {
    chmodSync(folder, 0o700)
    const first = await start()
    await ask(first, 'CREATE TABLE kept AS SELECT 1 AS n')
    await first.stop()
    const second = await start()
    expect(await ask(second, 'SELECT n FROM kept')).toEqual([{ n: 1 }])
    await second.stop()
    const place = realpathSync(join(dataDir, 'postgres'))
    await removeEmbeddedPostgres(dataDir)
    expect(existsSync(place)).toBe(false)
  })

  it('works in a folder whose path is too long for a socket', async () => {
    dataDir = join(folder, 'x'.repeat(100))
    plant()
    const embedded = await start()
    const socketDirectory = new URL(embedded.connectionString).searchParams.get('host') ?? ''
    expect(Buffer.byteLength(join(socketDirectory, '.s.PGSQL.5432'))).toBeLessThanOrEqual(103)
    expect(statSync(socketDirectory).mode & 0o077).toBe(0)
    expect(await ask(embedded, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    await embedded.stop()
    await removeEmbeddedPostgres(dataDir)
    expect(existsSync(socketDirectory)).toBe(false)
  })

  it('ignores what the environment says about other servers', async () => {
    dataDir = seed
    const environment = { PGPORT: '1', PGHOST: 'nowhere', PGSSLMODE: 'require', PGUSER: 'x' }
    const { child } = await startProcess('write', environment)
    expect(await once(child, 'message')).toMatchObject([{ written: expect.any(Number) }])
    await kill(child)
  })

  it('explains why it does not start', async () => {
    dataDir = seed
    const broken = startEmbeddedPostgres({ dataDir, settings: { shared_buffers: 'plenty' } })
    await expect(broken).rejects.toThrow('invalid value for parameter "shared_buffers": "plenty"')
  })
})
