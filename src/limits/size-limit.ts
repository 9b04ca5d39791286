import { type DescMessage, getOption, toJsonString } from '@bufbuild/protobuf'
import { isReflectMessage, type ReflectMessage } from '@bufbuild/protobuf/reflect'
import { limit } from '../../gen/svc/v2/limit_pb.js'
import type { FieldViolation } from '../errors.js'

/**
 * Makes the check that finds the fields that are too large in a message and the messages in it, but not in the items of
 * its lists.
 */
export function createSizeCheck() {
  const known = new Map<DescMessage, ReturnType<typeof partsOf>>()
  return function violationsIn(message: ReflectMessage, path = ''): FieldViolation[] {
    const parts = known.get(message.desc) ?? partsOf(message.desc)
    known.set(message.desc, parts)
    return parts.flatMap(({ field, maxBytes }): FieldViolation[] => {
      const value: unknown = message.isSet(field) ? message.get(field) : undefined
      if (!isReflectMessage(value)) return []
      const at = path + field.jsonName
      if (maxBytes === 0) return violationsIn(value, `${at}.`)
      if (Buffer.byteLength(toJsonString(value.desc, value.message)) <= maxBytes) return []
      return [{ field: at, description: `must have at most ${maxBytes} bytes as JSON`, reason: 'FIELD_INVALID' }]
    })
  }
}

/** The messages that a message of the type can have, each with the most bytes that it may have; 0 for any number. */
function partsOf({ fields }: DescMessage) {
  return fields.flatMap((field) =>
    field.fieldKind === 'message' ? { field, maxBytes: getOption(field, limit).maxBytes } : [],
  )
}
