import styles from './line.module.css'
import { agoText } from './when.js'

const DAY_MILLIS = 86_400_000
/** What ends within so many days stands out. */
const SOON_DAYS = 30

interface LineProps {
  /** What it says, in words. */
  readonly label: string
  /** How much of it is filled, from 0 to 1. */
  readonly filled: number
  /** Where a point is on it. */
  readonly mark?: number | undefined
  /** When what it is about ends; it fades where that does not end. */
  readonly end: string | undefined
}

/** A length of time as a line, with a point on it. */
export function Line({ label, filled, mark, end }: LineProps) {
  const placeOf = (part: number) => Math.min(1, Math.max(0, part))
  const days = end === undefined ? Number.POSITIVE_INFINITY : (Date.parse(end) - Date.now()) / DAY_MILLIS
  return (
    <svg
      className={styles['line']}
      viewBox="0 0 1 8"
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      data-ends={end === undefined ? 'never' : days < 0 ? 'past' : days < SOON_DAYS ? 'soon' : 'later'}
    >
      <line x1="0" x2="1" y1="4" y2="4" />
      <line x1="0" x2={placeOf(filled)} y1="4" y2="4" />
      {mark !== undefined && <line x1={placeOf(mark)} x2={placeOf(mark)} y1="0" y2="8" />}
    </svg>
  )
}

/** How soon something ends, on a line of so many days from now. */
export function EndLine({ at, days }: { readonly at: string; readonly days: number }) {
  const left = (Date.parse(at) - Date.now()) / (days * DAY_MILLIS)
  return <Line label={`Ends ${agoText(at)}, on a line of ${days} days`} filled={left} mark={left} end={at} />
}
