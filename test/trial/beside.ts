import { fork } from 'node:child_process'
import { reply } from '../../harness/reply.js'
import type { GoodCallerResult } from './good-caller.js'
import type { ServiceRun, Stage } from './stage.js'

/** Does the work while another caller uses the service, and returns how its calls went. */
export async function callBeside(
  name: string,
  { origin }: ServiceRun,
  { tokens }: Stage,
  work: () => Promise<void>,
): Promise<GoodCallerResult> {
  const caller = fork(new URL('./good-caller.js', import.meta.url))
  try {
    caller.send({ origin, tokens })
    await reply(caller)
    await work()
    caller.send('stop')
    const result = (await reply(caller)) as GoodCallerResult
    const { calls, failed, p99Millis, slowestMillis } = result
    console.log(
      `  a good caller beside ${name}: ${calls} calls, ${failed} failed, p99 ${p99Millis.toFixed(1)} ms, ` +
        `slowest ${slowestMillis.toFixed(1)} ms`,
    )
    return result
  } finally {
    caller.kill()
  }
}
