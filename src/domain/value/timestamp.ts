import { invalidField } from '../../errors.js'

const rfc3339 = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))$/i

/** The moment (RFC 3339) in UTC with milliseconds; further digits are cut off. Null if the field is absent or empty. */
export function timestampOf(field: string, value: string | undefined): string | null {
  if (value === undefined || value === '') return null
  const moment = momentOf(value)
  if (moment !== undefined) return moment
  // A bare plus in a query is a blank.
  const hint = momentOf(value.replace(' ', '+')) === undefined ? '' : '; in a URL, write + as %2B'
  throw invalidField(field, `must be a time such as 2026-01-31T09:05:00.000Z (RFC 3339)${hint}`)
}

function momentOf(value: string): string | undefined {
  const [, day = '', time = '', fraction = '', sign, hours = '00', minutes = '00'] = rfc3339.exec(value) ?? []
  const local = Date.parse(`${day}T${time}.${fraction.padEnd(3, '0').slice(0, 3)}Z`)
  // JavaScript knows 24 o'clock.
  if (Number.isNaN(local) || time.startsWith('24') || !isCalendarDate(day)) return undefined
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000
  const utc = new Date(sign === '-' ? local + offset : local - offset).toISOString()
  // Years outside 1 to 9999 do not have four digits, or are the year 0.
  return utc.length === 24 && !utc.startsWith('0000') ? utc : undefined
}

/** Whether a date, such as `2026-01-31`, is valid, from year 1 to 9999. */
export function isCalendarDate(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`)
  // JavaScript takes 30 February for 2 March.
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(`${text}T`) && !text.startsWith('0000')
}
