import { type DescField, type DescMessage, getOption, isMessage, type Message } from '@bufbuild/protobuf'
import { isReflectList, isReflectMessage, type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect'
import { type Date as DateMessage, DateSchema } from '../../gen/svc/v2/date_pb.js'
import { moment } from '../../gen/svc/v2/limit_pb.js'
import { isCalendarDate, timestampOf } from '../domain/value/timestamp.js'
import { invalidField } from '../errors.js'

/**
 * Makes the function that converts every moment in a message, at any depth, to UTC with milliseconds, and refuses
 * invalid dates. It looks up the moments and dates of each type only once, and throws a ServiceError that names the
 * field.
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

  function settle(message: ReflectMessage, at: string): void {
    if (isMessage(message.message, DateSchema)) requireCalendar(at, message.message)
    for (const field of fieldsOf(message.desc)) {
      if (!message.isSet(field)) continue
      const path = at === '' ? field.jsonName : `${at}.${field.jsonName}`
      const value: unknown = message.get(field)
      if (isReflectMessage(value)) settle(value, path)
      else if (isReflectList(value)) {
        for (const [index, item] of value.entries()) if (isReflectMessage(item)) settle(item, `${path}[${index}]`)
      } else if (typeof value === 'string') {
        const settled = timestampOf(path, value)
        if (settled === null) message.clear(field)
        else message.set(field, settled)
      }
    }
  }
  return (desc: DescMessage, message: Message): void => {
    if (fieldsOf(desc).length > 0) settle(reflect(desc, message, false), '')
  }
}

function requireCalendar(field: string, date: DateMessage): void {
  const parts = [
    String(date.year).padStart(4, '0'),
    ...[date.month, date.day].map((part) => String(part).padStart(2, '0')),
  ]
  if (!isCalendarDate(parts.join('-'))) throw invalidField(field, 'must be a valid calendar date')
}
