import { type Aggregator, Counter, Gauge, type Registry } from 'prom-client'

/** The current state of a metric: a value, none, or several by the values of its label. */
type Reading = number | undefined | Readonly<Record<string, number>>

/** A metric whose value is read whenever metrics are requested. */
export interface ReadMetric {
  readonly name: string
  readonly help: string
  readonly label?: string
  /** How the values of several processes become one. Default: their sum. */
  readonly aggregator?: Aggregator
  readonly read: () => Reading | Promise<Reading>
}

/** Reads values that go up and down and, where the name ends in `_total`, numbers that only grow. */
export function addReadings(registry: Registry, metrics: readonly ReadMetric[]): void {
  for (const { label, read, ...metric } of metrics) {
    const config = {
      ...metric,
      labelNames: label === undefined ? [] : [label],
      registers: [registry],
      collect: async () => {
        const reading = await read()
        if (reading === undefined) shown.remove()
        else shown.reset()
        if (typeof reading === 'number') shown.inc(reading)
        else for (const [name, value] of Object.entries(reading ?? {})) shown.inc({ [label ?? '']: name }, value)
      },
    }
    const shown = metric.name.endsWith('_total') ? new Counter(config) : new Gauge(config)
  }
}
