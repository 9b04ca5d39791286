import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import pg from 'pg'
import { type EmbeddedServer, seed, startEmbeddedServer, type Tokens } from '../../harness/database.js'
import { createLocalDatabase, dropDatabases, nodesOf } from '../../harness/database-server.js'
import { runProgram } from '../../harness/programs.js'
import type { DatasetSize } from '../../harness/records.js'
import { distribute } from '../../src/db/distribute.js'

/** A kind of database that trials run on. */
export interface DatabaseServer {
  readonly name: string
  /** Makes a database with all migrations, and returns its URL. */
  createDatabase(): Promise<string>
  /** Kills the server at once; it is started again. Undefined if it belongs to others. */
  readonly kill?: () => void
  /** How a service reaches a database for which a URL is not enough: there may be a pooler in front of it. */
  environmentOf?(connectionString: string): Readonly<Record<string, string>>
  /** Removes what was made. */
  stop(): Promise<void>
}

/** What a trial works with: a database of its own with an organization, and the service on it. */
export interface Stage {
  readonly connectionString: string
  readonly tokens: Tokens
  /** Starts `svc serve` on the database, or on another way to it; the trial's end stops it. */
  serve(settings?: ServeSettings): Promise<ServiceRun>
  /** Kills the server of the database at once; it is started again. Undefined if it belongs to others. */
  readonly killDatabase?: () => void
}

/** How the service of a trial is started. */
export interface ServeSettings {
  readonly connectionString?: string
  readonly args?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** Gets the lines of its log. */
  readonly onLog?: (line: string) => void
}

/** `svc serve` in a process of its own. */
export interface ServiceRun {
  readonly origin: string
  readonly port: number
  readonly pid: number
  /** The most resident memory that it had, in bytes. */
  peakMemory(): number
  /** The resident memory that it has, in bytes. */
  memory(): number
  /** Asks it to stop; returns the milliseconds that took and its exit status, null if it was killed. */
  stop(): Promise<{ readonly millis: number; readonly status: number | null }>
  /** Kills it at once. */
  kill(): Promise<void>
}

const size: DatasetSize = { appInstances: 100, appResources: 100, priorities: 50, journeys: 20, users: 20 }
const SVC_SEAL_KEY = 'a key of thirty-two characters !!'
/** Of each table in a cluster. */
const SHARDS = 8
/** A service that has not stopped by then never will. */
const STOP_MILLIS = 40_000

/** The available kinds of database: the embedded one, and the server of the URL if one is given. */
export function databaseServers(url: string | undefined): (() => Promise<DatabaseServer>)[] {
  return url === undefined ? [startEmbedded] : [startEmbedded, () => joinServer(url)]
}

async function startEmbedded(): Promise<DatabaseServer> {
  const server = await startEmbeddedServer()
  return { ...databaseOf(server), name: `embedded ${await nameOf(await server.createDatabase('trial_template'))}` }
}

/** Databases on a server that a trial has started itself. */
export function databaseOf(server: EmbeddedServer): DatabaseServer {
  let databases = 0
  return {
    name: 'embedded',
    createDatabase: () => server.createDatabase(`trial_${++databases}`),
    kill: server.kill,
    stop: server.stop,
  }
}

async function joinServer(url: string): Promise<DatabaseServer> {
  const nodes = await nodesOf(url)
  const created: string[] = []
  return {
    name: `${await nameOf(url)}${nodes.length > 1 ? `, ${nodes.length - 1} workers` : ''}`,
    createDatabase: async () => {
      const database = `svc_trial_${randomUUID().replaceAll('-', '')}`
      created.push(database)
      const connectionString = await createLocalDatabase(nodes, database)
      if (nodes.length > 1) await distribute(connectionString, SHARDS, () => {})
      return connectionString
    },
    stop: () => dropDatabases(nodes, created),
  }
}

/** Prepares the stage of one trial. The second part of the result clears it. */
export async function setStage(server: DatabaseServer): Promise<{ stage: Stage; clear: () => Promise<void> }> {
  const connectionString = await server.createDatabase()
  const tokens = await seed(connectionString, size)
  const runs: ServiceRun[] = []
  return {
    stage: {
      ...(server.kill && { killDatabase: server.kill }),
      connectionString,
      tokens,
      serve: async (settings) => {
        const environment = { ...server.environmentOf?.(connectionString), ...settings?.environment }
        const run = await serve({ connectionString, ...settings, environment })
        runs.push(run)
        return run
      },
    },
    clear: async () => {
      await Promise.all(runs.map((run) => run.kill()))
    },
  }
}

async function serve({ connectionString = '', args = [], environment, onLog }: ServeSettings): Promise<ServiceRun> {
  const usual = { DATABASE_URL: connectionString, PORT: '0', LOG_LEVEL: 'silent', SVC_SEAL_KEY }
  const settings = { ...usual, ...environment }
  const { process: child, line, memory } = runProgram(['serve', '--no-demo', ...args], settings, undefined, onLog)
  const origin = /http\S+/.exec(await line('svc listens on'))?.[0] ?? ''
  const exited = once(child, 'exit')
  const end = async (signal: NodeJS.Signals) => {
    const start = performance.now()
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal)
      const kill = setTimeout(() => child.kill('SIGKILL'), STOP_MILLIS)
      await exited
      clearTimeout(kill)
    }
    return { millis: performance.now() - start, status: child.exitCode }
  }
  return {
    origin,
    port: Number(new URL(origin).port),
    pid: child.pid ?? 0,
    peakMemory: () => memory().peak,
    memory: () => memory().now,
    stop: () => end('SIGTERM'),
    kill: async () => {
      await end('SIGKILL')
    },
  }
}

/** Sends one statement on a connection of its own. */
export async function execute(connectionString: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}

async function nameOf(connectionString: string): Promise<string> {
  const [row] = await execute(connectionString, 'SHOW server_version')
  return `PostgreSQL ${String(row?.['server_version']).split(' ')[0]}`
}
