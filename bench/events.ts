import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { callJson } from '../harness/call.js'
import { type EmbeddedServer, seed, withDatabase } from '../harness/database.js'
import { type Run, runProgram } from '../harness/programs.js'
import { quantile } from '../harness/quantile.js'
import { place } from '../harness/records.js'
import { sequenceEvents } from '../src/store/event.js'
import type { Report } from './report.js'

const size = { appInstances: 10, appResources: 10, priorities: 50, journeys: 1, users: 20 }
const SECONDS = 30
const WRITES_PER_SECOND = 160
/** What one process writes while another is read. */
const ELSEWHERE_SECONDS = 15
const ELSEWHERE_PER_SECOND = 80
/** As many as are in the feed before its pages are measured. */
const WAITING = 20_000
const ORGANIZATIONS = 100
const PAGES = 50

/**
 * Measures how long events take to the feed and to a receiver at 160 writes a second, and what giving them positions
 * and reading them costs.
 */
export async function benchEvents(server: EmbeddedServer, report: Report): Promise<void> {
  const connectionString = await server.createDatabase('events')
  const { key, user } = await seed(connectionString, size)
  await withDatabase(connectionString, async (database) => {
    const inOne = await sequencedPerSecond(connectionString, [place.organization])
    report.atLeast('events that get positions a second, in one organization', inOne, 1_000)
    const ids = Array.from({ length: ORGANIZATIONS }, (_, index) => `organization-${index}`)
    await database.pool.query('INSERT INTO organizations (id, name) SELECT id, id FROM unnest($1::text[]) id', [ids])
    const inMany = await sequencedPerSecond(connectionString, ids)
    report.atLeast(`events that get positions a second, in ${ORGANIZATIONS} organizations`, inMany, 3_000)
  })
  const receiver = await receive()
  const environment = { WEBHOOK_ALLOW: `127.0.0.1:${receiver.port}`, SVC_SEAL_KEY: 'a key of thirty-two characters !!' }
  const serve = { DATABASE_URL: connectionString, PORT: '0', ...environment }
  try {
    await withProcess(serve, async (run, origin) => {
      report.atMost('processor time of a page of 1,000 events, ms', await costOfPage(run, origin, key), 15)
      const json = { url: `http://127.0.0.1:${receiver.port}/`, types: ['priority.update'] }
      await callJson({ origin }, '/v2/webhook-endpoints', { method: 'POST', token: user, json })
      // A process finds a new endpoint within a second.
      await wait(2_000)
      const reading = await follow(origin, key)
      await write(origin, user, WRITES_PER_SECOND, SECONDS)
      const readable = await reading.end()
      const sent = receiver.millis.length
      report.atLeast(`events read and sent at ${WRITES_PER_SECOND} writes a second`, sent, readable.length)
      report.atMost('commit to readable in the feed, p50, ms', quantile(readable, 0.5), 20)
      report.atMost('commit to readable in the feed, p99, ms', quantile(readable, 0.99), 250)
      report.atMost('commit to first webhook, p99, ms', quantile(receiver.millis, 0.99), 2_000)
      await withProcess(serve, async (_other, elsewhere) => {
        const reading = await follow(elsewhere, key)
        await write(origin, user, ELSEWHERE_PER_SECOND, ELSEWHERE_SECONDS)
        const readable = await reading.end()
        report.atLeast('events read at another process', readable.length, ELSEWHERE_PER_SECOND * ELSEWHERE_SECONDS)
        report.atMost('commit to readable at another process, p50, ms', quantile(readable, 0.5), 20)
        report.atMost('commit to readable at another process, p99, ms', quantile(readable, 0.99), 250)
      })
    })
  } finally {
    receiver.close()
  }
}

/** Runs a service for as long as it is used. */
async function withProcess(
  environment: Readonly<Record<string, string>>,
  use: (run: Run, origin: string) => Promise<void>,
): Promise<void> {
  const run = runProgram(['serve'], environment)
  try {
    await use(run, /http\S+/.exec(await run.line('svc listens on'))?.[0] ?? '')
  } finally {
    run.process.kill('SIGTERM')
    await run.ended()
  }
}

/** Puts events that have no positions into organizations, and gives them theirs through one connection. */
function sequencedPerSecond(connectionString: string, organizationIds: readonly string[]): Promise<number> {
  return withDatabase(connectionString, async (database) => {
    await database.pool.query(
      `INSERT INTO event_heads (organization_id) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING`,
      [organizationIds],
    )
    await database.pool.query(
      `WITH audited AS (
         INSERT INTO audit_events (id, organization_id, actor_kind, action, target_type, target_id)
         SELECT (left(gen_random_uuid()::text, 32) || '0000')::uuid, organization_id, 'SYSTEM', 'team.update', 'team',
                number::text
           FROM unnest($1::text[]) organization_id, generate_series(1, $2::int) number
         RETURNING id, organization_id
       )
       INSERT INTO event_outbox (organization_id, first_event_id, last_event_id, event_count)
       SELECT organization_id, id, id, 1 FROM audited`,
      [organizationIds, WAITING / organizationIds.length],
    )
    const start = performance.now()
    let moved = 0
    for (const organizationId of organizationIds) {
      for (let more = 1; more > 0; moved += more) {
        more = (await sequenceEvents(database, { organizationId }))?.events ?? 0
      }
    }
    return (moved * 1_000) / (performance.now() - start)
  })
}

/** Reads the first page again and again, first to warm up, and returns the processor time of one in milliseconds. */
async function costOfPage(run: Run, origin: string, token: string) {
  const read = async (query: string) => (await callJson({ origin }, `/v2/events?${query}`, { token })).text
  const readAll = async () => {
    for (let page = 0; page < PAGES; page++) {
      const { data } = JSON.parse(await read('pageSize=1000'))
      if (data.length !== 1_000) throw new Error(`a page had ${data.length} events`)
    }
  }
  await readAll()
  const before = run.cpuMicros()
  await readAll()
  return (run.cpuMicros() - before) / 1_000 / PAGES
}

/** Waits for events from now on until it is ended, which returns after how many milliseconds each was read. */
async function follow(origin: string, token: string) {
  const read = async (query: string) => JSON.parse((await callJson({ origin }, `/v2/events?${query}`, { token })).text)
  const millis: number[] = []
  let { nextCursor } = await read('cursor=latest')
  let isEnded = false
  const readAll = async () => {
    while (!isEnded) {
      const page = await read(`cursor=${nextCursor}&types=priority.update&waitSeconds=1&pageSize=1000`)
      for (const { occurredAt } of page.data) millis.push(Date.now() - Date.parse(occurredAt))
      nextCursor = page.nextCursor
    }
  }
  const reading = readAll()
  const end = async () => {
    await wait(2_000)
    isEnded = true
    await reading
    return millis
  }
  return { end }
}

/** A receiver of webhooks, and how many milliseconds after its commit each event came. */
async function receive() {
  const millis: number[] = []
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const { data } = JSON.parse(await text(request))
    millis.push(Date.now() - Date.parse(data.occurredAt))
    response.writeHead(204).end()
  }
  const server = createServer((request, response) => void take(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { port, millis, close: () => server.close() }
}

/** Changes priorities at a steady rate. */
async function write(origin: string, token: string, perSecond: number, seconds: number): Promise<void> {
  const running: Promise<unknown>[] = []
  const start = performance.now()
  for (let count = 0; count < perSecond * seconds; count++) {
    await wait(Math.max(0, start + (count * 1_000) / perSecond - performance.now()))
    const call = { method: 'PATCH', token, json: { description: `${count}` } }
    running.push(callJson({ origin }, `/v2/priorities/priority-${count % size.priorities}`, call))
  }
  await Promise.all(running)
}
