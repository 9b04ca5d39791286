import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { callJson } from '../../harness/call.js'
import { quantile } from '../../harness/quantile.js'
import { killNext } from './kill-next.js'
import { execute, type ServiceRun, type Stage } from './stage.js'
import { allOf, atMost, type Finding, type Trial } from './trial.js'

const PROCESSES = 4
const KILL_MILLIS = 2_500
const PATIENCE_MILLIS = 10_000
/** Writes a second at first, except in the short form, and while there are kills: more than those that fail can take. */
const [WRITES, FEW_WRITES] = [160, 20]
/** How long nobody is killed at first, at most. */
const QUIET_MILLIS = 30_000
/** Over so many objects. */
const ROWS = 50
/** How often receivers fail, and how often they never answer. */
const FAILING = 0.3
const HANGING = 0.05
/** When a first attempt must have come after the commit. */
const SENT_MILLIS = 2_000
/** When everything must have been delivered after the last write. */
const SETTLED_MILLIS = 300_000

const receivers = [
  { path: '/healthy', mode: 'WEBHOOK_MODE_UNORDERED', isGood: true },
  { path: '/unordered', mode: 'WEBHOOK_MODE_UNORDERED', isGood: false },
  { path: '/by-target', mode: 'WEBHOOK_MODE_BY_TARGET', isGood: false },
] as const

/** An attempt as a receiver got it. */
interface Attempt {
  readonly id: string
  readonly position: number
  readonly target: string
  readonly at: number
  readonly sinceCommit: number
  readonly isAccepted: boolean
}

/** Processes and the database are killed while events are sent to receivers that fail, hang or do neither. */
export const webhooks: Trial = {
  name: 'webhooks',
  onEachDatabase: true,
  amount: { of: 'seconds', full: 600, short: 6 },
  run: async (stage, seconds) => {
    const attempts = new Map<string, Attempt[]>(receivers.map(({ path }) => [path, []]))
    // When all is written, an answer that never comes would only put off the end, by the time that is left to it.
    let areAnswersWithheld = true
    const receive = async (request: IncomingMessage, response: ServerResponse) => {
      const { data } = JSON.parse(await text(request))
      const chance = Math.random()
      const isGood = receivers.some(({ path, isGood: good }) => path === request.url && good)
      const isAccepted = isGood || chance >= FAILING + HANGING
      const isFailed = chance < FAILING || !areAnswersWithheld
      attempts.get(request.url ?? '')?.push({
        id: data.id,
        position: Number(data.position),
        target: data.subject.id,
        at: Date.now(),
        sinceCommit: Date.now() - Date.parse(data.occurredAt),
        isAccepted,
      })
      answer(response, isAccepted ? 204 : isFailed ? 500 : 'never')
    }
    const server = createServer((request, response) => void receive(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const environment = { WEBHOOK_ALLOW: `127.0.0.1:${port}` }
    const serve = () => stage.serve({ environment })
    const runs = await Promise.all(Array.from({ length: seconds < 60 ? 2 : PROCESSES }, serve))
    const anyRun = () => runs[Math.floor(Math.random() * runs.length)]?.origin ?? ''
    const endpoints: string[] = []
    for (const { path, mode } of receivers) {
      const json = { url: `http://127.0.0.1:${port}${path}`, types: ['priority.update'], mode }
      const request = { method: 'POST', token: stage.tokens.key, json }
      const { text: created } = await callJson({ origin: anyRun() }, '/v2/webhook-endpoints', request)
      endpoints.push(JSON.parse(created).data.id)
    }
    const start = performance.now()
    // What is due to a process that was killed waits until its attempts count as lost.
    const quietMillis = Math.min(QUIET_MILLIS, (seconds * 1_000) / 3)
    await write(stage, anyRun, start + quietMillis, seconds < 60 ? FEW_WRITES : WRITES)
    const quietUntil = Date.now()
    const until = start + seconds * 1_000
    const writing = write(stage, anyRun, until, FEW_WRITES)
    for (let kills = 0; performance.now() < until; kills++) {
      await hurry(stage)
      await wait(Math.min(KILL_MILLIS, Math.max(0, until - performance.now())))
      await killNext(stage, runs, kills, serve)
    }
    await writing
    areAnswersWithheld = false
    // Ten attempts may all have failed or been killed.
    const recovered = new Set<string>()
    for (;;) {
      await settle(stage)
      const givenUp = await execute(
        stage.connectionString,
        `SELECT endpoint_id || ' ' || event_id AS name FROM webhook_deliveries WHERE status = 'FAILED'`,
      )
      if (givenUp.length === 0) break
      for (const { name } of givenUp) recovered.add(String(name))
      await recover(stage, anyRun(), endpoints)
    }
    await Promise.all(runs.map((run: ServiceRun) => run.stop()))
    server.closeAllConnections()
    server.close()
    const rows = await execute(stage.connectionString, `SELECT id FROM audit_events WHERE action = 'priority.update'`)
    const committed = rows.map(({ id }) => String(id))
    return receivers.flatMap(({ path, mode }, index) => {
      const isRecovered = (id: string) => recovered.has(`${endpoints[index]} ${id}`)
      return findings(path, mode, attempts.get(path) ?? [], { committed, isRecovered, quietUntil })
    })
  },
}

function answer(response: ServerResponse, status: number | 'never'): void {
  if (status !== 'never') response.writeHead(status).end()
}

/** Changes objects at a steady rate; a write that fails because a process was killed is not repeated. */
async function write({ tokens }: Stage, origin: () => string, until: number, rate: number): Promise<void> {
  const running = new Set<Promise<unknown>>()
  const start = performance.now()
  for (let count = 0; performance.now() < until; count++) {
    const json = { description: `${count}` }
    const path = `/v2/priorities/priority-${count % ROWS}`
    const options = { method: 'PATCH', token: tokens.user, json, patienceMillis: PATIENCE_MILLIS }
    const sent = callJson({ origin: origin() }, path, options)
    running.add(sent)
    void sent.finally(() => running.delete(sent))
    await wait(Math.max(0, start + (count * 1_000) / rate - performance.now()))
  }
  await Promise.all(running)
}

/** Lets the pauses between attempts pass at once. An attempt that runs is due 20 seconds after its beginning. */
async function hurry({ connectionString }: Stage): Promise<void> {
  // A cluster takes neither functions of time nor a sum of one beside columns.
  const now = new Date().toISOString()
  await execute(
    connectionString,
    `UPDATE webhook_deliveries SET due_at = '${now}'
      WHERE status = 'PENDING' AND due_at > '${now}' AND due_at - last_attempt_at <> interval '20 seconds'`,
  )
}

/** Begins the deliveries again that were given up. */
async function recover({ tokens }: Stage, origin: string, endpoints: readonly string[]): Promise<void> {
  for (const id of endpoints) {
    const request = { method: 'POST', token: tokens.key, json: {} }
    await callJson({ origin }, `/v2/webhook-endpoints/${id}:recover`, request)
  }
}

/** Waits until nothing is left to be sent. */
async function settle(stage: Stage): Promise<void> {
  const start = performance.now()
  while (performance.now() - start < SETTLED_MILLIS) {
    await hurry(stage)
    const [left] = await execute(
      stage.connectionString,
      `SELECT (SELECT count(*) FROM webhook_deliveries WHERE status = 'PENDING')
            + (SELECT count(*) FROM event_outbox)
            + (SELECT count(*) FROM webhook_endpoints w JOIN event_heads h USING (organization_id)
                WHERE h.position > w.position) AS left`,
    )
    if (Number(left?.['left']) === 0) return
    await wait(200)
  }
}

/** What was to be delivered. */
interface Expected {
  readonly committed: readonly string[]
  /** Whether an event was delivered after it had been given up, behind what came later. */
  readonly isRecovered: (id: string) => boolean
  readonly quietUntil: number
}

function findings(
  path: string,
  mode: string,
  attempts: readonly Attempt[],
  { committed, isRecovered, quietUntil }: Expected,
): Finding[] {
  const accepted = attempts.filter(({ isAccepted }) => isAccepted)
  const delivered = new Set(accepted.map(({ id }) => id))
  const firstAttempts = new Map<string, number>()
  for (const { id, at, sinceCommit } of attempts) {
    if (at - sinceCommit < quietUntil - SENT_MILLIS && !firstAttempts.has(id)) firstAttempts.set(id, sinceCommit)
  }
  const reached = new Map<string, number>()
  const ordered = attempts.filter(({ id, target, position, isAccepted }) => {
    if (isRecovered(id)) return true
    const isInOrder = position >= (reached.get(target) ?? 0)
    if (isAccepted) reached.set(target, Math.max(position, reached.get(target) ?? 0))
    return isInOrder
  })
  return [
    allOf(`${path}: every event is delivered`, committed.filter((id) => delivered.has(id)).length, committed.length),
    ...(mode === 'WEBHOOK_MODE_BY_TARGET'
      ? [allOf(`${path}: nothing comes after a later event of its target`, ordered.length, attempts.length)]
      : []),
    ...(path === '/healthy'
      ? [
          atMost(
            `${path}: first attempt after the commit, p99`,
            quantile([...firstAttempts.values()], 0.99),
            SENT_MILLIS,
            'ms',
          ),
        ]
      : []),
  ]
}
