import { startEmbeddedServer } from '../harness/database.js'
import { benchCluster } from './cluster.js'
import { benchClusterMessages } from './cluster-messages.js'
import { benchEvents } from './events.js'
import { benchGrowth } from './growth.js'
import { benchLargeCalls } from './large-calls.js'
import { benchOperations } from './operations.js'
import { benchImport, benchMemory, benchStart } from './process-costs.js'
import { profileOperations } from './profile.js'
import { benchProtocols } from './protocols.js'
import { benchReads } from './reads.js'
import { createReport } from './report.js'
import { benchStatementNames } from './statement-names.js'
import { benchTelemetry } from './telemetry.js'
import { benchTranscoder } from './transcoder.js'
import { benchTurns } from './turns.js'

// Run: npm run bench [-- suite…]. ROUNDS and ROUND_MS set how long the comparisons take; ONLY picks operations by name.

const report = createReport((line) => console.log(line))
const rounds = { rounds: Number(process.env['ROUNDS'] ?? 7), millis: Number(process.env['ROUND_MS'] ?? 2_000) }
const growthRows = Number(process.env['GROWTH_ROWS'] ?? 1_000_000)
const suites = {
  // First, because file systems make new files slowly after the other suites have deleted theirs.
  start: () => benchStart(report),
  operations: withServer((server) => benchOperations(server, report, rounds, process.env['ONLY'])),
  protocols: () => benchProtocols(report, rounds, process.env['ONLY']),
  telemetry: withServer((server) => benchTelemetry(server, report, rounds, process.env['ONLY'])),
  transcoder: () => benchTranscoder(report),
  import: withServer((server) => benchImport(server, report)),
  memory: withServer((server) => benchMemory(server, report)),
  events: withServer((server) => benchEvents(server, report)),
  reads: withServer((server) => benchReads(server, report)),
  growth: withServer((server) => benchGrowth(server, report, rounds, growthRows, process.env['ONLY'])),
}
// Suites that run only if they are named.
const extras = {
  'large-calls': withServer((server) => benchLargeCalls(server, report)),
  // Between two empty databases, of which CITUS_URL is on the coordinator of a cluster.
  cluster: () =>
    benchCluster(
      { one: settingOf('DATABASE_URL'), cluster: settingOf('CITUS_URL') },
      report,
      rounds,
      process.env['ONLY'],
    ),
  // On the cluster to which CITUS_URL belongs, with up to eight of its workers.
  'cluster-messages': () => benchClusterMessages(settingOf('CITUS_URL'), report),
  'statement-names': withServer((server) => benchStatementNames(server, report, rounds, process.env['ONLY'])),
  // Between this build and that of another checkout, in the folder BEFORE.
  turns: withServer((server) => benchTurns(server, report, rounds, settingOf('BEFORE'), process.env['ONLY'])),
  profile: withServer((server) => profileOperations(server, rounds, process.env['ONLY'], process.env['PROGRAM'])),
}

function settingOf(variable: string): string {
  const value = process.env[variable]
  if (value === undefined) throw new Error(`${variable} is not set`)
  return value
}

function withServer(
  bench: (server: Awaited<ReturnType<typeof startEmbeddedServer>>) => Promise<void>,
): () => Promise<void> {
  return async () => {
    const server = await startEmbeddedServer()
    try {
      await bench(server)
    } finally {
      await server.stop()
    }
  }
}

const all = { ...suites, ...extras }
const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !Object.hasOwn(all, name))
if (unknown.length > 0) throw new Error(`no suite ${unknown.join(', ')}; there are ${Object.keys(all).join(', ')}`)
for (const [name, bench] of Object.entries(asked.length === 0 ? suites : all)) {
  if (asked.length === 0 || asked.includes(name)) await bench()
}
report.finish('dist/bench.json')
