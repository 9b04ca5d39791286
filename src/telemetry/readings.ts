import { type Aggregator, Counter, Gauge, type Registry } from 'prom-client'

/** What a metric has now: a value, none, or several by the values of its label. */
type Reading = number | undefined | Readonly<Record<string, number>>

/** A metric that is read from what it is about whenever metrics are asked for. */
export interface ReadMetric {
  readonly name: string
  readonly help: string
  /** Only for several values. */
  readonly label?: string
  /** How the values of several processes become one. Default: their sum. */
  readonly aggregator?: Aggregator
  readonly read: () => Reading | Promise<Reading>
}

/** Reads a value that goes up and down. */
export function addGauge(registry: Registry, { label, read, ...metric }: ReadMetric): void {
  new Gauge({
    ...metric,
    labelNames: label === undefined ? [] : [label],
    registers: [registry],
    async collect() {
      const reading = await read()
      if (reading === undefined) this.remove()
      for (const [labels, value] of seriesOf(reading, label)) this.set(labels, value)
    },
  })
}

/** Reads a number that only grows, and that its owner counts. */
export function addCounter(registry: Registry, { label, read, ...metric }: ReadMetric): void {
  new Counter({
    ...metric,
    labelNames: label === undefined ? [] : [label],
    registers: [registry],
    async collect() {
      const reading = await read()
      this.reset()
      for (const [labels, value] of seriesOf(reading, label)) this.inc(labels, value)
    },
  })
}

function seriesOf(reading: Reading = {}, label = ''): (readonly [Readonly<Record<string, string>>, number])[] {
  if (typeof reading === 'number') return [[{}, reading]]
  return Object.entries(reading).map(([name, value]) => [{ [label]: name }, value])
}
