import pg from 'pg'
import { pino } from 'pino'
import { createApp } from '../src/app.js'
import { configFromEnvironment } from '../src/config.js'
import { createDatabase } from '../src/db/database.js'
import { systemRuntime } from '../src/runtime/runtime.js'
import { databaseUrl } from '../test/support/database-url.js'
import { fixture, insertApiKey, insertFixture } from '../test/support/fixture.js'
import { withSql } from '../test/support/sql.js'
import { startTestRun } from '../test/support/test-run.js'
import type { RaceGround } from '../test/support/user-races.js'

// The time that large calls of users take.
// Run: npx tsc -p tsconfig.json --noEmit false && node dist/bench/large-calls.js

const PROFILES = 1_000
const MEMBERS = 10_000

const { run, stop } = await startTestRun(process.env['TEST_DATABASE_URL'] || undefined)
const name = `${run.prefix}large_calls`
const admin = new pg.Client({ connectionString: run.adminUrl })
await admin.connect()
await admin.query(`CREATE DATABASE ${name} TEMPLATE ${run.template}`)
const log = pino({ level: 'error' }, pino.destination(2))
const database = withSql(createDatabase({ connectionString: databaseUrl(run.adminUrl, name), log }))
const app = createApp({ config: configFromEnvironment({}), database, runtime: systemRuntime, log })

try {
  await insertFixture(database)
  const { port } = await app.listen(0, '127.0.0.1')
  const ground = await raceGroundOn(`http://127.0.0.1:${port}`)
  await largeCalls(ground)
} finally {
  await app.close()
  await database.close()
  await admin.query(`DROP DATABASE ${name}`)
  await admin.end()
  await stop()
}

async function raceGroundOn(baseUrl: string): Promise<RaceGround> {
  const { token: keyToken } = await insertApiKey(database, { organizationId: fixture.acme })
  return {
    keyToken,
    rest: async (method, path, { token, json }) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const body = json === undefined ? null : JSON.stringify(json)
      const response = await fetch(baseUrl + path, { method, headers, body })
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, json: JSON.parse(text) }
    },
  }
}

async function largeCalls(ground: RaceGround): Promise<void> {
  for (let call = 0; call < MEMBERS / PROFILES; call++) {
    const profiles = (title: string) =>
      Array.from({ length: PROFILES }, (_, index) => ({
        externalId: `${call}-${index}`,
        email: `bulk-${call}-${index}@example.com`,
        firstName: 'Ada',
        lastName: 'L',
        primaryPhone: `+1212${200 + call}${String(index).padStart(4, '0')}`,
        timezone: 'Europe/Paris',
        locale: 'en-GB',
        department: `Department ${index % 20}`,
        jobTitle: title,
        managerEmail: `bulk-${call}-${Math.floor(index / 10)}@example.com`,
      }))
    const ingest = (title: string) =>
      timed(ground, 'POST', '/v2/user-ingestion/profiles', { source: 'bulk', profiles: profiles(title) })
    const times = [await ingest('New'), await ingest('New'), await ingest('Changed')]
    console.log(`ingestion of ${PROFILES}, ms: created ${times[0]}, unchanged ${times[1]}, changed ${times[2]}`)
  }
  for (let time = 0; time < 3; time++) {
    console.log(`list of ${MEMBERS} users, ms: ${await timed(ground, 'GET', '/v2/users')}`)
  }
  const userId = fixture.users.viewer
  const samples: number[] = []
  for (let count = 0; count < 500; count++) {
    samples.push(Number(await timed(ground, 'PUT', `/v2/users/${userId}`, { lastName: `L${count}` })))
  }
  console.log(`update of one user, ms: median ${samples.toSorted((a, b) => a - b)[250]}`)
}

async function timed(ground: RaceGround, method: string, path: string, json?: unknown): Promise<string> {
  const start = performance.now()
  const answer = await ground.rest(method, path, { token: ground.keyToken, json })
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.text.slice(0, 500)}`)
  return (performance.now() - start).toFixed(1)
}
