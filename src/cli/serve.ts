import cluster from 'node:cluster'
import { once } from 'node:events'
import { type Command, InvalidArgumentError } from 'commander'
import type { Database } from '../db/database.js'
import { type ServerPresence, showServer } from '../db/server-presence.js'
import type { TlsIdentity } from '../http/tls-identity.js'
import { type CommandContext, integerFrom, originOf } from './command-context.js'
import { openDatabase } from './open-database.js'
import { openTelemetry, openWorkerMetrics } from './telemetry.js'
import { openTls, renewTls } from './tls.js'
import { runWorkers } from './workers.js'

interface ServeOptions {
  /** Whether to load the demo; default: into an empty embedded database. */
  readonly demo?: boolean
  readonly workers: number
  readonly port?: number
  readonly host?: string
}

export function registerServeCommand(program: Command, context: CommandContext): void {
  program
    .command('serve')
    .description('run the service')
    .option('--demo', 'load the demo organization into an empty database (default for the embedded one)')
    .option('--no-demo', 'never load the demo organization')
    .option('--workers <n>', 'number of processes that share the port', integerFrom(1, 64), 1)
    .option('--port <n>', 'the port to listen on; 0 picks a free one (default: PORT, or 8080)', integerFrom(0, 65_535))
    .option('--host <address>', 'the address to listen on (default: HOST, or 127.0.0.1)', parseHost)
    .action((options: ServeOptions) => {
      const { port, host } = { ...context.config, ...options }
      const listening = { ...context, config: { ...context.config, port, host } }
      return cluster.isWorker ? serveWorker(listening) : serve(listening, options)
    })
}

async function serve(context: CommandContext, { demo, workers }: ServeOptions): Promise<void> {
  const { config, log } = context
  for (const advice of config.advice) log.warn(advice)
  // Before a worker reads it: workers that end are started again.
  const tlsIdentity = await openTls(context)
  const [opened] = await Promise.all([
    openDatabase({ config, log, make: true, serves: true }),
    // Loaded while the database starts.
    import('../app.js'),
  ])
  context.useClock(opened.database.clock)
  /** Lets `svc status` see the server. */
  let presence: ServerPresence | undefined
  try {
    if (demo ?? opened.isEmbedded) await (await import('./demo.js')).loadDemo(opened.database, context)
    const { hasEndpoints } = await import('../store/webhook-endpoint.js')
    if (config.sealKeys.current === undefined && (await hasEndpoints(opened.database))) {
      throw new Error('SVC_SEAL_KEY is not set, but webhook endpoints exist')
    }
    const { prepareAnnouncement, textFromAnnouncement } = await import('./announcement.js')
    // Before the first call: it needs no connection that calls could have.
    const announcementOf = await prepareAnnouncement(opened.database, context)
    const onListening = async (origin: string) => {
      const { directUrl: connectionString } = opened
      presence = await showServer({ connectionString, origin, signal: context.stopSignal, log })
      context.stdout.write(textFromAnnouncement(announcementOf([origin])))
    }
    if (workers > 1) {
      const metrics = await openWorkerMetrics(config, log)
      try {
        await runWorkers(workers, opened.connectionString, context, onListening)
      } finally {
        await metrics?.close()
      }
    } else await runApp(opened.database, context, tlsIdentity, onListening)
  } finally {
    await presence?.close()
    await opened.close()
  }
}

/** Answers calls until the operator stops it. After a failure, such as a taken port, nothing of it keeps running. */
async function runApp(
  database: Database,
  context: CommandContext,
  tlsIdentity: TlsIdentity | undefined,
  onListening: (origin: string) => Promise<void>,
): Promise<void> {
  const { config, runtime, log, stopSignal } = context
  const { createApp } = await import('../app.js')
  // Otherwise Prisma would load its query compiler with the first query, and a caller would wait for it.
  await database.prisma.$connect()
  const telemetry = await openTelemetry(config, log)
  const { meters, tracing } = telemetry
  const app = createApp({ config, database, runtime, log, meters, tracing, tlsIdentity })
  const renew = () => void renewTls(context, app.useTlsIdentity)
  const stopListening = config.tls && context.onHangup?.(renew)
  try {
    const { address, port } = await app.listen(config.port, config.host)
    await onListening(originOf(address, port, config.tls && 'https'))
    if (!stopSignal.aborted) await once(stopSignal, 'abort')
  } finally {
    stopListening?.()
    // At a terminal there is no balancer to wait for.
    const drainSeconds = stopSignal.reason === 'SIGTERM' ? config.drainSeconds : 0
    const began = performance.now()
    if (stopSignal.aborted) {
      const runningCalls = app.runningCalls()
      log.info({ signal: stopSignal.reason, runningCalls, drainSeconds, graceSeconds: config.graceSeconds }, 'stopping')
    }
    await app.close(drainSeconds * 1000)
    await telemetry.close()
    if (stopSignal.aborted) log.info({ tookMs: Math.round(performance.now() - began) }, 'stopped')
  }
}

/** One of several processes: the first one has prepared the database and passes its address on. */
async function serveWorker(context: CommandContext): Promise<void> {
  const { config, log } = context
  const opened = await openDatabase({ config, log, make: false, serves: true })
  context.useClock(opened.database.clock)
  try {
    await runApp(opened.database, context, await openTls(context), async () => {})
  } finally {
    await opened.close()
    cluster.worker?.disconnect()
  }
}

/** Node treats an empty host as every address of the machine. */
function parseHost(text: string): string {
  if (text === '') throw new InvalidArgumentError('must not be empty')
  return text
}
