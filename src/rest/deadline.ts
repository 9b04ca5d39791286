import type { ConnectError } from '@connectrpc/connect'
import { invalidArgument, quoted } from './invalid.js'

/** How a timeout header is written: whole milliseconds, or digits and a unit as gRPC has it. */
export type TimeoutFormat = 'milliseconds' | 'grpc'

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
