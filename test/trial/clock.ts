import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { call, callJson } from '../../harness/call.js'
import { place } from '../../harness/records.js'
import { packageRoot } from '../../src/package.js'
import { execute, type ServiceRun, type Stage } from './stage.js'
import { allOf, atMost, type Finding, type Trial } from './trial.js'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** How long what depends on a clock may take to be seen, and how far times may be from the database's. */
const PATIENCE_MILLIS = 10_000
const SECONDS_APART = 60
/** What an organization has that ends, or is kept for a time. */
const TABLES = ['user_tokens', 'api_key_sessions', 'idempotency_keys', 'event_feed', 'audit_events', 'team_members']

/** The clock of the service jumps, back and forth, while it is used; a service starts with one that is months ahead. */
export const clock: Trial = {
  name: 'clock',
  onEachDatabase: false,
  amount: { of: 'jumps', full: 8, short: 2 },
  run: async (stage, jumps) => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-clock-'))
    const file = join(folder, 'ahead')
    const set = (aheadMillis: number) => writeFile(file, String(aheadMillis))
    try {
      await set(0)
      return [...(await jump(stage, file, set, jumps)), ...(await startMonthsAhead(stage, file, set))]
    } finally {
      await rm(folder, { recursive: true })
    }
  },
}

function serve(stage: Stage, file: string, environment: Readonly<Record<string, string>>, log: string[]) {
  const shift = `file://${join(packageRoot(), 'test/trial/shifted-clock.mjs')}?file=${encodeURIComponent(file)}`
  const settings = { NODE_OPTIONS: `--import=${shift}`, LOG_LEVEL: 'warn', ...environment }
  return stage.serve({ environment: settings, onLog: (line) => log.push(line) })
}

type SetClock = (aheadMillis: number) => Promise<void>

async function jump(stage: Stage, file: string, set: SetClock, jumps: number): Promise<readonly Finding[]> {
  const received: number[] = []
  const receiver = createServer((request, response) => {
    // What is signed has the time in it, which receivers compare with theirs.
    received.push(Math.abs(Number(request.headers['webhook-timestamp']) - Date.now() / 1_000))
    request.resume().on('end', () => response.end())
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const { port } = receiver.address() as AddressInfo
  const run = await serve(stage, file, { WEBHOOK_ALLOW: `127.0.0.1:${port}` }, [])
  const ask = (path: string, method = 'GET', json?: unknown, headers = {}, token = stage.tokens.user) =>
    callJson(run, path, { token, method, headers, ...(json !== undefined && { json }) })
  const tally = { calls: 0, good: 0, ready: 0, readyAgain: 0, sent: 0, apart: 0 }
  const count = (isGood: boolean) => {
    tally.calls++
    if (isGood) tally.good++
  }
  const json = { url: `http://127.0.0.1:${port}/`, types: ['priority.update'] }
  count((await ask('/v2/webhook-endpoints', 'POST', json)).status === 200)
  const role = { role: 'TEAM_USER_ROLE_VIEWER', expiresAt: new Date(Date.now() + HOUR / 2).toISOString() }
  const member = `/v2/teams/${place.team}/members/user-1`
  count((await ask(member, 'PUT', role)).status === 200)
  const key = { 'idempotency-key': 'kept-through-every-jump' }
  const first = await ask('/v2/teams', 'POST', { name: 'Once' }, key)
  for (let turn = 0; turn < jumps; turn++) {
    await set(turn % 2 === 0 ? HOUR : -HOUR)
    if (await isReadyWithin(run, false)) tally.ready++
    for (const token of [stage.tokens.user, stage.tokens.key]) {
      count((await ask('/v2/caller', 'GET', undefined, {}, token)).status === 200)
    }
    // A role with an end in half an hour has neither ended, nor is its end in the past.
    count((await ask(member)).status === 200)
    count((await ask(member, 'PUT', role)).status === 200)
    const again = await ask('/v2/teams', 'POST', { name: 'Once' }, key)
    count(again.isReplayed && again.text === first.text)
    const before = received.length
    count((await ask(`/v2/priorities/priority-${turn}`, 'PATCH', { name: `Jump ${turn}` })).status === 200)
    if (await within(() => received.length > before)) tally.sent++
    const made = await ask('/v2/api-keys', 'POST', { permissions: ['tickets:read'], lifetimeSeconds: 600 })
    count(made.status === 200)
    tally.apart = Math.max(tally.apart, await secondsApart(stage, JSON.parse(made.text).data.id))
    await set(0)
    if (await isReadyWithin(run, true)) tally.readyAgain++
  }
  await run.stop()
  receiver.closeAllConnections()
  receiver.close()
  return [
    allOf('calls while the clock is an hour wrong that are answered as if it were right', tally.good, tally.calls),
    allOf('jumps after which /readyz is 503', tally.ready, jumps),
    allOf('jumps back after which it is 200', tally.readyAgain, jumps),
    allOf('changes whose webhook is sent meanwhile', tally.sent, jumps),
    atMost('the time that a webhook is signed with, and the right one', Math.max(0, ...received), SECONDS_APART, 's'),
    atMost('the end of a new key, and the time that it was to last', tally.apart, SECONDS_APART, 's'),
  ]
}

/** How many seconds a key that was to last ten minutes ends too soon or too late, by the database's clock. */
async function secondsApart({ connectionString }: Stage, id: string): Promise<number> {
  const [row] = await execute(
    connectionString,
    `SELECT abs(extract(epoch FROM expires_at - created_at) - 600)::float8 AS apart FROM api_keys WHERE id = '${id}'`,
  )
  return Number(row?.['apart'])
}

async function startMonthsAhead(stage: Stage, file: string, set: SetClock): Promise<readonly Finding[]> {
  const standing = async () => {
    const counts = TABLES.map((table) => `(SELECT count(*)::int FROM ${table}) AS ${table}`)
    const [row = {}] = await execute(stage.connectionString, `SELECT ${counts.join(', ')}`)
    return TABLES.map((table) => Number(row[table]))
  }
  const before = await standing()
  await set(120 * DAY)
  const log: string[] = []
  const run = await serve(stage, file, { EVENT_RETENTION: '7d', AUDIT_RETENTION: '7d' }, log)
  const isSaid = await within(() => log.some((line) => line.includes('ahead of the database')))
  const isReady = await isReadyWithin(run, true, 0)
  const { status } = await callJson(run, '/v2/caller', { token: stage.tokens.user })
  // A sweep takes milliseconds here.
  await wait(500)
  const after = await standing()
  const kept = after.filter((rows, index) => rows >= (before[index] ?? 0))
  await run.stop()
  await set(0)
  return [
    allOf('a clock 120 days ahead: tables from which nothing is deleted', kept.length, TABLES.length),
    { promise: 'a clock 120 days ahead: the log says so', measured: String(isSaid), kept: isSaid },
    { promise: 'a clock 120 days ahead: not ready', measured: String(!isReady), kept: !isReady },
    { promise: 'a clock 120 days ahead: tokens are what they are', measured: `${status}`, kept: status === 200 },
  ]
}

function isReadyWithin(run: ServiceRun, wanted: boolean, patienceMillis = PATIENCE_MILLIS): Promise<boolean> {
  return within(async () => ((await call(run, '/readyz')).status === 200) === wanted, patienceMillis)
}

async function within(isSo: () => boolean | Promise<boolean>, patienceMillis = PATIENCE_MILLIS): Promise<boolean> {
  const end = performance.now() + patienceMillis
  for (;;) {
    if (await isSo()) return true
    if (performance.now() > end) return false
    await wait(20)
  }
}
