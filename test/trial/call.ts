import { setTimeout as wait } from 'node:timers/promises'
import { type CallOptions, type CallResult, call, callJson, type Origin } from '../../harness/call.js'
import { journeyId } from '../../harness/records.js'
import type { ServiceRun, Stage } from './stage.js'

/** This many good answers in a row are no coincidence. */
const GOOD = 20

/** Reads a journey: a call with two statements, one for its credential and one for its answer. */
export function read(run: Origin, { tokens }: Pick<Stage, 'tokens'>, options: CallOptions = {}): Promise<CallResult> {
  const headers = { authorization: `Bearer ${tokens.key}`, ...options.headers }
  return call(run, `/v2/journeys/${journeyId(0)}`, { ...options, headers })
}

/** Renames a priority. */
export function patchPriority(
  run: ServiceRun,
  { tokens }: Stage,
  index: number,
  name: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<CallResult> {
  const call = { method: 'PATCH', token: tokens.user, json: { name }, headers }
  return callJson(run, `/v2/priorities/priority-${index}`, call)
}

/** Sends this many reads at once. */
export function readTogether(
  run: ServiceRun,
  stage: Stage,
  count: number,
  options?: CallOptions,
): Promise<CallResult[]> {
  return Promise.all(Array.from({ length: count }, () => read(run, stage, options)))
}

/** When the last of twenty good answers in a row came; infinite if none did until `last`. */
export async function untilGood(run: ServiceRun, stage: Stage, last: number): Promise<number> {
  let good = 0
  while (performance.now() < last) {
    const { status } = await read(run, stage, { patienceMillis: 2_000 })
    good = status === 200 ? good + 1 : 0
    if (good === GOOD) return performance.now()
    if (good === 0) await wait(50)
  }
  return Number.POSITIVE_INFINITY
}

/** Whether gRPC health reports SERVING. */
export async function isServing({ origin }: ServiceRun): Promise<boolean> {
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: '{}', signal: AbortSignal.timeout(10_000) }
  try {
    const response = await fetch(`${origin}/grpc.health.v1.Health/Check`, init)
    return (await response.text()).includes('"SERVING"')
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return false
  }
}
