import type { DescMethod } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { codeToString } from '@connectrpc/connect/protocol-connect'
import type { Registry } from 'prom-client'
import type { Call } from '../call/call.js'
import type { CallObserver } from '../call/serve-call.js'
import { type Count, createCounts, createTimes, type Times } from './series.js'

/** Every method in every protocol has more codes than callers ever get. */
const MAX_CALL_SERIES = 1_000
const MAX_METHODS = 50
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const PROTOCOLS = ['rest', 'connect', 'grpc', 'grpc-web', 'scim']
const CODES = Code.Unauthenticated + 1

/** Counts calls by method, protocol and code, and measures the duration of unary ones. */
export function createCallMeters(registry: Registry): CallObserver {
  const countOf = createCounts({
    name: 'svc_calls_total',
    help: 'Method calls, by method, protocol and code.',
    labelNames: ['method', 'protocol', 'code'],
    most: MAX_CALL_SERIES,
    registry,
  })
  const timesOf = createTimes({
    name: 'svc_call_duration_seconds',
    help: 'Time from the request headers to the response, for calls with a single response, by method.',
    labelNames: ['method'],
    bounds: BOUNDS,
    most: MAX_METHODS,
    registry,
  })
  const meters = new Map<DescMethod, MethodMeter>()
  const meterOf = (method: DescMethod): MethodMeter => {
    const name = `${method.parent.typeName}/${method.name}`
    const times = method.methodKind === 'unary' ? timesOf(name) : undefined
    const meter: MethodMeter = { name, counts: [], times }
    meters.set(method, meter)
    return meter
  }
  return {
    begun: () => {},
    ended: (call) => {
      const meter = meters.get(call.method) ?? meterOf(call.method)
      const place = placeOf(call)
      const count = meter.counts[place] ?? countOf(meter.name, call.protocolName, nameOfCode(call.errorCode))
      count.value++
      meter.counts[place] = count
      meter.times?.observe((performance.now() - call.startedAt) / 1000)
    },
  }
}

interface MethodMeter {
  readonly name: string
  /** At the index from `placeOf`. */
  readonly counts: Count[]
  /** Absent for streams, which last as long as their clients want. */
  readonly times: Times | undefined
}

/** An index for each protocol and code. */
function placeOf({ protocolName, errorCode }: Call): number {
  return (PROTOCOLS.indexOf(protocolName) + 1) * CODES + (errorCode ?? 0)
}

function nameOfCode(code: Code | undefined): string {
  return code === undefined ? 'ok' : codeToString(code)
}
