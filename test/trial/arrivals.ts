import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { quantile } from '../../harness/quantile.js'
import { type AnyRequest, openSlots } from './caller-slots.js'
import { measureMachineSpeed } from './machine-speed.js'

// The callers of the trial `endurance`, in a separate process: calls that come at a rate, whatever becomes of those
// before them, or callers who wait for answers, and come back when `Retry-After` says and up to a second later.

/** What the callers do. */
export interface ArrivalsJob {
  readonly port: number
  /** Sent in turns. */
  readonly requests: readonly AnyRequest[]
  readonly connections: number
  readonly pattern: Pattern
  readonly windows: number
  readonly windowMillis: number
}

/**
 * When calls come: so many in a second while the machine has a speed, more or fewer as it is faster or slower, or from
 * callers who let this time pass from one call to the next.
 */
export type Pattern =
  | { readonly perSecond: number; readonly atSpeed: number }
  | { readonly callers: number; readonly everyMillis: number }

/** How the calls of a part of the time ended. */
export interface ArrivalsWindow {
  readonly goodPerSecond: number
  readonly refusedPerSecond: number
  /** Those that found no connection, because all of them were waiting for answers. */
  readonly unsentPerSecond: number
  /** Calls without an answer, and with one that was not expected. */
  readonly failed: number
  /** How many of them had which status. */
  readonly failures: Readonly<Record<string, number>>
  /** Of the calls that were answered as expected, from when they came. */
  readonly p50Millis: number
  readonly p99Millis: number
  readonly slowestMillis: number
  /** How fast the machine was. */
  readonly speed: number
}

/** How often it is asked whether calls have come. */
const TICK_MILLIS = 1

process.on('message', (job: ArrivalsJob) => {
  run(job).then(
    () => process.exit(0),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})

async function run(job: ArrivalsJob): Promise<void> {
  const { port, requests, connections, pattern, windows, windowMillis } = job
  const slots = await openSlots(port, connections)
  const speed = measureMachineSpeed()
  let tally = createTally()
  // No serial of an earlier job comes again: it is a part of idempotency keys.
  let serial = Date.now()
  const call: Call = async (cameAt) => {
    const request = requests[++serial % requests.length]
    const send = request === undefined ? undefined : slots.take(request)
    if (send === undefined) {
      tally.unsent++
      return 1
    }
    const { outcome, status, retryAfterSeconds } = await send(serial)
    if (outcome === 'good') tally.good.push(performance.now() - cameAt)
    else if (outcome === 'refused') tally.refused++
    else tally.failures[status] = (tally.failures[status] ?? 0) + 1
    return outcome === 'good' ? 0 : retryAfterSeconds
  }
  const start = performance.now()
  const end = start + windows * windowMillis
  if ('perSecond' in pattern) arriveAtRate(call, () => (pattern.perSecond * speed.now) / pattern.atSpeed, start, end)
  else for (let caller = 0; caller < pattern.callers; caller++) void callRepeatedly(call, pattern.everyMillis, end)
  for (let window = 1; window <= windows; window++) {
    await wait(start + window * windowMillis - performance.now())
    process.send?.(windowOf(tally, windowMillis, speed.mean()))
    tally = createTally()
  }
  speed.stop()
  slots.close()
}

/** Sends a call that has come at this moment; returns the seconds after which a refused caller may come back. */
type Call = (cameAt: number) => Promise<number>

function arriveAtRate(call: Call, perSecond: () => number, start: number, end: number): void {
  let cameAt = start
  const timer = setInterval(() => {
    const now = performance.now()
    if (now >= end) clearInterval(timer)
    for (const pause = 1_000 / perSecond(); cameAt <= Math.min(now, end); cameAt += pause) void call(cameAt)
  }, TICK_MILLIS)
}

async function callRepeatedly(call: Call, everyMillis: number, end: number): Promise<void> {
  await wait(everyMillis * Math.random())
  for (let cameAt = performance.now(); cameAt < end; cameAt = performance.now()) {
    const retryAfterSeconds = await call(cameAt)
    const pause = everyMillis - (performance.now() - cameAt)
    await wait(retryAfterSeconds > 0 ? (retryAfterSeconds + Math.random()) * 1000 : Math.max(0, pause))
  }
}

interface Tally {
  readonly good: number[]
  refused: number
  readonly failures: Record<string, number>
  unsent: number
}

function createTally(): Tally {
  return { good: [], refused: 0, failures: {}, unsent: 0 }
}

function windowOf({ good, refused, failures, unsent }: Tally, windowMillis: number, speed: number): ArrivalsWindow {
  const aSecond = 1000 / windowMillis
  return {
    goodPerSecond: good.length * aSecond,
    refusedPerSecond: refused * aSecond,
    unsentPerSecond: unsent * aSecond,
    failed: Object.values(failures).reduce((sum, count) => sum + count, 0),
    failures,
    p50Millis: quantile(good, 0.5),
    p99Millis: quantile(good, 0.99),
    slowestMillis: quantile(good, 1),
    speed,
  }
}
