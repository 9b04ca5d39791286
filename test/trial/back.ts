import { setTimeout as wait } from 'node:timers/promises'
import { callJson } from '../../harness/call.js'
import { execute, type ServiceRun, type Stage } from './stage.js'

const PATIENCE_MILLIS = 60_000

/** When the database takes sessions and writes again. Throws if it does not within a minute. */
export async function untilRecovered({ connectionString }: Pick<Stage, 'connectionString'>): Promise<number> {
  const end = performance.now() + PATIENCE_MILLIS
  for (;;) {
    try {
      await execute(connectionString, 'CREATE TEMPORARY TABLE back ()')
      return performance.now()
    } catch (error) {
      if (performance.now() > end) throw error
      await wait(10)
    }
  }
}

/** When a write was acknowledged; infinite if none was within a minute. */
export async function untilWritten(run: ServiceRun, { tokens }: Stage): Promise<number> {
  const end = performance.now() + PATIENCE_MILLIS
  const call = { method: 'PATCH', token: tokens.user, json: { description: 'after' }, patienceMillis: PATIENCE_MILLIS }
  while (performance.now() < end) {
    if ((await callJson(run, '/v2/priorities/priority-49', call)).status === 200) return performance.now()
    await wait(10)
  }
  return Number.POSITIVE_INFINITY
}
