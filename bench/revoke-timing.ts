import pg from 'pg'
import { pino } from 'pino'
import { createApp } from '../src/app.js'
import { configFromEnvironment } from '../src/config.js'
import { createDatabase } from '../src/db/database.js'
import { parseTrustProxy } from '../src/http/client-address.js'
import { systemRuntime } from '../src/runtime/runtime.js'
import { databaseUrl } from '../test/support/database-url.js'
import { insertFixture } from '../test/support/fixture.js'
import { areaUnderCurve, measureRevokeTimes, secretKinds } from '../test/support/revoke-times.js'
import { withSql } from '../test/support/sql.js'
import { startTestRun } from '../test/support/test-run.js'

// Whether the duration of a revocation reveals what the secret was: the service over HTTP on a separate database, with
// requests of every kind in random order, compared in pairs. Fails if an area under the curve is not from 0.45 to 0.55.
// Run: npx tsc -p tsconfig.json --noEmit false && node dist/bench/revoke-timing.js. SAMPLES is the number of each kind.

const samples = Number(process.env['SAMPLES'] ?? 2_000)
const bounds = [0.45, 0.55] as const

const { run, stop } = await startTestRun(process.env['TEST_DATABASE_URL'] || undefined)
const name = `${run.prefix}revoke_timing`
const admin = new pg.Client({ connectionString: run.adminUrl })
await admin.connect()
await admin.query(`CREATE DATABASE ${name} TEMPLATE ${run.template}`)
const log = pino({ level: 'warn' }, pino.destination(2))
const database = withSql(createDatabase({ connectionString: databaseUrl(run.adminUrl, name), log }))
const config = { ...configFromEnvironment({}), trustProxy: parseTrustProxy('1') }
const app = createApp({ config, database, runtime: systemRuntime, log })
try {
  await insertFixture(database)
  const { port } = await app.listen(0, '127.0.0.1')
  const baseUrl = `http://127.0.0.1:${port}`
  await measureRevokeTimes({ baseUrl, database, runtime: systemRuntime, samples: 20 })
  const times = await measureRevokeTimes({ baseUrl, database, runtime: systemRuntime, samples })
  for (const kind of secretKinds) {
    const sorted = times[kind].toSorted((a, b) => a - b)
    const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(2)
    console.log(`${kind.padEnd(10)} ms: median ${at(0.5)}, 1 % ${at(0.01)}, 99 % ${at(0.99)}`)
  }
  for (const [index, first] of secretKinds.entries()) {
    for (const second of secretKinds.slice(index + 1)) {
      const area = areaUnderCurve(times[first], times[second])
      console.log(`${first} against ${second}: ${area.toFixed(3)}`)
      if (area < bounds[0] || area > bounds[1]) process.exitCode = 1
    }
  }
} finally {
  await app.close()
  await database.close()
  await admin.query(`DROP DATABASE ${name}`)
  await admin.end()
  await stop()
}
