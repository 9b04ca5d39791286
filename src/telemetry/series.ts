import { Counter, Histogram, type Registry } from 'prom-client'

/** The options of a metric whose series differ in labels. */
export interface SeriesOptions {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly string[]
  /**
   * The most series. All further ones are counted under the label `other`, so that callers who invent labels cannot
   * fill the memory.
   */
  readonly most: number
  readonly registry: Registry
}

/** One series of a counter. */
export interface Count {
  value: number
}

/** Makes a counter. The caller keeps its series, because looking up labels costs more than counting. */
export function createCounts(options: SeriesOptions): (...labels: string[]) => Count {
  const { name, help, labelNames, registry } = options
  const counts: (Count & { readonly labels: Labels })[] = []
  new Counter({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      this.reset()
      for (const { labels, value } of counts) this.inc(labels, value)
    },
  })
  return createMembers(options, (labels) => {
    const count = { labels, value: 0 }
    counts.push(count)
    return count
  })
}

/** One series of a histogram. */
export interface Times {
  observe(seconds: number): void
}

/** Makes a histogram of seconds; `bounds` are the upper limits of its buckets, in order. */
export function createTimes(
  options: SeriesOptions & { readonly bounds: readonly number[] },
): (...labels: string[]) => Times {
  const histogram = new TimesHistogram(options)
  return createMembers(options, (labels) => histogram.add(labels))
}

type Labels = Readonly<Record<string, string>>

/** Keeps at most `most` members, the last of which takes everything else. */
function createMembers<Member>({ labelNames, most }: SeriesOptions, make: (labels: Labels) => Member) {
  let left = most - 1
  let others: Member | undefined
  return (...values: string[]): Member => {
    if (left > 0) {
      left--
      return make(Object.fromEntries(labelNames.map((label, place) => [label, values[place] ?? ''])))
    }
    others ??= make(Object.fromEntries(labelNames.map((label) => [label, 'other'])))
    return others
  }
}

class Distribution implements Times {
  readonly labels: Labels
  readonly #bounds: readonly number[]
  /** By bound, the values above the previous one; the last counts those above all bounds. */
  readonly counts: number[]
  sum = 0

  constructor(labels: Labels, bounds: readonly number[]) {
    this.labels = labels
    this.#bounds = bounds
    this.counts = [...bounds.map(() => 0), 0]
  }

  observe(seconds: number): void {
    let place = 0
    for (const bound of this.#bounds) {
      if (seconds <= bound) break
      place++
    }
    this.counts[place] = (this.counts[place] ?? 0) + 1
    this.sum += seconds
  }
}

/** The library's own histogram looks up its labels for each value, which would be most of the cost of observing. */
class TimesHistogram extends Histogram {
  readonly #distributions: Distribution[] = []
  readonly #bounds: readonly number[]
  readonly #name: string
  readonly #help: string

  constructor({ name, help, labelNames, registry, bounds }: SeriesOptions & { readonly bounds: readonly number[] }) {
    super({ name, help, labelNames, buckets: [...bounds], registers: [registry] })
    this.#bounds = bounds
    this.#name = name
    this.#help = help
  }

  add(labels: Labels): Times {
    const distribution = new Distribution(labels, this.#bounds)
    this.#distributions.push(distribution)
    return distribution
  }

  /** The library calls this to print the series of a histogram and to send them to another process. */
  async getForPromString() {
    const values = this.#distributions.flatMap((each) => valuesOf(this.#name, each, this.#bounds))
    return { name: this.#name, help: this.#help, type: 'histogram', aggregator: 'sum', values }
  }
}

function valuesOf(name: string, { labels, counts, sum }: Distribution, bounds: readonly number[]) {
  let count = 0
  const series = (end: string, value: number, own: Labels = {}) => ({
    metricName: `${name}_${end}`,
    labels: Object.assign({}, labels, own),
    sharedLabels: {},
    value,
  })
  const buckets = counts.map((value, place) => {
    count += value
    return series('bucket', count, { le: String(bounds[place] ?? '+Inf') })
  })
  return [...buckets, series('sum', sum), series('count', count)]
}
