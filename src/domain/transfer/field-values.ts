import { invalidField } from '../../errors.js'
import { idFormat, scopedIdFormat, type TextLimits, textViolations } from '../text-field.js'

/** A calendar date in the JSON of the API. */
export interface DateJson {
  readonly year: number
  readonly month: number
  readonly day: number
}

const uuidFormat = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/

/** The id, which has to be there and have the form of ids (decisions, section 1). */
export function idOf(field: string, value: string): string {
  if (idFormat.test(value)) return value
  throw value === ''
    ? invalidField(field, 'is required', 'FIELD_REQUIRED')
    : invalidField(field, 'must be 1 to 128 characters of A-Za-z0-9_.~:-')
}

/** The id of something else, or null where the field is empty. */
export function optionalIdOf(field: string, value: string): string | null {
  return value === '' ? null : idOf(field, value)
}

/** The UUID in lower case. */
export function uuidOf(field: string, value: string): string {
  if (uuidFormat.test(value)) return value.toLowerCase()
  throw value === ''
    ? invalidField(field, 'is required', 'FIELD_REQUIRED')
    : invalidField(field, 'must be a UUID such as 0190b8f4-5d2e-7c3a-9b1f-2d6e8a4c7f10')
}

/** The id in lower case where it is a UUID, so that it meets the task's; any other text as it stands. */
export function taskReferenceOf(field: string, value: string): string {
  return uuidFormat.test(value) ? value.toLowerCase() : textOf(field, value, { max: 128 })
}

/** The short handle, or null where the server is to make one. */
export function scopedIdOf(field: string, value: string): string | null {
  if (value === '') return null
  if (scopedIdFormat.test(value)) return value
  throw invalidField(field, 'must be 1 to 64 characters of A-Za-z0-9_.~:-')
}

/** The text, which has to keep within the limits. */
export function textOf(field: string, value: string, limits: TextLimits): string {
  const [violation] = textViolations(field, value, limits)
  if (violation !== undefined) throw invalidField(violation.field, violation.description, violation.reason)
  return value
}

/** The texts of a list, each within the limits. */
export function textsOf(field: string, values: readonly string[], limits: TextLimits): readonly string[] {
  for (const [index, value] of values.entries()) textOf(`${field}[${index}]`, value, limits)
  return values
}

/** The whole number, which must not be below the least one. */
export function integerOf(field: string, value: number, least: number): number {
  if (value < least) throw invalidField(field, `must be at least ${least}`)
  return value
}

/**
 * The moment (RFC 3339) in UTC with milliseconds; further digits are cut off. Null where the field is absent or empty.
 */
export function timestampOf(field: string, value: string | undefined): string | null {
  if (value === undefined || value === '') return null
  const moment = momentOf(value)
  if (moment !== undefined) return moment
  throw invalidField(field, 'must be a time such as 2026-01-31T09:05:00.000Z (RFC 3339)')
}

function momentOf(value: string): string | undefined {
  const parts = rfc3339.exec(value)
  if (parts === null) return undefined
  const [, year, month, day, hour, minute, second, fraction = '', sign, offsetHour = '00', offsetMinute = '00'] = parts
  if (!isCalendarDate({ year: Number(year), month: Number(month), day: Number(day) })) return undefined
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return undefined
  const local = Date.parse(
    `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}Z`,
  )
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * 60_000
  const utc = new Date(sign === '-' ? local + offset : local - offset).toISOString()
  // Years outside of 1 to 9999 do not have four digits, or are the year 0.
  return utc.length === 24 && !utc.startsWith('0000') ? utc : undefined
}

/** The date as `YYYY-MM-DD`, or null where it is absent. It has to be in the calendar. */
export function dateOf(field: string, date: DateJson | undefined): string | null {
  if (date === undefined) return null
  if (!isCalendarDate(date)) throw invalidField(field, 'must be a date of the calendar')
  const { year, month, day } = date
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
}

function isCalendarDate({ year, month, day }: DateJson): boolean {
  if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1) return false
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return (
    day <= (month === 2 ? (isLeapYear ? 29 : 28) : month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31)
  )
}

/** The name of an enum value without the prefix of its enum, as the database has it. */
export function enumOf(value: string, prefix: string): string {
  return value.slice(prefix.length)
}

/** Refuses a list in which a value stands twice, naming the second place. `at` gives the field of a place. */
export function requireDistinct(values: Iterable<string>, at: (index: number) => string): void {
  const seen = new Set<string>()
  let index = 0
  for (const value of values) {
    if (seen.has(value)) throw invalidField(at(index), `${value} stands twice`)
    seen.add(value)
    index++
  }
}
