import { type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client'
import { type WatchedParts, watchParts } from './app-meters.js'
import {
  createCallMeters,
  createEventMeters,
  createRequestMeters,
  createStatementMeters,
  createTallyMeters,
  createWebhookMeters,
} from './observers.js'
import { watchProcess } from './process-meters.js'

export type Meters = ReturnType<typeof createMeters>

/** Metrics as processes send them to each other. */
export type MetricValues = MetricObjectWithValues<MetricValue<string>>[]

export function createMeters(build: Readonly<Record<'version' | 'commit', string>>) {
  const registry = new Registry()
  const endWatch = watchProcess(registry, build)
  return {
    calls: createCallMeters(registry),
    requests: createRequestMeters(registry),
    statements: createStatementMeters(registry),
    tally: createTallyMeters(registry),
    events: createEventMeters(registry),
    webhooks: createWebhookMeters(registry),
    /** Adds the metrics of a service; must be called only once. */
    watch: (parts: WatchedParts) => watchParts(registry, parts),
    text: () => registry.metrics(),
    values: (): Promise<MetricValues> => registry.getMetricsAsJSON(),
    close: endWatch,
  }
}
