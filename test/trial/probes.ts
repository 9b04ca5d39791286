import { setTimeout as wait } from 'node:timers/promises'
import { quantile } from '../../harness/quantile.js'

const PAUSE_MILLIS = 50

/** How the probes of a time went. */
export interface Probes {
  readonly p99Millis: number
  readonly slowestMillis: number
  /** Those that did not say ready. */
  readonly failed: number
}

/** Probes as a supervisor and a balancer do, each time on a new connection, until the work is done. */
export async function probeWhile(origin: string, work: Promise<unknown>): Promise<Probes> {
  const isOver = work.then(() => true)
  const millis: number[] = []
  let failed = 0
  do {
    for (const path of ['/healthz', '/readyz']) {
      const startedAt = performance.now()
      const answer = await fetch(origin + path, { headers: { connection: 'close' } })
      await answer.arrayBuffer()
      millis.push(performance.now() - startedAt)
      if (answer.status !== 200) failed++
    }
  } while (!(await Promise.race([isOver, wait(PAUSE_MILLIS, false)])))
  return { p99Millis: quantile(millis, 0.99), slowestMillis: quantile(millis, 1), failed }
}
