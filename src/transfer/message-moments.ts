import { type DescField, type DescMessage, getOption, type Message } from '@bufbuild/protobuf'
import { type Date as DateMessage, DateSchema } from '../../gen/svc/v2/date_pb.js'
import { moment } from '../../gen/svc/v2/limit_pb.js'
import { isCalendarDate, timestampOf } from '../domain/value/timestamp.js'
import { invalidField } from '../errors.js'

/**
 * Converts every moment in a message, at any depth, into UTC with milliseconds, and refuses invalid dates. Throws a
 * ServiceError that names the field; `at` precedes its name.
 */
export type SetMoments = (desc: DescMessage, message: Message, at?: string) => void

/** Makes the setter, which finds the moments and dates of each type only once. */
export function createMomentSetter(): SetMoments {
  const learned = new Map<DescMessage, readonly DescField[]>()

  /** The fields that are moments or dates, or contain some. */
  function fieldsOf(desc: DescMessage): readonly DescField[] {
    const fields = learned.get(desc) ?? desc.fields.filter(hasMoments)
    learned.set(desc, fields)
    return fields
  }

  function hasMoments(field: DescField): boolean {
    const { message } = field
    if (message === undefined) return getOption(field, moment)
    // `google.protobuf.Value` is recursive, and contains none.
    return message === DateSchema || (message.file.proto.package === 'svc.v2' && fieldsOf(message).length > 0)
  }

  return function setMoments(desc, message, at = '') {
    const values = message as unknown as Record<string, unknown>
    for (const field of fieldsOf(desc)) {
      const { localName, message: inner } = field
      const value = field.oneof === undefined ? values[localName] : chosen(values[field.oneof.localName], localName)
      const path = at + field.jsonName
      if (value === undefined) continue
      if (typeof value === 'string') values[localName] = timestampOf(path, value) ?? emptyOf(field)
      else if (inner === undefined) continue
      else if (inner === DateSchema) requireCalendar(path, value as DateMessage)
      else if (!Array.isArray(value)) setMoments(inner, value as Message, `${path}.`)
      else for (const [index, item] of value.entries()) setMoments(inner, item, `${path}[${index}].`)
    }
  }
}

/** The value of a oneof, if the field is the one that is set. */
function chosen(oneof: unknown, name: string): unknown {
  const { case: given, value } = oneof as { readonly case?: string; readonly value?: unknown }
  return given === name ? value : undefined
}

/** The value of a field without a moment. */
function emptyOf(field: DescField): string | undefined {
  return field.proto.proto3Optional ? undefined : ''
}

function requireCalendar(field: string, date: DateMessage): void {
  if (!isCalendarDate(date)) throw invalidField(field, 'must be a valid calendar date')
}
