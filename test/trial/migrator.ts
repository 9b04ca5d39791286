import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { databaseUrl } from '../../harness/database-url.js'
import { runProgram } from '../../harness/programs.js'
import { loadMigrations, migrate } from '../../src/db/migrate.js'
import { databaseAddress } from '../support/database-proxy.js'
import { execute, type Stage } from './stage.js'
import { allOf, atLeast, type Finding, type Trial } from './trial.js'

/**
 * `svc migrate` is killed at its statements, one after the other, each time on an empty database; the next run must
 * complete it, and the database must be the same as after a run that nothing disturbed.
 */
export const migrator: Trial = {
  name: 'migrator',
  onEachDatabase: true,
  amount: { of: 'kills at most, spread over all statements', full: 2_000, short: 2 },
  run,
}

async function run(stage: Stage, kills: number): Promise<readonly Finding[]> {
  const expected = await schemaOf(stage.connectionString)
  const all = await killAt(stage, Number.POSITIVE_INFINITY)
  const statements = all.sent
  const chosen = Math.min(kills, statements)
  let [killed, completed, same] = [0, 0, 0]
  for (let kill = 0; kill < chosen; kill++) {
    const statement = 1 + Math.floor((kill * statements) / chosen)
    const outcome = await killAt(stage, statement)
    if (outcome.isKilled) killed++
    if (outcome.fault === undefined) completed++
    else console.error(`killed at statement ${statement}: ${outcome.fault}`)
    if (outcome.schema === expected) same++
  }
  return [
    atLeast('statements of a whole migration', statements, 1, ''),
    allOf('runs that are killed at a statement', killed, chosen),
    allOf('completed by the next run', completed, chosen),
    allOf('the same database as after one run', same, chosen),
    {
      promise: 'the same database without a kill',
      measured: String(all.schema === expected),
      kept: all.schema === expected,
    },
  ]
}

interface Outcome {
  readonly sent: number
  readonly isKilled: boolean
  readonly fault: string | undefined
  readonly schema: string
}

/** Migrates a new database, kills the program when it has sent so many statements, and migrates again. */
async function killAt({ connectionString }: Stage, statement: number): Promise<Outcome> {
  const name = `${new URL(connectionString).pathname.slice(1)}_migrated`
  await execute(connectionString, `CREATE DATABASE ${name} TEMPLATE template0`)
  const url = databaseUrl(connectionString, name)
  try {
    let sent = 0
    const program = { kill: () => {} }
    const proxy = await startCountingProxy(url, () => {
      sent++
      if (sent === statement) program.kill()
    })
    const { process: child } = runProgram(['migrate'], { DATABASE_URL: proxy.connectionString })
    program.kill = () => child.kill('SIGKILL')
    const [code, signal] = await once(child, 'exit')
    await proxy.close()
    if (signal === null && code !== 0) throw new Error(`svc migrate ended with ${code}`)
    let fault: string | undefined
    try {
      await migrate(url, await loadMigrations())
    } catch (error) {
      fault = String(error)
    }
    return { sent, isKilled: signal === 'SIGKILL', fault, schema: await schemaOf(url) }
  } finally {
    await execute(connectionString, `DROP DATABASE ${name} WITH (FORCE)`)
  }
}

/** Passes everything on, and reports each message with a statement, before it is passed on for every other one. */
async function startCountingProxy(connectionString: string, onStatement: () => void) {
  let isFirst = true
  const server = createServer((client) => {
    const upstream = connect(databaseAddress(connectionString))
    upstream.pipe(client)
    client.on('data', (bytes: Buffer) => {
      // A query (Q) or a prepared one (P) begins what is sent for a statement.
      const isStatement = bytes[0] === 0x51 || bytes[0] === 0x50
      isFirst = !isFirst
      if (isStatement && isFirst) onStatement()
      upstream.write(bytes, () => isStatement && !isFirst && onStatement())
    })
    client.on('error', () => upstream.destroy()).on('close', () => upstream.destroy())
    upstream.on('error', () => client.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = new URL(connectionString)
  const through = new URL(`postgresql://${url.username}@127.0.0.1${url.pathname}`)
  through.port = String(typeof address === 'object' && address !== null ? address.port : 0)
  if (url.password !== '') through.password = url.password
  return {
    connectionString: through.href,
    close: async () => {
      server.close()
      await once(server, 'close')
    },
  }
}

/** Everything that migrations make, as one text. */
async function schemaOf(connectionString: string): Promise<string> {
  const rows = await execute(
    connectionString,
    `SELECT 'column' AS kind, table_name || '.' || column_name AS name,
            concat_ws(' ', data_type, udt_name, is_nullable, column_default) AS text
       FROM information_schema.columns WHERE table_schema = 'public'
     UNION ALL
     SELECT 'index', indexrelid::regclass::text, concat_ws(' ', pg_get_indexdef(indexrelid), indisvalid) FROM pg_index
       JOIN pg_class ON pg_class.oid = indexrelid WHERE relnamespace = 'public'::regnamespace
     UNION ALL
     SELECT 'constraint', concat_ws('.', conrelid::regclass, conname), concat_ws(' ', pg_get_constraintdef(oid), convalidated)
       FROM pg_constraint WHERE connamespace = 'public'::regnamespace
     UNION ALL
     SELECT 'trigger', concat_ws('.', tgrelid::regclass, tgname), pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
     UNION ALL
     SELECT 'function', proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace
     UNION ALL
     SELECT 'enum', concat_ws('.', enumtypid::regtype, enumlabel), enumsortorder::text FROM pg_enum
     UNION ALL
     SELECT 'migration', migration_name, concat_ws(' ', checksum, finished_at IS NOT NULL) FROM _prisma_migrations
     ORDER BY 1, 2, 3`,
  )
  return JSON.stringify(rows)
}
