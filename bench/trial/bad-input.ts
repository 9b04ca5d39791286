import { insertFixture } from '../../test/support/fixture.js'
import { withDatabase } from '../database.js'
import { openClient } from './bad-input/client.js'
import { doorNames } from './bad-input/door.js'
import { fuzz } from './bad-input/fuzz.js'
import { insertCredentials, tidy } from './bad-input/people.js'
import { allOf, atMost, type Finding, type Trial } from './trial.js'

const MIB = 2 ** 20
/** What the memory may grow by between the first fifth of a door's requests and its end. */
const GROWTH_MIB = 64

/** Generated and mutated requests of every method, through every door. */
export const badInput: Trial = {
  name: 'bad-input',
  onEachDatabase: false,
  limitMillis: 3_600_000,
  amount: { of: 'requests through each door', full: 100_000, short: 500 },
  run: async (stage, requests) => {
    const seed = Number(process.env['TORTURE_SEED'] ?? Date.now() % 1_000_000)
    console.log(`  seed ${seed}`)
    // Callers of revoke come from different addresses.
    const service = await stage.serve({ environment: { TRUST_PROXY: '1' } })
    return withDatabase(stage.connectionString, async (database) => {
      await insertFixture(database)
      const credentials = await insertCredentials(database)
      const findings: Finding[] = []
      for (const door of doorNames) {
        const client = openClient(service.port)
        const plan = { client, credentials, seed, tidy: () => tidy(database) }
        await fuzz(door, { ...plan, requests: requests / 5 })
        const before = service.memory()
        const start = performance.now()
        const { sent, statuses, fault } = await fuzz(door, { ...plan, requests, seed: seed + 1 })
        client.close()
        if (fault !== undefined) console.log(fault)
        const counts = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
        console.log(`  ${door}: ${(performance.now() - start).toFixed(0)} ms; ${counts.join(', ')}`)
        const growth = (service.memory() - before) / MIB
        findings.push(
          allOf(`${door}: requests are answered by the contract`, fault === undefined ? sent : 0, Math.max(sent, 1)),
          atMost(`${door}: memory grows by`, growth, GROWTH_MIB, 'MiB'),
        )
      }
      return findings
    })
  },
}
