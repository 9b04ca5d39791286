import cluster from 'node:cluster'
import type { Logger } from 'pino'
import type { Config } from '../config.js'
import { packageRoot, packageVersion, readBuild } from '../package.js'
import type { Meters } from '../telemetry/meters.js'
import type { MetricsServer } from '../telemetry/metrics-server.js'
import type { Tracing } from '../telemetry/tracing.js'
import { originOf } from './command-context.js'

type MetricsConfig = Pick<Config, 'metricsPort' | 'metricsHost'>

/** The telemetry of a process that serves calls. */
export interface Telemetry {
  readonly meters: Meters | undefined
  readonly tracing: Tracing | undefined
  close(): Promise<void>
}

/**
 * Starts the metrics and traces that the configuration asks for; without them, none of their code is loaded. Throws if
 * the port for metrics is unavailable.
 */
export async function openTelemetry(config: MetricsConfig & Pick<Config, 'isTraced'>, log: Logger): Promise<Telemetry> {
  const meters = config.metricsPort === undefined ? undefined : await openMeters()
  const server = meters && (await publish(meters, config, log))
  const tracing = config.isTraced ? await openTracing(log) : undefined
  return {
    meters,
    tracing,
    close: async () => {
      meters?.close()
      await Promise.all([server?.close(), tracing?.close()])
    },
  }
}

async function openTracing(log: Logger): Promise<Tracing> {
  const { startTracing } = await import('../telemetry/tracing.js')
  return startTracing({ version: packageVersion(packageRoot()), log })
}

async function openMeters(): Promise<Meters> {
  const { createMeters } = await import('../telemetry/meters.js')
  return createMeters(readBuild(packageRoot()))
}

/** Serves the metrics of this process; a worker sends them to the first process instead. */
async function publish(meters: Meters, config: MetricsConfig, log: Logger): Promise<MetricsServer | undefined> {
  if (cluster.isPrimary) return serve(config, meters.text, log)
  const { sendMetrics } = await import('../telemetry/worker-metrics.js')
  sendMetrics(meters.values)
  return undefined
}

/** Serves the sum of the metrics of the workers, if metrics are configured. */
export async function openWorkerMetrics(config: MetricsConfig, log: Logger): Promise<MetricsServer | undefined> {
  if (config.metricsPort === undefined) return undefined
  const { sumOfWorkers } = await import('../telemetry/worker-metrics.js')
  return serve(config, sumOfWorkers(), log)
}

async function serve(
  { metricsHost: host, metricsPort: port = 0 }: MetricsConfig,
  text: () => Promise<string>,
  log: Logger,
) {
  const { serveMetrics } = await import('../telemetry/metrics-server.js')
  const server = await serveMetrics({ port, host, text, log })
  log.info(`metrics are served at ${originOf(server.address.address, server.address.port)}/metrics`)
  return server
}
