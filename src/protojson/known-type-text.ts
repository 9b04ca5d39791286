import { protoCamelCase, protoSnakeCase } from '@bufbuild/protobuf/reflect'
import { quoted, ValueFault } from './invalid.js'

/** The well-known types with a text form: what their fields are by their text. `snake` is for field masks. */
export const textForms: ReadonlyMap<string, (text: string, snake: boolean) => object> = new Map<
  string,
  (text: string, snake: boolean) => object
>([
  ['google.protobuf.Timestamp', timestampFromText],
  ['google.protobuf.Duration', durationFromText],
  ['google.protobuf.FieldMask', (text, snake) => ({ paths: maskPathsFromText(text, snake) })],
])

const TIMESTAMP = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(?:Z|([+-])(\d{2}):(\d{2}))$/
const SECONDS_MIN = -62135596800
const SECONDS_MAX = 253402300799

/** Reads an RFC 3339 time with a real calendar date, from year 1 to 9999 in UTC; no leap second. */
export function timestampFromText(text: string) {
  const match = TIMESTAMP.exec(text)
  if (match === null) {
    // A bare plus in a query is a blank.
    const hint = TIMESTAMP.test(text.replace(' ', '+')) ? '; in a URL, write + as %2B' : ''
    throw new ValueFault(`expected an RFC 3339 time, got ${quoted(text)}${hint}`)
  }
  const [, local = '', fraction, sign, hours = 0, minutes = 0] = match
  const millis = Date.parse(`${local}Z`)
  // The engine reads 30 February as a day of March.
  const isReal = Number.isFinite(millis) && new Date(millis).toISOString().startsWith(local)
  if (!isReal || Number(hours) > 23 || Number(minutes) > 59) throw new ValueFault(`no such time as ${quoted(text)}`)
  const offset = (Number(hours) * 3600 + Number(minutes) * 60) * (sign === '-' ? -1 : 1)
  const seconds = millis / 1000 - offset
  if (seconds < SECONDS_MIN || seconds > SECONDS_MAX) {
    throw new ValueFault(`${quoted(text)} is outside the years 1 to 9999`)
  }
  return { seconds: BigInt(seconds), nanos: nanosFromFraction(fraction) }
}

const DURATION = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/
const DURATION_MAX = 315576000000

/** Reads a duration such as `1.5s`: at most 315,576,000,000 seconds either way, fractions apart. */
export function durationFromText(text: string) {
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
