import { quantile } from '../../harness/quantile.js'
import type { ArrivalsWindow } from './arrivals.js'
import type { ProcessUsage } from './gauge.js'
import type { Probes } from './probes.js'
import { atLeast, atMost, type Finding } from './trial.js'

const MIB = 1024 * 1024
/** The part of the windows in which the service may grow to the size that it needs. */
const WARM_UP_PART = 1 / 6
/** How much may be added in all windows after those: heap between two collections, resident memory. */
const GROWTH_MIB = { heap: 12, resident: 25 }
const LIVE_GROWTH_MIB = 8
const GOODPUT = 0.8
/** The median p99 of the last third of the windows, over that of the first. */
const P99_GROWTH = 1.5
const REFUSED_SHARE = 0.001
const ACCEPTED_P99_MILLIS = 1_000
const PROBE_P99_MILLIS = 100

/** A window of calls, and the least memory that the service used in it. */
export interface Watched extends ArrivalsWindow {
  readonly heap: number
  readonly resident: number
}

/** All windows of a load, and how probes went beside it. */
export interface Watching {
  readonly windows: readonly Watched[]
  readonly windowMillis: number
  readonly probes: Probes
}

/** What the service uses while idle. */
export interface IdleUsage {
  readonly heap: number
  readonly handles: number
  readonly sockets: number
  readonly descriptors: number
  readonly kinds: ProcessUsage['handles']
}

/** Good responses per second, relative to the speed of the machine. */
export function goodputAtSpeed({ goodPerSecond, speed }: ArrivalsWindow): number {
  return goodPerSecond / speed
}

/** What is promised while the service has room. */
export function steadyFindings({ windows, windowMillis, probes }: Watching): Finding[] {
  const name = 'at 80 % of capacity'
  const later = windows.slice(Math.ceil(windows.length * WARM_UP_PART))
  const minutes = (later.length * windowMillis) / 60_000
  const third = Math.ceil(later.length / 3)
  const p99s = later.map(({ p99Millis }) => p99Millis)
  const growth = quantile(p99s.slice(-third), 0.5) / quantile(p99s.slice(0, third), 0.5)
  const sum = (part: (window: ArrivalsWindow) => number) => windows.reduce((total, each) => total + part(each), 0)
  const refused = sum((each) => each.refusedPerSecond + each.unsentPerSecond)
  const slope = (part: 'heap' | 'resident') => slopeOf(later.map((each) => each[part] / MIB)) * (60_000 / windowMillis)
  return [
    atMost(
      `${name}: calls without an answer, or with an unexpected one`,
      sum(({ failed }) => failed),
      0,
      '',
    ),
    atMost(`${name}: share of calls refused`, refused / sum(({ goodPerSecond }) => goodPerSecond), REFUSED_SHARE, ''),
    atMost(`${name}: p99 of the last third over that of the first`, growth, P99_GROWTH, ''),
    atMost(`${name}: growth of the heap`, slope('heap'), GROWTH_MIB.heap / minutes, 'MiB/min'),
    atMost(`${name}: growth of resident memory`, slope('resident'), GROWTH_MIB.resident / minutes, 'MiB/min'),
    ...probeFindings(name, probes),
  ]
}

/** What is promised while it has none. */
export function overloadFindings({ windows, probes }: Watching, capacity: ArrivalsWindow): Finding[] {
  const name = 'at five times capacity'
  const mean = (part: (window: ArrivalsWindow) => number) =>
    windows.reduce((total, each) => total + part(each), 0) / windows.length
  const p99 = quantile(
    windows.map(({ p99Millis }) => p99Millis),
    0.5,
  )
  return [
    atLeast(`${name}: goodput over capacity`, mean(goodputAtSpeed) / goodputAtSpeed(capacity), GOODPUT, ''),
    atMost(`${name}: p99 of what is accepted`, p99, ACCEPTED_P99_MILLIS, 'ms'),
    atMost(
      `${name}: calls without an answer, or with an unexpected one`,
      mean(({ failed }) => failed),
      0,
      '',
    ),
    ...probeFindings(name, probes),
  ]
}

function probeFindings(name: string, { p99Millis, slowestMillis, failed }: Probes): Finding[] {
  const promise = `${name}: p99 of probes, the slowest ${slowestMillis.toFixed(0)} ms`
  return [
    atMost(promise, p99Millis, PROBE_P99_MILLIS, 'ms'),
    atMost(`${name}: probes that do not say ready`, failed, 0, ''),
  ]
}

/** The promises once all callers have left. */
export function idleFindings(before: IdleUsage, after: IdleUsage): Finding[] {
  const noMoreThanBefore = (part: 'handles' | 'sockets' | 'descriptors') =>
    atMost(`afterwards: ${part}, ${before[part]} before`, after[part], before[part], '')
  const grown = (after.heap - before.heap) / MIB
  return [
    atMost('afterwards: live objects more than before', grown, LIVE_GROWTH_MIB, 'MiB'),
    noMoreThanBefore('handles'),
    noMoreThanBefore('sockets'),
    noMoreThanBefore('descriptors'),
  ]
}

/** How much is added from one value to the next, by linear regression. */
function slopeOf(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const middle = (values.length - 1) / 2
  const products = values.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0)
  return products / values.reduce((sum, _, index) => sum + (index - middle) ** 2, 0)
}
