import { drain } from './drain.js'
import { failover } from './failover.js'
import { flood } from './flood.js'
import { kill } from './kill.js'
import { overload } from './overload.js'
import { readOnly } from './read-only.js'
import { refuse } from './refuse.js'
import { repeat } from './repeat.js'
import { restarts } from './restarts.js'
import { silence } from './silence.js'
import { slow } from './slow.js'
import { type DatabaseServer, databaseServers, setStage } from './stage.js'
import { sync } from './sync.js'
import type { Finding, Trial } from './trial.js'
import { upgrade } from './upgrade.js'

// Run: npm run trial [-- name…]. On the embedded database, and on that of TEST_DATABASE_URL if it is set.

const trials: readonly Trial[] = [
  kill,
  silence,
  readOnly,
  overload,
  drain,
  slow,
  flood,
  refuse,
  repeat,
  failover,
  restarts,
  upgrade,
  sync,
]
/** How long a trial may take by default. */
const LIMIT_MILLIS = 120_000

const asked = process.argv.slice(2)
const names = trials.map(({ name }) => name)
const unknown = asked.filter((name) => !names.includes(name))
if (unknown.length > 0) throw new Error(`no trial ${unknown.join(', ')}; there are ${names.join(', ')}`)
const chosen = trials.filter(
  ({ name, onlyIfNamed }) => (asked.length === 0 && onlyIfNamed !== true) || asked.includes(name),
)

let missed = 0
for (const [index, start] of databaseServers(process.env['TEST_DATABASE_URL']).entries()) {
  const server = await start()
  try {
    for (const trial of chosen) {
      if (index === 0 || trial.onEachDatabase) missed += print(trial, server, await hold(trial, server))
    }
  } finally {
    await server.stop()
  }
}
console.log(missed === 0 ? '\nAll promises are kept.' : `\n${missed} promises are MISSED.`)
// What an overdue trial leaves behind does not keep the program alive.
process.exit(missed === 0 ? 0 : 1)

/** The outcome of the promises; a trial that fails or takes too long has kept none. */
async function hold(trial: Trial, server: DatabaseServer): Promise<readonly Finding[]> {
  const { stage, clear } = await setStage(server)
  const { limitMillis = LIMIT_MILLIS } = trial
  const overdue = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`more than ${limitMillis / 1000} s`)), limitMillis).unref()
  })
  try {
    return await Promise.race([trial.run(stage), overdue])
  } catch (error) {
    console.error(error)
    return [{ promise: 'the trial comes to its end', measured: String(error), kept: false }]
  } finally {
    await clear()
  }
}

/** Prints the table of a trial; returns how many promises were broken. */
function print({ name }: Trial, server: DatabaseServer, findings: readonly Finding[]): number {
  console.log(`\n${name}, ${server.name}`)
  for (const { promise, measured, kept } of findings) {
    console.log(`  ${promise.padEnd(84)} ${measured.padStart(16)}  ${kept ? 'kept' : 'MISSED'}`)
  }
  return findings.filter(({ kept }) => !kept).length
}
