import { Fraction } from './json-tree.js'

// The largest double has 309 digits; an integer literal longer than that has no finite value.
const MAX_DIGITS = 309

/**
 * The value of a JSON number from its literal and the parts of it that start with `.` and `e`, exactly: an integer
 * beyond 2^53 as a bigint, and a number that is not an integer although its double is one as a `Fraction`. Undefined
 * beyond all doubles.
 */
export function numberFromLiteral(
  literal: string,
  fraction: string,
  exponent: string,
): number | bigint | Fraction | undefined {
  const nearest = Number(literal)
  if (!Number.isFinite(nearest)) return undefined
  if (fraction === '' && exponent === '') {
    return Number.isSafeInteger(nearest) || literal.length > MAX_DIGITS + 1 ? nearest : BigInt(literal)
  }
  if (!Number.isInteger(nearest)) return nearest
  return exactInteger(literal, fraction, exponent) ?? new Fraction(nearest)
}

// Moves the decimal point: digits × 10^shift is an integer if only zeros are left after the point.
function exactInteger(literal: string, fraction: string, exponent: string): number | bigint | undefined {
  const negative = literal.startsWith('-')
  const whole = literal.slice(negative ? 1 : 0, literal.length - fraction.length - exponent.length)
  const digits = withoutTrailingZeros(whole + fraction.slice(1))
  const trimmed = whole.length + Math.max(fraction.length - 1, 0) - digits.length
  const shift = Number(exponent.slice(1)) - Math.max(fraction.length - 1, 0) + trimmed
  if (digits === '') return negative ? -0 : 0
  if (shift < 0) return undefined
  const significant = digits.replace(/^0+/, '')
  if (significant.length + shift > MAX_DIGITS) return undefined
  const exact = BigInt(significant) * 10n ** BigInt(shift) * (negative ? -1n : 1n)
  return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact
}

// By hand: a regular expression would start again at each zero of a long run, and take seconds for one number.
function withoutTrailingZeros(digits: string): string {
  let end = digits.length
  while (digits.charCodeAt(end - 1) === 0x30) end--
  return digits.slice(0, end)
}
