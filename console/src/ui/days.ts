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
