import { ConnectError } from '@connectrpc/connect'
import { invalidArgument, quoted } from '../protojson/invalid.js'
import { headerOf, type NodeRequest } from './node-http.js'

/** The request headers that set a deadline. */
export type TimeoutHeader = 'connect-timeout-ms' | 'grpc-timeout'

const TIMEOUT_HEADERS: readonly TimeoutHeader[] = ['connect-timeout-ms', 'grpc-timeout']
const GRPC_UNITS: Readonly<Record<string, number>> = { H: 3600000, M: 60000, S: 1000, m: 1, u: 0.001, n: 0.000001 }

/** Reads the value of a timeout header in milliseconds, or returns the `invalid_argument` that names the header. */
export function parseTimeout(name: TimeoutHeader, value: string): number | ConnectError {
  if (name === 'connect-timeout-ms') {
    if (!/^[0-9]{1,10}$/.test(value)) return invalidArgument(name, `expected milliseconds, got ${quoted(value)}`)
    return Number(value)
  }
  const match = /^([0-9]{1,8})([HMSmun])$/.exec(value)
  const unit = GRPC_UNITS[match?.[2] ?? '']
  if (match === null || unit === undefined) {
    return invalidArgument(name, `expected digits and a unit of H, M, S, m, u or n, got ${quoted(value)}`)
  }
  return Number(match[1]) * unit
}

/** The timeout that the headers of a request ask for. */
export type Timeout = ReturnType<typeof readTimeout>

/** Reads the deadline of a request, of both headers unless one is named; the maximum is also the default. */
export function readTimeout(request: NodeRequest, maxTimeoutMs: number | undefined, names = TIMEOUT_HEADERS) {
  let asked = Number.POSITIVE_INFINITY
  let fault: ConnectError | undefined
  for (const name of names) {
    const value = headerOf(request, name)
    if (value === undefined) continue
    const given = parseTimeout(name, value)
    if (given instanceof ConnectError) fault ??= given
    else asked = Math.min(asked, given)
  }
  const timeoutMs = Math.min(asked, maxTimeoutMs ?? Number.POSITIVE_INFINITY)
  return {
    /** The deadline in milliseconds, shortened to the maximum; a malformed header counts as absent. */
    timeoutMs: Number.isFinite(timeoutMs) ? timeoutMs : undefined,
    /** The error of a malformed header, for the caller to report when its turn comes. */
    fault,
  }
}
