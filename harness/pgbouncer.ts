import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { unprivilegedAccount } from '../src/db/embedded/account.js'
import { freePort } from './free-port.js'
import { scratchFolder } from './scratch-folder.js'

/** A PgBouncer in transaction mode, which ignores no parameter at the start of a session. */
export interface PgBouncer {
  readonly host: string
  readonly port: number
  /** The role of its sessions, whatever role its clients have. */
  readonly role: string
  stop(): Promise<void>
}

/** What a test changes about it. */
export interface PgBouncerOptions {
  /** URL of a database of the server, of a superuser. */
  readonly adminUrl: string
  /** Run by the superuser for the role, once it exists. */
  readonly prepareRole?: (role: string) => readonly string[]
  /** Sessions per database. Default 40. */
  readonly poolSize?: number
  /** Additional variables of its configuration. */
  readonly settings?: Readonly<Record<string, string>>
}

/** Starts one on a free port of this machine, as an ordinary user. Throws if PgBouncer is not installed. */
export async function startPgBouncer(options: PgBouncerOptions): Promise<PgBouncer> {
  const { adminUrl, prepareRole = () => [], poolSize = 40, settings = {} } = options
  const role = `svc_test_pooler_${randomUUID().replaceAll('-', '')}`
  const password = randomUUID()
  await asSuperuser(adminUrl, [
    `CREATE ROLE ${role} SUPERUSER LOGIN PASSWORD '${password}'`,
    // What its sessions make belongs to the superuser, as without a pooler.
    `DO $$ BEGIN EXECUTE format('ALTER ROLE ${role} SET role = %L', current_user); END $$`,
    ...prepareRole(role),
  ])
  const port = await freePort()
  const folder = mkdtempSync(join(scratchFolder(), 'svc-pgbouncer-'))
  const file = join(folder, 'pgbouncer.ini')
  const { hostname, port: serverPort, searchParams } = new URL(adminUrl)
  const server = [`host=${searchParams.get('host') ?? hostname}`, ...(serverPort === '' ? [] : [`port=${serverPort}`])]
  const variables = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    pool_mode: 'transaction',
    ignore_startup_parameters: '',
    // Every client becomes the role of the database's line.
    auth_type: 'any',
    // May use its console.
    admin_users: 'svc',
    default_pool_size: poolSize,
    max_client_conn: 2_000,
    // Databases of tests come and go.
    server_idle_timeout: 5,
    ...settings,
  }
  const lines = [
    '[databases]',
    `* = ${[...server, `user=${role}`, `password=${password}`].join(' ')}`,
    '[pgbouncer]',
    ...Object.entries(variables).map(([name, value]) => `${name} = ${value}`),
  ]
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 })
  const account = process.getuid?.() === 0 ? unprivilegedAccount() : undefined
  if (account !== undefined) for (const path of [folder, file]) chownSync(path, account.uid, account.gid)
  const stop = await runPgBouncer(file, account)
  return {
    host: '127.0.0.1',
    port,
    role,
    stop: async () => {
      await stop()
      rmSync(folder, { recursive: true })
      await asSuperuser(adminUrl, [`DROP ROLE ${role}`])
    },
  }
}

async function runPgBouncer(file: string, account: { uid: number; gid: number } | undefined) {
  const PATH = `${process.env['PATH'] ?? ''}:/usr/sbin`
  const child = spawn('pgbouncer', [file], { env: { PATH }, stdio: ['ignore', 'ignore', 'pipe'], ...account })
  const exited = once(child, 'close').catch((cause: unknown) => {
    throw new Error('no PgBouncer here: run scripts/install-pgbouncer.sh', { cause })
  })
  const log: string[] = []
  const isUp = new Promise<void>((resolve) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      log.push(line)
      if (line.includes('process up')) resolve()
    })
  })
  await Promise.race([
    isUp,
    exited.then(() => {
      throw new Error(`PgBouncer did not start: ${log.join('\n')}`)
    }),
  ])
  return async () => {
    child.kill('SIGQUIT') // At once; the default waits for clients.
    await exited
  }
}

async function asSuperuser(connectionString: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
