import cluster from 'node:cluster'
import type { Logger } from 'pino'
import type { Config } from '../config.js'
import { packageRoot, packageVersion } from '../package.js'
import type { Meters } from '../telemetry/meters.js'
import { originOf } from './origin.js'

type MetricsConfig = Pick<Config, 'metricsPort' | 'metricsHost'>

/** The metrics of this process, and where they are served. */
export interface OpenedMetrics {
  readonly meters: Meters
  close(): Promise<void>
}

/**
 * Makes the metrics of a process that answers calls, where the configuration asks for them, and serves them; a worker tells
 * them to its first process instead. Nothing of them is loaded where nobody asks. Throws where the port cannot be had.
 */
export async function openMetrics(config: MetricsConfig, log: Logger): Promise<OpenedMetrics | undefined> {
  if (config.metricsPort === undefined) return undefined
  const { createMeters } = await import('../telemetry/meters.js')
  const meters = createMeters(packageVersion(packageRoot()))
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

/** Serves what the workers of this process tell, added up. */
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
