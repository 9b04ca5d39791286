import { type DescMessage, getOption } from '@bufbuild/protobuf'
import { isReflectMessage, type ReflectMessage } from '@bufbuild/protobuf/reflect'
import { field as fieldRules } from '../../gen/buf/validate/validate_pb.js'
import type { FieldViolation } from '../errors.js'

/** Spaces of any script, and characters without width; the limits of single lines refuse tabs and line breaks. */
const BLANK = /^[\p{Z}\p{Default_Ignorable_Code_Point}]+$/u

/** Makes what finds the texts of a message, and of the messages in it, that must not be empty and are blank. */
export function createBlankCheck() {
  const known = new Map<DescMessage, ReturnType<typeof partsOf>>()
  return function blanksIn(message: ReflectMessage, path = ''): FieldViolation[] {
    const parts = known.get(message.desc) ?? partsOf(message.desc)
    known.set(message.desc, parts)
    return parts.flatMap((field): FieldViolation[] => {
      if (!message.isSet(field)) return []
      const at = path + field.jsonName
      if (field.fieldKind === 'list') {
        return [...message.get(field)].flatMap((item, index) =>
          isReflectMessage(item) ? blanksIn(item, `${at}[${index}].`) : [],
        )
      }
      const value: unknown = message.get(field)
      if (isReflectMessage(value)) return blanksIn(value, `${at}.`)
      const isBlank = typeof value === 'string' && BLANK.test(value)
      return isBlank ? [{ field: at, description: 'must not be blank', reason: 'FIELD_INVALID' }] : []
    })
  }
}

/** The texts of a message that must not be empty, and its messages. */
function partsOf({ fields }: DescMessage) {
  return fields.filter((field) => {
    if (field.message !== undefined) return field.fieldKind !== 'map'
    const { type } = getOption(field, fieldRules)
    return field.fieldKind === 'scalar' && type.case === 'string' && type.value.minLen > 0n
  })
}
