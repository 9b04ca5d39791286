import { create } from '@bufbuild/protobuf'
import { type Date as DateMessage, DateSchema } from '../../gen/svc/v2/date_pb.js'

/** The message of a date of the form `2026-01-31`; nothing where there is none. */
export function dateToMessage(date: string | null): DateMessage | undefined {
  if (date === null) return undefined
  const [year, month, day] = date.split('-').map(Number)
  if (year === undefined || month === undefined || day === undefined) throw new Error(`${date} is no date`)
  return create(DateSchema, { year, month, day })
}
