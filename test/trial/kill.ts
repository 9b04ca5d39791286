import { setTimeout as wait } from 'node:timers/promises'
import { readTogether, untilGood } from './call.js'
import { createEveryWrite } from './every-write.js'
import { createHistory } from './history.js'
import { execute, type ServiceRun, type Stage } from './stage.js'
import { atMost, type Finding, type Trial } from './trial.js'
import { workersOf } from './workers.js'

const RESTARTED_MILLIS = 5_000
const REPAIRED_MILLIS = 5_000
/** In the short form, and else: each takes a second of processor time to start. */
const [FEW_WORKERS, WORKERS] = [2, 4]
/** How long writers write before something is killed: this, and as long again at random. */
const WRITING_MILLIS = 250

/** The service is killed while it writes, as are single workers, and its sessions on the server. */
export const kill: Trial = {
  name: 'kill',
  onEachDatabase: true,
  amount: { of: 'kills of each kind', full: 50, short: 1 },
  run: async (stage, kills) => {
    const ofService = await killService(stage, kills)
    const ofWorkers = await killWorkers(stage, kills)
    const run = await stage.serve()
    return [
      ...ofService,
      ...ofWorkers,
      ...(await endSessions(stage, kills, run)),
      ...(await killEveryWrite(stage, kills, run)),
    ]
  },
}

async function killService(stage: Stage, kills: number): Promise<readonly Finding[]> {
  const name = `service killed ${kills} times`
  const history = createHistory(stage, name)
  let start = 0
  let run: ServiceRun | undefined
  for (let kill = 0; kill < kills; kill++) {
    const began = performance.now()
    run = await stage.serve()
    start = Math.max(start, performance.now() - began)
    const { origin } = run
    history.writeTo(() => origin)
    await write()
    await run.kill()
    await history.stop()
  }
  return [...(await history.verify()), atMost(`${name}: a new process listens after`, start, RESTARTED_MILLIS, 'ms')]
}

async function killWorkers(stage: Stage, kills: number): Promise<readonly Finding[]> {
  const workers = kills < 2 ? FEW_WORKERS : WORKERS
  const name = `one of ${workers} workers killed ${kills} times`
  const history = createHistory(stage, name)
  const run = await stage.serve({ args: ['--workers', String(workers)] })
  let slowest = 0
  history.writeTo(() => run.origin)
  for (let kill = 0; kill < kills; kill++) {
    await write()
    const before = workersOf(run)
    const victim = before[Math.floor(Math.random() * before.length)]
    if (victim === undefined) throw new Error('there are no workers')
    const killedAt = performance.now()
    process.kill(victim, 'SIGKILL')
    await untilReplaced(run, victim, workers)
    slowest = Math.max(slowest, performance.now() - killedAt)
  }
  await history.stop()
  await run.kill()
  return [...(await history.verify()), atMost(`${name}: another is started after`, slowest, REPAIRED_MILLIS, 'ms')]
}

async function untilReplaced(run: ServiceRun, victim: number, count: number): Promise<void> {
  const end = performance.now() + 2 * REPAIRED_MILLIS
  for (;;) {
    const workers = workersOf(run)
    if (workers.length === count && !workers.includes(victim)) return
    if (performance.now() > end) return
    await wait(10)
  }
}

async function endSessions(stage: Stage, kills: number, run: ServiceRun): Promise<readonly Finding[]> {
  const name = `sessions ended ${kills} times`
  const history = createHistory(stage, name)
  await readTogether(run, stage, 20)
  history.writeTo(() => run.origin)
  for (let kill = 0; kill < kills; kill++) {
    await wait(200)
    await execute(
      stage.connectionString,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    )
  }
  const start = performance.now()
  const recovered = await untilGood(run, stage, start + REPAIRED_MILLIS)
  await history.stop()
  return [
    ...(await history.verify()),
    atMost(`${name}: only good responses again after`, recovered - start, REPAIRED_MILLIS, 'ms'),
  ]
}

async function killEveryWrite(stage: Stage, kills: number, first: ServiceRun): Promise<readonly Finding[]> {
  let run = first
  const writes = await createEveryWrite(stage, `service killed ${kills} times`, run.origin)
  for (let kill = 0; kill < kills; kill++) {
    const { origin } = run
    writes.writeTo(() => origin)
    await write()
    await run.kill()
    await writes.stop()
    run = await stage.serve()
  }
  await writes.finish(run.origin)
  await run.kill()
  return writes.verify()
}

/** Lets the writers work undisturbed for a while. */
function write(): Promise<void> {
  return wait(WRITING_MILLIS * (1 + Math.random()))
}
