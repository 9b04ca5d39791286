import { type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client'
import type { CallObserver } from '../call/serve-call.js'
import type { StatementObserver } from '../db/tables.js'
import type { Tally } from '../handlers/tally.js'
import type { RequestObserver } from '../http/request-handler.js'
import { type WatchedParts, watchParts } from './app-meters.js'
import { createCallMeters, createRequestMeters, createStatementMeters, createTallyMeters } from './observers.js'
import { watchProcess } from './process-meters.js'

/** The metrics of one process: the observers, and what they have counted. */
export interface Meters {
  readonly calls: CallObserver
  readonly requests: RequestObserver
  readonly statements: StatementObserver
  readonly tally: Tally
  /** Adds the metrics of a service; must be called only once. */
  watch(parts: WatchedParts): void
  /** All metrics in Prometheus' text format. */
  text(): Promise<string>
  /** All metrics, for another process to add up. */
  values(): Promise<MetricValues>
  close(): void
}

/** Metrics as processes send them to each other. */
export type MetricValues = MetricObjectWithValues<MetricValue<string>>[]

/** Makes the metrics of this process. */
export function createMeters(build: Readonly<Record<'version' | 'commit', string>>): Meters {
  const registry = new Registry()
  const endWatch = watchProcess(registry, build)
  return {
    calls: createCallMeters(registry),
    requests: createRequestMeters(registry),
    statements: createStatementMeters(registry),
    tally: createTallyMeters(registry),
    watch: (parts) => watchParts(registry, parts),
    text: () => registry.metrics(),
    values: () => registry.getMetricsAsJSON(),
    close: endWatch,
  }
}
