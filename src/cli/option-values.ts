import { InvalidArgumentError } from 'commander'

const UNIT_SECONDS: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3_600, d: 86_400 }
const TEN_YEARS_DAYS = 3_650

/** The seconds of a duration such as `90s`, `30m`, `24h` or `30d`; a bare number is seconds. */
export function parseDuration(given: string, { minSeconds = 1, maxDays = TEN_YEARS_DAYS } = {}): number {
  const [, count = '', unit = 'none'] = /^(\d{1,9})([smhd]?)$/.exec(given) ?? []
  const seconds = Number(count) * (UNIT_SECONDS[unit] ?? Number.NaN)
  if (seconds >= minSeconds && seconds <= maxDays * 86_400) return seconds
  throw new InvalidArgumentError(
    `must be from ${minSeconds}s to ${maxDays}d, such as 90s, 30m, 24h or 30d; a bare number is seconds`,
  )
}

/** Reads a whole number in a range. */
export function integerFrom(min: number, max: number): (given: string) => number {
  return (given) => {
    const number = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN
    if (number >= min && number <= max) return number
    throw new InvalidArgumentError(`must be from ${min} to ${max}`)
  }
}
