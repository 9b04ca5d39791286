import { callJson, type JsonCall, type Origin } from '../harness/call.js'
import { type EmbeddedServer, seed } from '../harness/database.js'
import { runProgram } from '../harness/programs.js'
import { median } from './compare.js'
import type { Report } from './report.js'

const PROFILES = 1_000
const MEMBERS = 10_000
const LISTS = 3
const UPDATES = 500
const size = { appInstances: 10, appResources: 10, priorities: 10, journeys: 1, users: 20 }

/** The time that large calls of users take. */
export async function benchLargeCalls(server: EmbeddedServer, report: Report): Promise<void> {
  const connectionString = await server.createDatabase('large_calls')
  const { key: token } = await seed(connectionString, size)
  const run = runProgram(['serve'], { DATABASE_URL: connectionString, PORT: '0' })
  const origin = /http\S+/.exec(await run.line('svc listens on'))?.[0] ?? ''
  const millisOf = (method: string, path: string, json?: unknown) => timed({ origin }, path, { method, token, json })
  const times: Record<'created' | 'unchanged' | 'changed', number[]> = { created: [], unchanged: [], changed: [] }
  for (let call = 0; call < MEMBERS / PROFILES; call++) {
    const ingest = (title: string) =>
      millisOf('POST', '/v2/user-ingestion/profiles', { source: 'bulk', profiles: profilesOf(call, title) })
    times.created.push(await ingest('New'))
    times.unchanged.push(await ingest('New'))
    times.changed.push(await ingest('Changed'))
  }
  for (const [outcome, millis] of Object.entries(times)) {
    report.note(`ingestion of ${PROFILES} profiles, ${outcome}, ms`, median(millis))
  }
  const lists: number[] = []
  for (let time = 0; time < LISTS; time++) lists.push(await millisOf('GET', '/v2/users'))
  report.note(`list of ${MEMBERS} users, ms`, median(lists))
  const updates: number[] = []
  for (let count = 0; count < UPDATES; count++) {
    updates.push(await millisOf('PUT', '/v2/users/user-1', { lastName: `L${count}` }))
  }
  report.note('update of one user, ms', median(updates))
  run.process.kill('SIGTERM')
  await run.ended()
}

function profilesOf(call: number, jobTitle: string) {
  return Array.from({ length: PROFILES }, (_, index) => ({
    externalId: `${call}-${index}`,
    email: `bulk-${call}-${index}@example.com`,
    firstName: 'Ada',
    lastName: 'L',
    primaryPhone: `+1212${200 + call}${String(index).padStart(4, '0')}`,
    timezone: 'Europe/Paris',
    locale: 'en-GB',
    department: `Department ${index % 20}`,
    jobTitle,
    managerEmail: `bulk-${call}-${Math.floor(index / 10)}@example.com`,
  }))
}

async function timed(service: Origin, path: string, call: JsonCall): Promise<number> {
  const { status, millis, text } = await callJson(service, path, call)
  if (status !== 200) throw new Error(`${call.method} ${path}: ${text.slice(0, 500)}`)
  return millis
}
