import { setTimeout as wait } from 'node:timers/promises'
import type { Tokens } from '../../harness/database.js'
import { quantile } from '../../harness/quantile.js'
import { read } from './call.js'

// A well-behaved caller, in a separate process: reads one journey after another until it is stopped.

/** Whom it calls. */
export interface GoodCallerJob {
  readonly origin: string
  readonly tokens: Tokens
}

/** How its calls went. */
export interface GoodCallerResult {
  readonly calls: number
  /** Those not answered 200. */
  readonly failed: number
  readonly p99Millis: number
  readonly slowestMillis: number
}

const PAUSE_MILLIS = 4
const WARM_UP_CALLS = 50

let isStopped = false

process.on('message', (message: GoodCallerJob | 'stop') => {
  if (message === 'stop') isStopped = true
  else void run(message).then((result) => process.send?.(result))
})

async function run({ origin, tokens }: GoodCallerJob): Promise<GoodCallerResult> {
  for (let index = 0; index < WARM_UP_CALLS; index++) await read({ origin }, { tokens })
  process.send?.('calls')
  const millis: number[] = []
  let failed = 0
  while (!isStopped) {
    const result = await read({ origin }, { tokens })
    millis.push(result.millis)
    if (result.status !== 200) failed++
    await wait(PAUSE_MILLIS)
  }
  return {
    calls: millis.length,
    failed,
    p99Millis: quantile(millis, 0.99),
    slowestMillis: quantile(millis, 1),
  }
}
