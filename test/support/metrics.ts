/** The served metrics: the value of each series. */
export interface Metrics {
  /** How many series there are. */
  readonly count: number
  readonly names: ReadonlySet<string>
  /** The sum of the series of a name that have these labels; 0 if there are none. */
  sum(name: string, labels?: Readonly<Record<string, string>>): number
}

/** Reads Prometheus' text format. Throws for a line that is not in it. */
export function metricsFromText(text: string): Metrics {
  const series = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(seriesFrom)
  return {
    count: series.length,
    names: new Set(series.map(({ name }) => name)),
    sum: (name, labels = {}) =>
      series
        .filter(
          (each) => each.name === name && Object.entries(labels).every(([key, value]) => each.labels[key] === value),
        )
        .reduce((sum, { value }) => sum + value, 0),
  }
}

function seriesFrom(line: string) {
  const match = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line)
  if (match === null || Number.isNaN(Number(match[3]))) throw new Error(`no series: ${line}`)
  const labels = [...(match[2] ?? '').matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value])
  return { name: match[1] ?? '', labels: Object.fromEntries(labels) as Record<string, string>, value: Number(match[3]) }
}
