import { type DescField, type DescMessage, getOption, type Message } from '@bufbuild/protobuf'
import { type Date as DateMessage, DateSchema } from '../../gen/svc/v2/date_pb.js'
import { moment } from '../../gen/svc/v2/limit_pb.js'
import { isCalendarDate, timestampOf } from '../domain/value/timestamp.js'
import { invalidField } from '../errors.js'
import { fieldValue, setFieldValue } from '../protojson/field-value.js'

/**
 * Makes what converts every moment in a message, at any depth, into UTC with milliseconds, and refuses invalid dates. It
 * finds the moments and dates of each type only once, and throws a ServiceError that names the field; `at` precedes its
 * name.
 */
export function createMomentSetter() {
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

  return function setMoments(desc: DescMessage, message: Message, at = ''): void {
    for (const field of fieldsOf(desc)) {
      const { message: inner } = field
      const value = fieldValue(message, field)
      const path = at + field.jsonName
      if (typeof value === 'string') setFieldValue(message, field, timestampOf(path, value) ?? emptyOf(field))
      else if (value === undefined || inner === undefined) continue
      else if (inner === DateSchema) requireCalendar(path, value as DateMessage)
      else if (!Array.isArray(value)) setMoments(inner, value as Message, `${path}.`)
      else for (const [index, item] of value.entries()) setMoments(inner, item, `${path}[${index}].`)
    }
  }
}

/** The value of a field without a moment. */
function emptyOf(field: DescField): string | undefined {
  return field.proto.proto3Optional ? undefined : ''
}

function requireCalendar(field: string, date: DateMessage): void {
  const parts = [
    String(date.year).padStart(4, '0'),
    ...[date.month, date.day].map((part) => String(part).padStart(2, '0')),
  ]
  if (!isCalendarDate(parts.join('-'))) throw invalidField(field, 'must be a valid calendar date')
}
