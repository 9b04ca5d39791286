import cluster from 'node:cluster'
import type { Logger } from 'pino'
import type { Config } from '../config.js'
import { packageRoot, packageVersion, readBuild } from '../package.js'
import type { Meters } from '../telemetry/meters.js'
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
  const metrics = await openMetrics(config, log)
  const tracing = config.isTraced ? await openTracing(log) : undefined
  return {
    meters: metrics?.meters,
    tracing,
    close: async () => {
      await Promise.all([metrics?.close(), tracing?.close()])
    },
  }
}

async function openTracing(log: Logger): Promise<Tracing> {
  const { startTracing } = await import('../telemetry/tracing.js')
  return startTracing({ version: packageVersion(packageRoot()), log })
}

interface OpenedMetrics {
  readonly meters: Meters
  close(): Promise<void>
}

/** A worker does not serve its metrics, but sends them to the first process. */
async function openMetrics(config: MetricsConfig, log: Logger): Promise<OpenedMetrics | undefined> {
  if (config.metricsPort === undefined) return undefined
  const { createMeters } = await import('../telemetry/meters.js')
  const meters = createMeters(readBuild(packageRoot()))
  if (cluster.isWorker) {
    const { tellMetrics } = await import('../telemetry/worker-metrics.js')
    tellMetrics(meters.values)
    return { meters, close: async () => meters.close() }
  }
  const server = await serve(config.metricsPort, config, meters.text, log)
  return {
    meters,
    close: async () => {
      meters.close()
      await server.close()
    },
  }
}

/** Serves the sum of the metrics of the workers. */
export async function openWorkerMetrics(
  config: MetricsConfig,
  log: Logger,
): Promise<{ close(): Promise<void> } | undefined> {
  if (config.metricsPort === undefined) return undefined
  const { createWorkerMetrics } = await import('../telemetry/worker-metrics.js')
  const metrics = createWorkerMetrics()
  const server = await serve(config.metricsPort, config, metrics.text, log)
  return {
    close: async () => {
      metrics.close()
      await server.close()
    },
  }
}

async function serve(port: number, { metricsHost: host }: MetricsConfig, text: () => Promise<string>, log: Logger) {
  const { serveMetrics } = await import('../telemetry/metrics-server.js')
  const server = await serveMetrics({ port, host, text, log })
  log.info(`metrics are served at ${originOf(server.address.address, server.address.port)}/metrics`)
  return server
}
