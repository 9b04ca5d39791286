import { countText, durationUnits } from '../api/words.js'

const units = [['year', 31_557_600], ['month', 2_629_800], ...durationUnits.slice(0, 3)] as const

/** So much of a unit is called one of it: 9 months are no year, and 59 minutes are an hour. */
const NEARLY_ONE = 0.98

/** The text is English; how dates are written is the reader's, if that is English too. */
const locale = navigator.languages.find((language) => language.startsWith('en-')) ?? 'en-GB'
/** Made when a time is shown first: `Intl` takes a while to start. */
const absolute = once(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }))
const dateOnly = once(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }))

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

/** How long ago a moment was, or how soon it is. */
export function agoText(moment: string, now = Date.now()): string {
  const seconds = (Date.parse(moment) - now) / 1000
  const [word, size] = units.find(([, each]) => Math.abs(seconds) / each >= NEARLY_ONE) ?? ['', 1]
  const count = Math.round(seconds / size)
  if (word === '') return 'just now'
  if (word === 'day' && Math.abs(count) === 1) return count > 0 ? 'tomorrow' : 'yesterday'
  return count > 0 ? `in ${countText(count, word)}` : `${countText(-count, word)} ago`
}

/** A moment, as the reader's clock shows it. */
export function momentText(moment: string): string {
  return absolute().format(new Date(moment))
}

interface CalendarDate {
  readonly year: number
  readonly month: number
  readonly day: number
}

/** By how much a day of the calendar is over, such as `9 months`; empty for a day that is not. */
export function lateText(date: CalendarDate | undefined, now = new Date()): string {
  if (date === undefined) return ''
  const today = Date.UTC(now.getFullYear(), now.getMonth(), now.getDate())
  const seconds = (today - Date.UTC(date.year, date.month - 1, date.day)) / 1000
  const [word, size] = units.find(([, each]) => seconds / each >= NEARLY_ONE) ?? ['day', 86_400]
  const count = Math.round(seconds / size)
  return count < 1 ? '' : countText(count, word)
}

/** A day such as `2026-12-31`, as the reader writes it. */
export function dayText(day: string): string {
  return dateOnly().format(Date.parse(day))
}

/** A date of the calendar; empty where there is none. */
export function dateText(date: CalendarDate | undefined): string {
  return date === undefined ? '' : dateOnly().format(Date.UTC(date.year, date.month - 1, date.day))
}

interface WhenProps {
  readonly at: string | undefined
  readonly exact?: boolean
  /** What is said where there is none. */
  readonly none?: string
}

/** A moment: how long ago, with the exact time on hover and for screen readers. */
export function When({ at, exact, none = '–' }: WhenProps) {
  if (at === undefined || at === '') return none
  return (
    <time dateTime={at} title={momentText(at)}>
      {exact ? momentText(at) : agoText(at)}
    </time>
  )
}

/** When a day such as `2026-12-31`, or one so many days later, begins by the reader's clock; undefined for no day. */
export function dayStart(day: string, daysLater = 0): string | undefined {
  const [, year, month, date] = /^(\d{4,6})-(\d{2})-(\d{2})$/.exec(day) ?? []
  if (year === undefined || month === undefined || date === undefined) return undefined
  const start = new Date(0)
  start.setFullYear(Number(year), Number(month) - 1, Number(date) + daysLater)
  start.setHours(0, 0, 0, 0)
  return Number.isNaN(start.getTime()) ? undefined : start.toISOString()
}

/** The day of a moment by the reader's clock. */
export function dayOf(moment: string | number): string {
  const at = new Date(moment)
  const padded = (number: number, length: number) => String(number).padStart(length, '0')
  return `${padded(at.getFullYear(), 4)}-${padded(at.getMonth() + 1, 2)}-${padded(at.getDate(), 2)}`
}
