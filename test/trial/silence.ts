import { setTimeout as wait } from 'node:timers/promises'
import { startDatabaseProxy } from '../support/database-proxy.js'
import { createBackends } from './backends.js'
import { isServing, readTogether, untilGood } from './call.js'
import type { ServiceRun, Stage } from './stage.js'
import { allOf, atLeast, atMost, type Finding, type Trial } from './trial.js'

const CALLS = 20
const DEADLINE_MILLIS = 3_000
/** From the silence of a connection to its replacement: the bound of a statement and 5 s. */
const REPLACED_MILLIS = 16_000
const SILENCE_MILLIS = 20_000
const REPAIRED_MILLIS = 5_000
/** The grace period, and the last second of calls that outlast it. */
const STOPPED_MILLIS = 12_000

/** Database connections that fall silent without breaking: stopped server processes, a network that drops packets. */
export const silence: Trial = {
  name: 'silence',
  onEachDatabase: true,
  run: async (stage) => [...(await someSilent(stage)), ...(await allSilent(stage))],
}

/** Two of ten server processes are stopped. */
async function someSilent(stage: Stage): Promise<readonly Finding[]> {
  const run = await stage.serve()
  await readTogether(run, stage, 200)
  const backends = createBackends(stage.connectionString)
  const stopped = await backends.silence(2)
  const start = performance.now()
  try {
    const headers = { 'connect-timeout-ms': String(DEADLINE_MILLIS) }
    const calls = await readTogether(run, stage, CALLS, { headers, patienceMillis: DEADLINE_MILLIS + 2_000 })
    const inTime = calls.filter(({ status, millis }) => status !== 0 && millis <= DEADLINE_MILLIS + 250)
    const recovered = await untilGood(run, stage, start + REPLACED_MILLIS)
    return [
      atLeast('silence: connections of the pool that are stopped', stopped.length, 2, ''),
      allOf('two of ten silent: calls end at their deadline of 3 s', inTime.length, CALLS),
      atMost('two of ten silent: only good responses again after', recovered - start, REPLACED_MILLIS, 'ms'),
    ]
  } finally {
    backends.heal()
    await run.stop()
  }
}

/** Nothing reaches the database for 20 s; then the network recovers. Then the same again, while the service stops. */
async function allSilent(stage: Stage): Promise<readonly Finding[]> {
  const proxy = await startDatabaseProxy(stage.connectionString)
  const run = await stage.serve({ connectionString: proxy.connectionString })
  try {
    await readTogether(run, stage, 200)
    proxy.stall()
    const calls = readTogether(run, stage, CALLS, { patienceMillis: SILENCE_MILLIS })
    const unready = notServing(run)
    await wait(SILENCE_MILLIS)
    proxy.resume()
    const start = performance.now()
    const recovered = await untilGood(run, stage, start + REPAIRED_MILLIS)
    const serving = await isServing(run)
    const answered = (await calls).filter(({ status }) => status !== 0)
    proxy.stall()
    void readTogether(run, stage, CALLS, { patienceMillis: SILENCE_MILLIS })
    await wait(1_000)
    const { millis, status } = await run.stop()
    return [
      allOf('all silent for 20 s: calls get an answer', answered.length, CALLS),
      atMost('all silent: health reports it after', await unready, 10_000, 'ms'),
      atMost('all healed: only good responses again after', recovered - start, REPAIRED_MILLIS, 'ms'),
      { promise: 'all healed: health reports SERVING', measured: String(serving), kept: serving },
      atMost('all silent: SIGTERM ends the service in', millis, STOPPED_MILLIS, 'ms'),
      { promise: 'all silent: SIGTERM ends it by itself', measured: `exit ${status}`, kept: status !== null },
    ]
  } finally {
    await run.kill()
    await proxy.close()
  }
}

/** How many milliseconds health keeps reporting SERVING; infinite if it does for the whole silence. */
async function notServing(run: ServiceRun): Promise<number> {
  const start = performance.now()
  while (performance.now() - start < SILENCE_MILLIS) {
    if (!(await isServing(run))) return performance.now() - start
    await wait(100)
  }
  return Number.POSITIVE_INFINITY
}
