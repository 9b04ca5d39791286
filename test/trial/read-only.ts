import { setTimeout as wait } from 'node:timers/promises'
import { type CallResult, call } from '../../harness/call.js'
import { isServing, patchPriority, readTogether } from './call.js'
import { execute, type ServiceRun, type Stage } from './stage.js'
import { allOf, atMost, type Finding, type Trial } from './trial.js'

const CALLS = 20
const NOTICED_MILLIS = 5_000
const REPAIRED_MILLIS = 5_000

/** The database is read-only, like a former primary or a frozen one; then it can write again. */
export const readOnly: Trial = { name: 'read-only', onEachDatabase: true, run: freeze }

async function freeze(stage: Stage): Promise<readonly Finding[]> {
  const run = await stage.serve()
  await readTogether(run, stage, 100)
  const before = await written(stage)
  await setReadOnly(stage, 'on')
  await endSessions(stage)
  const start = performance.now()
  const noticed = await until(async () => !(await isServing(run)), start + NOTICED_MILLIS)
  const writes = await Promise.all([...Array(CALLS).keys()].map((index) => write(run, stage, index)))
  const revokes = [await revoke(run), await revoke(run)]
  const reads = await readTogether(run, stage, CALLS)
  const unchanged = (await written(stage)) === before
  const stillSays = !(await isServing(run))
  // The sessions stay unchanged: the service must find out that others can write.
  await setReadOnly(stage, 'off')
  const repaired = performance.now()
  const recovered = await until(async () => {
    const answers = [await write(run, stage, 0), await write(run, stage, 1)]
    return answers.every(({ status }) => status === 200) && (await isServing(run))
  }, repaired + REPAIRED_MILLIS)
  return [
    atMost('read-only: health reports it after', noticed - start, NOTICED_MILLIS, 'ms'),
    { promise: 'read-only: health keeps reporting it', measured: String(stillSays), kept: stillSays },
    allOf('only reads: writes are answered 503 with Retry-After', writes.filter(isUnavailable).length, CALLS),
    allOf('only reads: revocations are answered 503 with Retry-After', revokes.filter(isUnavailable).length, 2),
    allOf('only reads: reads are answered', reads.filter(({ status }) => status === 200).length, CALLS),
    { promise: 'only reads: nothing is written', measured: unchanged ? 'nothing' : 'something', kept: unchanged },
    atMost('writes again: a write, and health, are good after', recovered - repaired, REPAIRED_MILLIS, 'ms'),
  ]
}

function isUnavailable({ status, retryAfter }: CallResult): boolean {
  return status === 503 && /^[1-9][0-9]*$/.test(retryAfter ?? '')
}

/** Writes with one statement, or with a transaction. */
function write(run: ServiceRun, stage: Stage, index: number): Promise<CallResult> {
  const name = `Renamed ${Math.random()}`
  if (index % 2 === 0) return patchPriority(run, stage, index, name)
  const headers = { authorization: `Bearer ${stage.tokens.key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ resources: [{ id: `resource-${index}`, name }] })
  return call(run, '/v2/app-resources/batch', { method: 'PUT', headers, body })
}

function revoke(run: ServiceRun): Promise<CallResult> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return call(run, '/v2/auth/revoke', { method: 'POST', headers, body: 'secret=leaked' })
}

async function setReadOnly({ connectionString }: Stage, value: 'on' | 'off'): Promise<void> {
  const name = new URL(connectionString).pathname.slice(1)
  const statement = `ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`
  await execute(connectionString, `BEGIN READ WRITE; ${statement}; COMMIT`)
}

async function endSessions({ connectionString }: Stage): Promise<void> {
  await execute(
    connectionString,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  )
}

/** What writes would have changed. */
async function written({ connectionString }: Stage): Promise<string> {
  const rows = await execute(
    connectionString,
    `SELECT (SELECT string_agg(name, ',' ORDER BY id) FROM priorities) AS priorities,
            (SELECT string_agg(name, ',' ORDER BY id) FROM app_resources) AS resources,
            (SELECT count(*) FROM audit_events) AS events, (SELECT count(*) FROM revoke_attempts) AS attempts`,
  )
  return JSON.stringify(rows)
}

/** When it was first true; infinite if it was not until `last`. */
async function until(isTrue: () => Promise<boolean>, last: number): Promise<number> {
  while (performance.now() < last) {
    if (await isTrue()) return performance.now()
    await wait(50)
  }
  return Number.POSITIVE_INFINITY
}
