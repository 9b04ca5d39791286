import cluster from 'node:cluster'
import type { Logger } from 'pino'
import type { Config } from '../config.js'
import { packageRoot, packageVersion, readBuild } from '../package.js'
import type { Meters } from '../telemetry/meters.js'
import type { MetricsServer } from '../telemetry/metrics-server.js'
import { originOf } from './command-context.js'

type MetricsConfig = Pick<Config, 'metricsPort' | 'metricsHost'>

/**
 * Starts the metrics and traces of a process that serves calls, as far as the configuration asks for them; without
 * them, none of their code is loaded. A worker sends its metrics to the first process, others serve them. Throws if the
 * port for metrics is unavailable.
 */
export async function openTelemetry(config: MetricsConfig & Pick<Config, 'isTraced' | 'traceProtocol'>, log: Logger) {
  const root = packageRoot()
  let meters: Meters | undefined
  let server: MetricsServer | undefined
  if (config.metricsPort !== undefined) {
    meters = (await import('../telemetry/meters.js')).createMeters(readBuild(root))
    if (cluster.isPrimary) server = await serve(config, meters.text, log)
    else (await import('../telemetry/worker-metrics.js')).sendMetrics(meters.values)
  }
  const tracing = config.isTraced
    ? (await import('../telemetry/tracing.js')).startTracing({
        version: packageVersion(root),
        log,
        protocol: config.traceProtocol,
      })
    : undefined
  return {
    meters,
    tracing,
    close: async () => {
      meters?.close()
      await Promise.all([server?.close(), tracing?.close()])
    },
  }
}

export async function openWorkerMetrics(config: MetricsConfig, log: Logger): Promise<MetricsServer | undefined> {
  if (config.metricsPort === undefined) return undefined
  const { sumOfWorkers } = await import('../telemetry/worker-metrics.js')
  return serve(config, sumOfWorkers(), log)
}

async function serve({ metricsHost, metricsPort = 0 }: MetricsConfig, text: () => Promise<string>, log: Logger) {
  const { serveMetrics } = await import('../telemetry/metrics-server.js')
  const server = await serveMetrics({ port: metricsPort, host: metricsHost, text, log })
  log.info(`metrics are served at ${originOf(server.address.address, server.address.port)}/metrics`)
  return server
}
