import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { CallResult } from '../../harness/call.js'
import { isServing, patchPriority, readTogether, untilGood } from './call.js'
import { createHistory } from './history.js'
import { type LossyProxy, startLossyProxy } from './lossy-proxy.js'
import type { ServiceRun, Stage } from './stage.js'
import { allOf, atLeast, atMost, type Finding, type Trial } from './trial.js'

const CALLS = 40
const DEADLINE_MILLIS = 3_000
/** What an answer may be late on a busy machine. */
const LATE_MILLIS = 1_000
/** How long a statement waits for a lock. */
const LOCK_MILLIS = 5_000
const RESET_PAUSE_MILLIS = 50
const REPAIRED_MILLIS = 5_000
/** Latencies of a distant and of a useless database. */
const [FAR_MILLIS, USELESS_MILLIS] = [50, 4_000]

/** The database is far away, resets connections, is useless for a while, or does not get on with a statement. */
export const network: Trial = {
  name: 'network',
  onEachDatabase: true,
  amount: { of: 'seconds of resets', full: 60, short: 2 },
  run: async (stage, seconds) => {
    const proxy = await startLossyProxy(stage.connectionString)
    try {
      const run = await stage.serve({ connectionString: proxy.connectionString })
      await readTogether(run, stage, 100)
      const findings = [
        ...(await addLatency(run, stage, proxy)),
        ...(await reset(run, stage, proxy, seconds)),
        ...(await lockTable(run, stage)),
      ]
      const { status } = await run.stop()
      return [...findings, { promise: 'the service runs through', measured: `exit ${status}`, kept: status === 0 }]
    } finally {
      await proxy.close()
    }
  },
}

async function addLatency(run: ServiceRun, stage: Stage, proxy: LossyProxy): Promise<readonly Finding[]> {
  const headers = { 'connect-timeout-ms': String(DEADLINE_MILLIS) }
  proxy.delay(FAR_MILLIS)
  const far = await readTogether(run, stage, CALLS, { headers })
  proxy.delay(USELESS_MILLIS)
  const useless = await readTogether(run, stage, CALLS, { headers })
  proxy.delay(0)
  const start = performance.now()
  const recovered = await untilGood(run, stage, start + REPAIRED_MILLIS + 2 * USELESS_MILLIS)
  return [
    allOf(`${FAR_MILLIS} ms each way: calls are answered 200`, withStatus(far, [200]), CALLS),
    allOf(`${USELESS_MILLIS} ms each way: calls end at their deadline of 3 s`, useless.filter(isInTime).length, CALLS),
    allOf(`${USELESS_MILLIS} ms each way: with 503 or 504`, withStatus(useless, [503, 504]), CALLS),
    atMost('near again: only good responses after', recovered - start, REPAIRED_MILLIS + 2 * USELESS_MILLIS, 'ms'),
  ]
}

async function reset(run: ServiceRun, stage: Stage, proxy: LossyProxy, seconds: number): Promise<readonly Finding[]> {
  const history = createHistory(stage, 'connections reset')
  history.writeTo(() => run.origin)
  const end = performance.now() + seconds * 1_000
  let resets = 0
  while (performance.now() < end) {
    if (proxy.resetOne()) resets++
    await wait(RESET_PAUSE_MILLIS)
  }
  const start = performance.now()
  const recovered = await untilGood(run, stage, start + REPAIRED_MILLIS)
  await history.stop()
  const others = [...history.answers()].filter(([status]) => status !== 200 && status !== 503)
  return [
    atLeast('connections reset', resets, 1, ''),
    ...(await history.verify()),
    {
      promise: 'connections reset: answers but 200 and 503',
      measured: others.map(([status, count]) => `${count} × ${status}`).join(', ') || '0',
      kept: others.length === 0,
    },
    atMost('connections reset: only good responses again after', recovered - start, REPAIRED_MILLIS, 'ms'),
  ]
}

/** A migration, or a person at a prompt, keeps a table locked: writes to it fill the pool. */
async function lockTable(run: ServiceRun, stage: Stage): Promise<readonly Finding[]> {
  const client = new pg.Client({ connectionString: stage.connectionString })
  await client.connect()
  try {
    await client.query('BEGIN; LOCK TABLE priorities IN ACCESS EXCLUSIVE MODE')
    const headers = { 'connect-timeout-ms': String(DEADLINE_MILLIS) }
    const [bounded, unbounded, reads, isReady] = await Promise.all([
      Promise.all(Array.from({ length: CALLS }, (_, index) => patchPriority(run, stage, index, 'Locked', headers))),
      Promise.all(Array.from({ length: CALLS }, (_, index) => patchPriority(run, stage, index, 'Locked'))),
      wait(500).then(() => readTogether(run, stage, CALLS, { headers })),
      wait(1_000).then(() => isServing(run)),
    ])
    await client.query('ROLLBACK')
    const start = performance.now()
    const recovered = await untilGood(run, stage, start + REPAIRED_MILLIS)
    const again = await patchPriority(run, stage, 0, 'Free')
    return [
      allOf('table locked: writes end at their deadline of 3 s', bounded.filter(isInTime).length, CALLS),
      allOf('table locked: with 503 or 504', withStatus(bounded, [503, 504]), CALLS),
      allOf(
        'table locked: writes without a deadline end with 503, or 504 after 5 s of waiting for the lock',
        unbounded.filter(({ status, millis }) => status === 503 || (status === 504 && millis >= LOCK_MILLIS)).length,
        CALLS,
      ),
      allOf(
        'table locked, pool full: reads end at their deadline, 200, 503 or 504',
        withStatus(reads.filter(isInTime), [200, 503, 504]),
        CALLS,
      ),
      { promise: 'table locked, pool full: health reports SERVING', measured: String(isReady), kept: isReady },
      atMost('table free: only good responses again after', recovered - start, REPAIRED_MILLIS, 'ms'),
      { promise: 'table free: a write is answered 200', measured: String(again.status), kept: again.status === 200 },
    ]
  } finally {
    await client.end()
  }
}

function isInTime({ status, millis }: CallResult): boolean {
  return status !== 0 && millis <= DEADLINE_MILLIS + LATE_MILLIS
}

function withStatus(calls: readonly CallResult[], statuses: readonly number[]): number {
  return calls.filter(({ status }) => statuses.includes(status)).length
}
