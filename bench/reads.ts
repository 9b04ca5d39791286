import { callJson } from '../harness/call.js'
import { type EmbeddedServer, seed, withDatabase } from '../harness/database.js'
import { runProgram } from '../harness/programs.js'
import { place } from '../harness/records.js'
import { median } from './compare.js'
import { insertBulk, insertEvents } from './growth-seed.js'
import type { Report } from './report.js'

const ROWS = 100_000
const EVENTS = 1_000_000
const CALLS = 9
const size = { appInstances: 100, appResources: 100, priorities: 10, journeys: 10, users: 20 }

/** What a call may take that reads the rows of an organization because no index serves it. */
const LIST_MILLIS = 150
const LOG_MILLIS = 1_500

/** With filters that nearly all match, or next to none: by words, and by what has no index. */
const countedLists = [
  '/v2/users?pageSize=100',
  '/v2/users?q=person&pageSize=100',
  '/v2/users?q=person%2099999&pageSize=100',
  '/v2/users?role=USER_ROLE_ORG_GUEST',
  '/v2/users?department=nothing',
  '/v2/users?field=USER_PROFILE_FIELD_JOB_TITLE&owner=FIELD_OWNER_AUTOMATION&pageSize=100',
  '/v2/app-resources?q=resource',
  '/v2/app-resources?externalId=nothing',
  '/v2/app-resources?resourceType=nothing',
  '/v2/journeys?isFailing=true',
  '/v2/journeys?isOverdue=false',
  '/v2/journeys?requesterUserId=nobody',
]
const otherLists = [
  `/v2/app-instances?teamId=${place.team}&pageSize=100`,
  '/v2/app-instances?teamId=-&q=application&pageSize=100',
  '/v2/audit-events?targetId=bulk-7',
  '/v2/audit-events?pageSize=100',
]
const rareEvents = ['action=team.delete', 'actorId=nobody', 'requestId=nothing', 'targetType=nothing']

/** Whole calls in one organization with 100,000 rows of each kind and 1,000,000 audit events. */
export async function benchReads(server: EmbeddedServer, report: Report): Promise<void> {
  const connectionString = await server.createDatabase('reads')
  const { key: token } = await seed(connectionString, size)
  const url = new URL(connectionString)
  url.searchParams.set('options', '-c session_replication_role=replica')
  const fill = async (database: Parameters<typeof insertBulk>[0]) => {
    await insertBulk(database, ROWS)
    await insertEvents(database, EVENTS)
  }
  await withDatabase(url.href, fill, 600_000)
  await withDatabase(connectionString, ({ pool }) => pool.query('VACUUM ANALYZE'), 600_000)
  const run = runProgram(['serve'], { DATABASE_URL: connectionString, PORT: '0' })
  const origin = /http\S+/.exec(await run.line('svc listens on'))?.[0] ?? ''
  const millisOf = async (path: string) => {
    const times: number[] = []
    for (let call = 0; call < CALLS; call++) {
      const { status, millis, text } = await callJson({ origin }, path, { method: 'GET', token })
      if (status !== 200) throw new Error(`GET ${path}: ${text.slice(0, 500)}`)
      times.push(millis)
    }
    return median(times)
  }
  const atMost = async (path: string, most: number) => report.atMost(`GET ${path}, ms`, await millisOf(path), most)
  try {
    for (const path of countedLists.flatMap((each) => [each, `${each}&includeTotal=true`]))
      await atMost(path, LIST_MILLIS)
    for (const path of otherLists) await atMost(path, LIST_MILLIS)
    for (const filter of rareEvents) await atMost(`/v2/audit-events?${filter}`, LOG_MILLIS)
  } finally {
    run.process.kill('SIGTERM')
    await run.ended()
  }
}
