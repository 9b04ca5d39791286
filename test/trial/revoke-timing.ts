import { systemRuntime } from '../../src/runtime/runtime.js'
import { insertFixture } from '../support/fixture.js'
import { areaUnderCurve, measureRevokeTimes, type RevokeTimes, secretKinds } from '../support/revoke-times.js'
import { withDatabase } from './database.js'
import type { Stage } from './stage.js'
import type { Finding, Trial } from './trial.js'

const WARM_UP = 20
/** How far from 0.5 the measure may be. */
const TOLERANCE = 0.05

/** Whether the duration of a revocation reveals what the secret was: requests of every kind, compared in pairs. */
export const revokeTiming: Trial = {
  name: 'revoke-timing',
  onEachDatabase: false,
  onlyIfNamed: true,
  amount: { of: 'requests of each kind', full: 2_000, short: 100 },
  run,
}

async function run(stage: Stage, samples: number): Promise<readonly Finding[]> {
  const { origin: baseUrl } = await stage.serve({ environment: { TRUST_PROXY: '1' } })
  const times = await withDatabase(stage.connectionString, async (database) => {
    await insertFixture(database)
    await measureRevokeTimes({ baseUrl, database, runtime: systemRuntime, samples: WARM_UP })
    return measureRevokeTimes({ baseUrl, database, runtime: systemRuntime, samples })
  })
  print(times)
  // With fewer times the measure of equal distributions lies further apart.
  const tolerance = Math.max(TOLERANCE, 2 / Math.sqrt(samples))
  return secretKinds.flatMap((first, index) =>
    secretKinds.slice(index + 1).map((second) => {
      const area = areaUnderCurve(times[first], times[second])
      const promise = `times do not distinguish ${first} from ${second}`
      return { promise, measured: area.toFixed(3), kept: Math.abs(area - 0.5) <= tolerance }
    }),
  )
}

function print(times: RevokeTimes): void {
  for (const kind of secretKinds) {
    const sorted = times[kind].toSorted((a, b) => a - b)
    const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(2)
    console.log(`  ${kind.padEnd(10)} ms: median ${at(0.5)}, 1 % ${at(0.01)}, 99 % ${at(0.99)}`)
  }
}
