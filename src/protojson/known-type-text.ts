import { protoCamelCase, protoSnakeCase } from '@bufbuild/protobuf/reflect'
import { quoted, ValueFault } from './invalid.js'

/** Seconds and nanoseconds, as Timestamp and Duration keep them. */
export interface SecondsAndNanos {
  readonly seconds: bigint
  readonly nanos: number
}

const TIMESTAMP = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:Z|([+-])(\d{2}):(\d{2}))$/
const SECONDS_MIN = -62135596800
const SECONDS_MAX = 253402300799

/** Reads an RFC 3339 time with a real calendar date, from year 1 to 9999 in UTC; no leap second. */
export function timestampFromText(text: string): SecondsAndNanos {
  const match = TIMESTAMP.exec(text)
  if (match === null) throw new ValueFault(`expected an RFC 3339 time, got ${quoted(text)}`)
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number)
  const date = new Date(0)
  date.setUTCFullYear(year ?? 0, (month ?? 0) - 1, day ?? 0)
  const real = date.getUTCFullYear() === year && date.getUTCMonth() + 1 === month && date.getUTCDate() === day
  const clock = (hour ?? 24) < 24 && (minute ?? 60) < 60 && (second ?? 60) < 60
  const offsetHours = Number(match[9] ?? 0)
  const offsetMinutes = Number(match[10] ?? 0)
  if (!real || !clock || offsetHours > 23 || offsetMinutes > 59) {
    throw new ValueFault(`no such time as ${quoted(text)}`)
  }
  const offset = (offsetHours * 3600 + offsetMinutes * 60) * (match[8] === '-' ? -1 : 1)
  const seconds = date.getTime() / 1000 + (hour ?? 0) * 3600 + (minute ?? 0) * 60 + (second ?? 0) - offset
  if (seconds < SECONDS_MIN || seconds > SECONDS_MAX) {
    throw new ValueFault(`${quoted(text)} is outside the years 1 to 9999`)
  }
  return { seconds: BigInt(seconds), nanos: nanosFromFraction(match[7]) }
}

const DURATION = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/
const DURATION_MAX = 315576000000

/** Reads a duration such as `1.5s`: at most 315,576,000,000 seconds either way, fractions apart. */
export function durationFromText(text: string): SecondsAndNanos {
  const match = DURATION.exec(text)
  if (match === null) throw new ValueFault(`expected a duration such as 1.5s, got ${quoted(text)}`)
  const seconds = Number(match[2])
  const nanos = nanosFromFraction(match[3])
  if (seconds > DURATION_MAX) {
    throw new ValueFault(`${quoted(text)} is out of range for a duration`)
  }
  const sign = match[1] === '-' ? -1 : 1
  return { seconds: BigInt(seconds * sign), nanos: nanos * sign + 0 }
}

const MASK_PATH = /^(?:\*|[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)$/

/**
 * Reads a field mask: paths separated by commas, in lowerCamelCase or, with `snake`, in proto spelling as well. A path
 * that JSON could not print back is a fault.
 */
export function maskPathsFromText(text: string, snake: boolean): string[] {
  if (text === '') return []
  return text.split(',').map((path) => {
    if (!MASK_PATH.test(path)) throw new ValueFault(`${quoted(path)} is not a field path`)
    const isSnake = path.includes('_')
    if (isSnake && !snake) throw new ValueFault(`${quoted(path)} must be lowerCamelCase`)
    const proto = isSnake ? path : protoSnakeCase(path)
    if (protoSnakeCase(protoCamelCase(proto)) !== proto) {
      throw new ValueFault(`${quoted(path)} has no reversible lowerCamelCase form`)
    }
    return proto
  })
}

function nanosFromFraction(fraction: string | undefined): number {
  return fraction === undefined ? 0 : Number(fraction.padEnd(9, '0'))
}
