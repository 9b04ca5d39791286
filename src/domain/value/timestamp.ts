import { invalidField } from '../../errors.js'

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/

/** The moment (RFC 3339) in UTC with milliseconds; further digits are cut off. Null if the field is absent or empty. */
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
  // Years outside 1 to 9999 do not have four digits, or are the year 0.
  return utc.length === 24 && !utc.startsWith('0000') ? utc : undefined
}

/** A calendar date, not necessarily a valid one. */
export interface CalendarDate {
  readonly year: number
  readonly month: number
  readonly day: number
}

/** Whether the date is valid, from year 1 to 9999. */
export function isCalendarDate({ year, month, day }: CalendarDate): boolean {
  if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1) return false
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return (
    day <= (month === 2 ? (isLeapYear ? 29 : 28) : month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31)
  )
}
