import { ConnectError } from '@connectrpc/connect'
import { invalidArgument, quoted } from './invalid.js'
import { headerOf, type NodeRequest } from './node-http.js'
import { DEFAULT_TIMEOUT_HEADERS, type RestTranscoderOptions, type TimeoutFormat } from './options.js'

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

/**
 * The deadline that a request asks for in milliseconds, or the default one, shortened to the maximum; undefined for
 * none. A malformed header is answered as its error, for the caller to report in its turn.
 */
export type ReadTimeout = (request: NodeRequest, maxTimeoutMs: number | undefined) => number | ConnectError | undefined

/** Makes the reader of deadlines for the headers that the options name. */
export function createTimeoutReader(
  options: Pick<RestTranscoderOptions, 'timeoutHeaders' | 'defaultTimeoutMs'>,
): ReadTimeout {
  const headers = Object.entries(options.timeoutHeaders ?? DEFAULT_TIMEOUT_HEADERS).map(
    ([name, format]) => ({ name, key: name.toLowerCase(), format }) as const,
  )
  return (request, maxTimeoutMs) => {
    let timeoutMs: number | undefined
    for (const { name, key, format } of headers) {
      const value = headerOf(request, key)
      if (value === undefined) continue
      const given = parseTimeout(name, value, format)
      if (given instanceof ConnectError) return given
      timeoutMs = Math.min(timeoutMs ?? given, given)
    }
    timeoutMs ??= options.defaultTimeoutMs
    if (maxTimeoutMs === undefined) return timeoutMs
    return Math.min(timeoutMs ?? maxTimeoutMs, maxTimeoutMs)
  }
}
