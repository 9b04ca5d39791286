import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { quantile } from '../../harness/quantile.js'
import { createAsker, openSocket } from './asker.js'

// The callers of the trial `overload`, in a separate process: keep-alive connections with one request at a time on
// each. Refused callers come back when `Retry-After` says, and up to a second later, as the clients of the service do.

/** What the callers do. */
export interface CrowdJob {
  readonly port: number
  /** Whole requests of HTTP/1.1 as text, used in turns. */
  readonly requests: readonly string[]
  readonly connections: number
  /** How long they call before anything is counted. */
  readonly warmUpMillis: number
  readonly millis: number
}

/** The results of their calls. */
export interface CrowdResult {
  /** Calls answered 200, per second. */
  readonly goodPerSecond: number
  /** Calls answered 503 with `Retry-After`, per second. */
  readonly refusedPerSecond: number
  /** Other answers, and connections that ended. */
  readonly failed: number
  /** Of the calls that were answered 200. */
  readonly p50Millis: number
  readonly p99Millis: number
  /** Of the calls that were refused. */
  readonly refusedP99Millis: number
}

const OPENED_AT_ONCE = 100

process.on('message', (job: CrowdJob) => {
  run(job).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})

async function run({ port, requests, connections, warmUpMillis, millis }: CrowdJob): Promise<CrowdResult> {
  const sockets: Socket[] = []
  while (sockets.length < connections) {
    const count = Math.min(OPENED_AT_ONCE, connections - sockets.length)
    sockets.push(...(await Promise.all(Array.from({ length: count }, () => openSocket(port)))))
  }
  const good: number[] = []
  const refused: number[] = []
  let failed = 0
  const start = performance.now() + warmUpMillis
  const end = start + millis
  await Promise.all(
    sockets.map(async (socket, index) => {
      const ask = createAsker(socket)
      for (let sent = performance.now(), turn = index; sent < end; sent = performance.now(), turn++) {
        const { status, retryAfterSeconds } = await ask(requests[turn % requests.length] ?? '')
        const answered = performance.now()
        const isCounted = answered >= start && answered < end
        if (isCounted && status === 200) good.push(answered - sent)
        else if (isCounted && status === 503) refused.push(answered - sent)
        else if (isCounted || status === 0) failed++
        if (status === 0) return
        if (status !== 200)
          await wait(Math.min((retryAfterSeconds + Math.random()) * 1000, Math.max(0, end - answered)))
      }
    }),
  )
  for (const socket of sockets) socket.destroy()
  return {
    goodPerSecond: (good.length / millis) * 1000,
    refusedPerSecond: (refused.length / millis) * 1000,
    failed,
    p50Millis: quantile(good, 0.5),
    p99Millis: quantile(good, 0.99),
    refusedP99Millis: quantile(refused, 0.99),
  }
}
