import { InvalidArgumentError } from 'commander'

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }
const MAX_DAYS = 3_650

/** The seconds of a duration such as `90s`, `30m`, `24h` or `30d`: at least one, at most ten years. */
export function parseDuration(given: string): number {
  const [, count = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(given) ?? []
  const seconds = Number(count) * (UNIT_SECONDS[unit] ?? 0)
  if (seconds < 1) throw new InvalidArgumentError('must be a duration such as 90s, 30m, 24h or 30d')
  if (seconds > MAX_DAYS * 86_400) throw new InvalidArgumentError(`must be at most ${MAX_DAYS}d`)
  return seconds
}

/** As `parseDuration`, or none: `0`, with a unit or without. */
export function parseDurationOrNone(given: string): number {
  return /^0{1,9}[smhd]?$/.test(given) ? 0 : parseDuration(given)
}
