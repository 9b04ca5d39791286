import { ConnectError } from '@connectrpc/connect'
import { invalidArgument, quoted } from '../protojson/invalid.js'
import { headerOf, type NodeRequest } from './node-http.js'

/** How a timeout header is written: whole milliseconds, or digits and a unit as gRPC has it. */
export type TimeoutFormat = 'milliseconds' | 'grpc'

const DEFAULT_TIMEOUT_HEADERS: Readonly<Record<string, TimeoutFormat>> = {
  'connect-timeout-ms': 'milliseconds',
  'grpc-timeout': 'grpc',
}

const GRPC_UNITS: Readonly<Record<string, number>> = { H: 3600000, M: 60000, S: 1000, m: 1, u: 0.001, n: 0.000001 }

/** Reads the value of a timeout header in milliseconds, or answers the `invalid_argument` that names the header. */
export function parseTimeout(name: string, value: string, format: TimeoutFormat): number | ConnectError {
  if (format === 'milliseconds') {
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

/** The deadline that a request asks for, or the default one, or the maximum. */
export type ReadTimeout = ReturnType<typeof createTimeoutReader>

/** What the timeout headers of a request say. */
export type Timeout = ReturnType<ReadTimeout>

/** Which headers set a deadline, and the deadline of a call that has none of them. */
export interface TimeoutOptions {
  /** The request headers that set a deadline; default `connect-timeout-ms` and `grpc-timeout`. */
  readonly timeoutHeaders?: Readonly<Record<string, TimeoutFormat>> | undefined
  /** The deadline of a call whose request names none, in milliseconds; default none. */
  readonly defaultTimeoutMs?: number | undefined
}

/** Makes the reader of deadlines for the headers that the options name. */
export function createTimeoutReader(options: TimeoutOptions) {
  const headers = Object.entries(options.timeoutHeaders ?? DEFAULT_TIMEOUT_HEADERS).map(
    ([name, format]) => ({ name, key: name.toLowerCase(), format }) as const,
  )
  return (request: NodeRequest, maxTimeoutMs: number | undefined) => {
    let asked: number | undefined
    let fault: ConnectError | undefined
    for (const { name, key, format } of headers) {
      const value = headerOf(request, key)
      if (value === undefined) continue
      const given = parseTimeout(name, value, format)
      if (given instanceof ConnectError) fault ??= given
      else asked = Math.min(asked ?? given, given)
    }
    const timeoutMs = asked ?? options.defaultTimeoutMs ?? maxTimeoutMs
    const isTooLong = timeoutMs !== undefined && maxTimeoutMs !== undefined && timeoutMs > maxTimeoutMs
    return {
      /** The deadline in milliseconds, shortened to the maximum; a malformed header counts as absent. */
      timeoutMs: isTooLong ? maxTimeoutMs : timeoutMs,
      /** The error of a malformed header, for the caller to report when its turn comes. */
      fault,
    }
  }
}
