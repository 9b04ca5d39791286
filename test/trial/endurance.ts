import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { ArrivalsJob, ArrivalsWindow } from './arrivals.js'
import { isServing, readTogether } from './call.js'
import {
  goodputAtSpeed,
  type IdleUsage,
  idleFindings,
  overloadFindings,
  steadyFindings,
  type Watched,
  type Watching,
} from './endurance-findings.js'
import { type GaugedService, serveGauged } from './gauged-service.js'
import { mixedRequests } from './mixed-requests.js'
import { probeWhile } from './probes.js'
import { execute, type Stage } from './stage.js'
import { atMost, type Finding, type Trial } from './trial.js'

const MIB = 1024 * 1024
/** Callers that call again as soon as they get a response: so many that there is always work, and no long wait. */
const CALLERS = 32
/**
 * The capacity is what they get for the speed of the machine in the worst of these windows, minutes as a rule: as many as
 * PostgreSQL lets pass from one checkpoint to the next.
 */
const CAPACITY_WINDOWS = 5
/** So many that a pause of the machine, of some tenths of a second, does not use them up. */
const CONNECTIONS = 1_024
const SHARE = 0.8
const TIMES = 5
/** How long it is called at five times the capacity, of the minutes before. */
const OVERLOADED_PART = 1 / 3
/** The least windows in which a time is looked at; each is at most a minute. */
const WINDOWS = 6
const SAMPLE_MILLIS = 500
/** How long until connections that callers have ended are gone. */
const QUIET_MILLIS = 20_000

/**
 * Mixed calls at four fifths of the capacity for half an hour, then at five times the capacity. The capacity follows the
 * speed of the machine, never what the service makes of it.
 */
export const endurance: Trial = {
  name: 'endurance',
  onEachDatabase: false,
  amount: { of: 'minutes', full: 30, short: 1 },
  run: async (stage, minutes) => {
    const service = await serveGauged(stage)
    try {
      return await endure(stage, service, minutes)
    } finally {
      await service.forget()
    }
  },
}

async function endure(stage: Stage, service: GaugedService, minutes: number): Promise<readonly Finding[]> {
  const job = { port: service.run.port, requests: mixedRequests(stage.tokens.user) }
  const few = {
    ...job,
    connections: CALLERS,
    pattern: { callers: CALLERS, everyMillis: 0 },
    windowMillis: Math.min(60_000, minutes * 10_000),
  }
  await watch(service, { ...few, windows: 2 })
  // Tables that were empty a moment ago are read whole until statistics are taken, which autovacuum does within minutes.
  await execute(stage.connectionString, 'VACUUM (ANALYZE)')
  // What a probe leaves open belongs to what is in use before.
  await isServing(service.run)
  // Before the capacity is measured: after idling and garbage collection, the service is slower for a minute.
  const before = await usageWhenIdle(service)
  const counted = await watch(service, { ...few, windows: 1 + CAPACITY_WINDOWS })
  const capacity = leastOf(counted.windows.slice(1))
  const steady = await watch(service, {
    ...job,
    connections: CONNECTIONS,
    pattern: { perSecond: SHARE * capacity.goodPerSecond, atSpeed: capacity.speed },
    ...windowsOf(minutes),
  })
  const overloaded = await watch(service, {
    ...job,
    connections: CONNECTIONS,
    pattern: { callers: Math.round(TIMES * capacity.goodPerSecond), everyMillis: 1_000 },
    ...windowsOf(minutes * OVERLOADED_PART),
  })
  const after = await usageWhenIdle(service, before)
  return [
    ...steadyFindings(steady),
    ...overloadFindings(overloaded, capacity),
    ...idleFindings(before, after),
    atMost(
      'only good responses again, refused',
      (await readTogether(service.run, stage, 100)).filter(isBad).length,
      0,
      '',
    ),
  ]
}

function leastOf(windows: readonly Watched[]): Watched {
  return windows.reduce((least, window) => (goodputAtSpeed(window) < goodputAtSpeed(least) ? window : least))
}

function isBad({ status }: { readonly status: number }): boolean {
  return status !== 200
}

function windowsOf(minutes: number): Pick<ArrivalsJob, 'windows' | 'windowMillis'> {
  const windows = Math.max(WINDOWS, Math.round(minutes))
  return { windows, windowMillis: (minutes * 60_000) / windows }
}

/** Lets the callers call, looks at the service meanwhile, and prints each window. */
async function watch(service: GaugedService, job: ArrivalsJob): Promise<Watching> {
  const windows: Watched[] = []
  let least = { heap: Number.POSITIVE_INFINITY, resident: Number.POSITIVE_INFINITY }
  const { pattern, windowMillis } = job
  const load =
    'callers' in pattern
      ? `${pattern.callers} callers`
      : `${pattern.perSecond.toFixed(0)} calls a second at speed ${pattern.atSpeed.toFixed(2)}`
  console.log(`  ${load}, ${job.windows} times ${(windowMillis / 1000).toFixed(1)} s:`)
  const calling = callWith(job, (window) => {
    windows.push({ ...window, ...least })
    const memory = `heap ${mebibytes(least.heap)}, resident ${mebibytes(least.resident)} MiB`
    console.log(`  ${String(windows.length).padStart(4)}: ${wordsOf(window)}; ${memory}`)
    least = { heap: Number.POSITIVE_INFINITY, resident: Number.POSITIVE_INFINITY }
  })
  const isOver = calling.then(() => true)
  const sampling = (async () => {
    do {
      least.resident = Math.min(least.resident, service.run.memory())
      const { heap } = await service.ask('now')
      least.heap = Math.min(least.heap, heap)
    } while (!(await Promise.race([isOver, wait(SAMPLE_MILLIS, false)])))
  })()
  const probes = await probeWhile(service.run.origin, calling)
  await sampling
  return { windows, windowMillis, probes }
}

/** Sends calls from a separate process. Each window is reported when it is over. */
async function callWith(job: ArrivalsJob, onWindow: (window: ArrivalsWindow) => void): Promise<void> {
  const callers: ChildProcess = fork(new URL('./arrivals.js', import.meta.url))
  callers.on('message', onWindow)
  try {
    callers.send(job)
    const [status] = await once(callers, 'exit')
    if (status !== 0) throw new Error(`the callers ended with ${status}`)
  } finally {
    callers.kill()
  }
}

/** Waits until the connections of callers are gone: until no more is in use than before, or for a while. */
async function usageWhenIdle(service: GaugedService, before?: IdleUsage): Promise<IdleUsage> {
  const end = performance.now() + (before === undefined ? QUIET_MILLIS / 4 : QUIET_MILLIS)
  for (;;) {
    await wait(SAMPLE_MILLIS)
    const { heap, handles: kinds } = await service.ask('collected')
    const { all, sockets } = service.descriptors()
    const handles = Object.values(kinds).reduce((sum, count) => sum + count, 0)
    const usage = { heap, handles, sockets, descriptors: all, kinds }
    const isLeft = before === undefined || all > before.descriptors || handles > before.handles
    if (isLeft && performance.now() < end) continue
    console.log(
      `  idle: ${mebibytes(heap)} MiB of heap, ${handles} handles ${JSON.stringify(kinds)}, ${all} descriptors, ${sockets} of them sockets`,
    )
    return usage
  }
}

function wordsOf({ goodPerSecond, refusedPerSecond, unsentPerSecond, ...window }: ArrivalsWindow) {
  const { failed, failures, p50Millis, p99Millis, speed } = window
  const failure = failed === 0 ? '0 failed' : `${failed} failed (by status: ${JSON.stringify(failures)})`
  const refused = `${refusedPerSecond.toFixed(0)} refused/s, ${unsentPerSecond.toFixed(0)} unsent/s, ${failure}`
  return `speed ${speed.toFixed(2)}; ${goodPerSecond.toFixed(0)} good/s, p50 ${p50Millis.toFixed(1)}, p99 ${p99Millis.toFixed(1)} ms; ${refused}`
}

function mebibytes(bytes: number): string {
  return (bytes / MIB).toFixed(1)
}
