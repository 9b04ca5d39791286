import cluster from 'node:cluster'
import { once } from 'node:events'
import { type Command, InvalidArgumentError } from 'commander'
import { createApp } from '../app.js'
import { createDatabase, type Database } from '../db/database.js'
import { type CommandContext, type OpenedDatabase, openConfiguredDatabase } from './command-context.js'
import { loadDemo, writeDemoRequests } from './demo.js'
import { originOf } from './origin.js'
import { runWorkers } from './workers.js'

interface ServeOptions {
  /** True and false as asked for; absent loads the demo into an empty embedded database. */
  readonly demo?: boolean
  readonly workers: number
}

/** `svc serve`: the service, until the operator stops it. */
export function registerServeCommand(program: Command, context: CommandContext): void {
  program
    .command('serve')
    .description('run the service')
    .option('--demo', 'load the demo organization into an empty database (default for the embedded one)')
    .option('--no-demo', 'never load the demo organization')
    .option('--workers <n>', 'processes that share the port', parseWorkers, 1)
    .action((options: ServeOptions) => (cluster.isWorker ? serveWorker(context) : serve(context, options)))
}

async function serve(context: CommandContext, { demo, workers }: ServeOptions): Promise<void> {
  const { config, log } = context
  const opened = await openConfiguredDatabase(config, log, (embedded) => embedded.lockServe())
  try {
    if (demo ?? opened.embedded !== undefined) await loadDemo(opened.database, context)
    if (workers > 1) {
      await runWorkers(workers, opened.connectionString, context, (origin) => announce(origin, opened, context))
      return
    }
    await runApp(opened.database, context, (origin) => announce(origin, opened, context))
  } finally {
    await opened.close()
  }
}

/** Answers calls until the operator stops it. Nothing of it goes on after a failure, such as a port that is taken. */
async function runApp(
  database: Database,
  { config, runtime, log, stopSignal }: CommandContext,
  onListening: (origin: string) => Promise<void>,
): Promise<void> {
  const app = createApp({ config, database, runtime, log })
  try {
    const { address, port } = await app.listen(config.port, config.host)
    await onListening(originOf(address, port))
    if (!stopSignal.aborted) await once(stopSignal, 'abort')
  } finally {
    await app.close()
  }
}

/** One of several processes: the first has prepared the database and says where it is. */
async function serveWorker(context: CommandContext): Promise<void> {
  const database = createDatabase({ connectionString: context.config.databaseUrl ?? '', log: context.log })
  try {
    await runApp(database, context, async () => {})
  } finally {
    await database.close()
    cluster.worker?.disconnect()
  }
}

async function announce(origin: string, { database }: OpenedDatabase, context: CommandContext): Promise<void> {
  context.stdout.write(`svc listens on ${origin}\n`)
  await writeDemoRequests(origin, database, context)
}

function parseWorkers(text: string): number {
  const workers = Number(text)
  if (!Number.isInteger(workers) || workers < 1 || workers > 64) throw new InvalidArgumentError('must be from 1 to 64')
  return workers
}
