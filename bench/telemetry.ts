import { startServer } from './child.js'
import { compare, type Rounds } from './compare.js'
import { type BenchServer, seed } from './database.js'
import { operations } from './operations.js'
import { operationsSize } from './records.js'
import type { Report } from './report.js'

/** The least share of the throughput that is left with metrics. */
const WITH_METRICS = 0.97

/** What it costs to be watched: the service with its metrics beside the service without, by two short calls. */
export async function benchTelemetry(
  server: BenchServer,
  report: Report,
  rounds: Rounds,
  only?: string,
): Promise<void> {
  const connectionString = await server.createDatabase('telemetry')
  const tokens = await seed(connectionString, operationsSize)
  const plain = await startServer('service', { connectionString })
  const metrics = await startServer('service', { connectionString, metrics: true })
  try {
    for (const { name, requests } of operations(tokens).slice(0, 2)) {
      if (only !== undefined && !name.includes(only)) continue
      const standings = await compare(
        [
          { name: 'plain', server: plain, requests },
          { name: 'metrics', server: metrics, requests },
        ],
        rounds,
      )
      report.standings(`${name}, watched`, standings)
      const [base, watched] = standings
      if (base === undefined || watched === undefined) throw new Error('a contestant is missing')
      const share = base.cpuMicrosPerRequest / watched.cpuMicrosPerRequest
      report.atLeast(`${name}: processor time without metrics over that with them`, share, WITH_METRICS)
    }
  } finally {
    await plain.stop()
    await metrics.stop()
  }
}
