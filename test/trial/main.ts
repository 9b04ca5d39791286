import { runTrial } from './run-trial.js'
import { databaseServers } from './stage.js'
import type { Finding, Trial } from './trial.js'
import { trials } from './trials.js'

// Run: npm run torture [-- [--short] name[=amount]…]. On the embedded database, and on that of TEST_DATABASE_URL if it is
// set.

const words = process.argv.slice(2)
const isShort = words.includes('--short')
const asked = new Map(
  words.filter((word) => word !== '--short').map((word) => [word.split('=')[0] ?? '', word.split('=')[1]]),
)
const unknown = [...asked.keys()].filter((name) => !trials.some((trial) => trial.name === name))
if (unknown.length > 0) {
  throw new Error(`no trial ${unknown.join(', ')}; there are ${trials.map(({ name }) => name).join(', ')}`)
}
const chosen = trials.filter(({ name, onlyIfNamed }) => (asked.size === 0 && onlyIfNamed !== true) || asked.has(name))

let missed = 0
for (const [index, start] of databaseServers(process.env['TEST_DATABASE_URL']).entries()) {
  const server = await start()
  try {
    for (const trial of chosen) {
      if (index > 0 && !trial.onEachDatabase) continue
      const amount = amountOf(trial)
      console.log(`\n${trial.name}${amount === undefined ? '' : `, ${amount} ${trial.amount?.of}`}, ${server.name}`)
      missed += print(await runTrial(trial, server, amount))
    }
  } finally {
    await server.stop()
  }
}
console.log(missed === 0 ? '\nAll promises are kept.' : `\n${missed} promises are MISSED.`)
// What an overdue trial leaves behind does not keep the program alive.
process.exit(missed === 0 ? 0 : 1)

/** The requested amount of a trial; undefined if it does one thing. Throws for an invalid amount. */
function amountOf({ name, amount }: Trial): number | undefined {
  const text = asked.get(name)
  if (text === undefined) return isShort ? amount?.short : amount?.full
  if (amount === undefined) throw new Error(`${name} takes no amount`)
  if (!(Number(text) > 0)) throw new Error(`${name}=${text}: the amount (${amount.of}) must be a number above 0`)
  return Number(text)
}

/** Prints the findings of a trial; returns how many promises were broken. */
function print(findings: readonly Finding[]): number {
  for (const { promise, measured, kept } of findings) {
    console.log(`  ${promise.padEnd(84)} ${measured.padStart(16)}  ${kept ? 'kept' : 'MISSED'}`)
  }
  return findings.filter(({ kept }) => !kept).length
}
