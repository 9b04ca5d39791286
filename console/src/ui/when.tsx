const units = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
/** The text is English; how dates are written is the reader's, if that is English too. */
const locale = navigator.languages.find((language) => language.startsWith('en-')) ?? 'en-GB'
const absolute = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
const dateOnly = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })

/** How long ago a moment was, or how soon it is. */
export function agoText(moment: string, now = Date.now()): string {
  const seconds = (Date.parse(moment) - now) / 1000
  const unit = units.find(([, size]) => Math.round(Math.abs(seconds) / size) >= 1)
  return unit === undefined ? 'just now' : relative.format(Math.round(seconds / unit[1]), unit[0])
}

/** A moment, as the reader's clock shows it. */
export function momentText(moment: string): string {
  return absolute.format(new Date(moment))
}

/** A date of the calendar; empty where there is none. */
export function dateText(
  date: { readonly year: number; readonly month: number; readonly day: number } | undefined,
): string {
  return date === undefined ? '' : dateOnly.format(Date.UTC(date.year, date.month - 1, date.day))
}

/** A moment: how long ago, with the exact time on hover and for screen readers. `–` where there is none. */
export function When({ at, exact }: { readonly at: string | undefined; readonly exact?: boolean }) {
  if (at === undefined || at === '') return <>–</>
  return (
    <time dateTime={at} title={momentText(at)}>
      {exact ? momentText(at) : agoText(at)}
    </time>
  )
}
