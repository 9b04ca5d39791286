import { setTimeout as wait } from 'node:timers/promises'
import { journeyId } from '../records.js'
import type { ServiceRun, Stage } from './stage.js'

/** This many good answers in a row are no coincidence. */
const GOOD = 20

/** How a call went. */
export interface CallResult {
  /** 0 if no answer came. */
  readonly status: number
  readonly millis: number
  readonly retryAfter: string | null
  /** Whether it is the stored answer of an earlier call. */
  readonly isReplayed: boolean
  readonly text: string
}

/** A request. */
export interface CallOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** When the caller itself gives up. Default 30 s. */
  readonly patienceMillis?: number
}

/** Sends one request and waits for its end. */
export async function call(
  { origin }: Pick<ServiceRun, 'origin'>,
  path: string,
  options: CallOptions = {},
): Promise<CallResult> {
  const { method = 'GET', headers = {}, body = null, patienceMillis = 30_000 } = options
  const start = performance.now()
  try {
    const signal = AbortSignal.timeout(patienceMillis)
    const response = await fetch(origin + path, { method, headers, body, signal })
    const text = await response.text()
    const { status, headers: answered } = response
    const isReplayed = answered.has('idempotency-replayed')
    return { status, millis: performance.now() - start, retryAfter: answered.get('retry-after'), isReplayed, text }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return { status: 0, millis: performance.now() - start, retryAfter: null, isReplayed: false, text: '' }
  }
}

/** A request with a credential and a body of JSON. */
export interface JsonCall extends Omit<CallOptions, 'body'> {
  readonly token: string
  readonly json?: unknown
}

/** Sends one request with a credential, and with JSON if given. */
export function callJson(
  run: Pick<ServiceRun, 'origin'>,
  path: string,
  { token, json, ...options }: JsonCall,
): Promise<CallResult> {
  const body = json === undefined ? {} : { body: JSON.stringify(json) }
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...options.headers }
  return call(run, path, { ...options, ...body, headers })
}

/** Reads a journey: a call with two statements, one for its credential and one for its answer. */
export function read(
  run: Pick<ServiceRun, 'origin'>,
  { tokens }: Pick<Stage, 'tokens'>,
  options: CallOptions = {},
): Promise<CallResult> {
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
