import { insertFixture } from '../support/fixture.js'
import { openClient } from './bad-input/client.js'
import { type FuzzResult, fuzz } from './bad-input/fuzz.js'
import { insertCredentials, tidy } from './bad-input/people.js'
import { protocolNames } from './bad-input/protocol.js'
import { withDatabase } from './database.js'
import { allOf, atMost, type Finding, type Trial } from './trial.js'

const MIB = 2 ** 20
/** The part of a protocol's requests before which the memory is not looked at. */
const FIRST_PART = 1 / 5
/** What the memory may grow by after it. */
const GROWTH_MIB = 64

/** Generated and mutated requests of every method, through every protocol. */
export const badInput: Trial = {
  name: 'bad-input',
  onEachDatabase: false,
  amount: { of: 'requests through each protocol', full: 100_000, short: 250 },
  run: async (stage, requests) => {
    const seed = Number(process.env['TORTURE_SEED'] ?? Date.now() % 1_000_000)
    console.log(`  seed ${seed}`)
    // Callers of revoke come from different addresses; a watch ends before its caller loses patience.
    const service = await stage.serve({ environment: { TRUST_PROXY: '1', MAX_CALL_SECONDS: '4' } })
    return withDatabase(stage.connectionString, async (database) => {
      await insertFixture(database)
      const credentials = await insertCredentials(database)
      const findings: Finding[] = []
      for (const protocol of protocolNames) {
        const client = openClient(service.port)
        const plan = { client, credentials, seed, tidy: () => tidy(database) }
        const start = performance.now()
        const first = await fuzz(protocol, { ...plan, requests: FIRST_PART * requests })
        const before = service.memory()
        const rest = await fuzz(protocol, { ...plan, requests: requests - first.sent, seed: seed + 1 })
        client.close()
        const sent = first.sent + rest.sent
        const fault = first.fault ?? rest.fault
        if (fault !== undefined) console.log(fault)
        console.log(`  ${protocol}: ${(performance.now() - start).toFixed(0)} ms; ${countsOf([first, rest])}`)
        const growth = (service.memory() - before) / MIB
        findings.push(
          allOf(
            `${protocol}: requests are answered by the contract`,
            fault === undefined ? sent : 0,
            Math.max(sent, 1),
          ),
          atMost(`${protocol}: memory grows by`, growth, GROWTH_MIB, 'MiB'),
        )
      }
      return findings
    })
  },
}

/** How many answers had which status. */
function countsOf(results: readonly FuzzResult[]): string {
  const counts = new Map<number, number>()
  for (const [status, count] of results.flatMap(({ statuses }) => [...statuses])) {
    counts.set(status, (counts.get(status) ?? 0) + count)
  }
  const sorted = [...counts].toSorted(([a], [b]) => a - b)
  return sorted.map(([status, count]) => `${status}: ${count}`).join(', ')
}
