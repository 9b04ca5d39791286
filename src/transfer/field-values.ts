import { idFormat, scopedIdFormat, type TextLimits, textViolations } from '../domain/value/text-field.js'
import { type CalendarDate, isCalendarDate } from '../domain/value/timestamp.js'
import { invalidField } from '../errors.js'

const uuidFormat = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The id, which has to be there and have the form of ids (docs/http.md). */
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

/** The date as `YYYY-MM-DD`, or null where it is absent. It has to be in the calendar. */
export function dateOf(field: string, date: CalendarDate | undefined): string | null {
  if (date === undefined) return null
  if (!isCalendarDate(date)) throw invalidField(field, 'must be a date of the calendar')
  const { year, month, day } = date
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
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
