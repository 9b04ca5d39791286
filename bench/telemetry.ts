import { once } from 'node:events'
import { createServer } from 'node:http'
import { type EmbeddedServer, seed } from '../harness/database.js'
import { operationsSize } from '../harness/records.js'
import { startServer } from './child.js'
import { compare, type Rounds } from './compare.js'
import { operations } from './operation-requests.js'
import type { Report } from './report.js'

/** The least share of the throughput that remains with metrics, and with one call in ten traced as well. */
const WITH_METRICS = 0.97
const WITH_TRACES = 0.95
const TRACED_SHARE = 0.1
/** Nine of ten calls do not pass through the code for traces, so it takes longer until V8 has compiled it. */
const WARM_UP_MILLIS = 6_000
/** Each round is split into as many shorter ones, so that other work of the machine affects all contestants alike. */
const PARTS = 4

/** The cost of observing: the service with metrics and with traces beside the service without, for two short calls. */
export async function benchTelemetry(
  server: EmbeddedServer,
  report: Report,
  rounds: Rounds,
  only?: string,
): Promise<void> {
  const connectionString = await server.createDatabase('telemetry')
  const tokens = await seed(connectionString, operationsSize)
  const collector = await startCollector()
  const plain = await startServer('service', { connectionString })
  const metrics = await startServer('service', { connectionString, metrics: true })
  const tracing = { collector: collector.url, share: TRACED_SHARE }
  const traces = await startServer('service', { connectionString, metrics: true, tracing })
  try {
    for (const { name, requests } of operations(tokens).slice(0, 2)) {
      if (only !== undefined && !name.includes(only)) continue
      const contestants = [
        { name: 'plain', server: plain, requests },
        { name: 'metrics', server: metrics, requests },
        { name: 'traces', server: traces, requests },
      ]
      await compare(contestants, { ...rounds, rounds: 0, millis: WARM_UP_MILLIS })
      const short = { ...rounds, rounds: rounds.rounds * PARTS, millis: rounds.millis / PARTS }
      const standings = await compare(contestants, short)
      report.standings(`${name}, watched`, standings)
      const [, withMetrics, withTraces] = standings
      if (withMetrics === undefined || withTraces === undefined) throw new Error('one is missing')
      report.atLeast(`${name}: throughput with metrics over that without`, withMetrics.ratio, WITH_METRICS)
      report.atLeast(`${name}: the same, with one call of ten traced as well`, withTraces.ratio, WITH_TRACES)
    }
  } finally {
    for (const watched of [plain, metrics, traces]) await watched.stop()
    await collector.stop()
  }
}

/** Takes spans and forgets them. */
async function startCollector(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the collector has no TCP address')
  return {
    url: `http://127.0.0.1:${address.port}`,
    stop: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
