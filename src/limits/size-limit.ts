import { type DescField, type DescMessage, getOption, type Message, toJsonString } from '@bufbuild/protobuf'
import { isReflectMessage, reflect } from '@bufbuild/protobuf/reflect'
import { limit } from '../../gen/svc/v2/limit_pb.js'
import type { FieldViolation } from '../errors.js'

/** The way from a message to a field in it whose size is limited. */
type SizePath = readonly DescField[]

/** Makes what finds the fields of a type whose size is limited, and those of the messages in it; not those in its lists. */
export function createSizePaths(): (desc: DescMessage) => readonly SizePath[] {
  const known = new Map<DescMessage, readonly SizePath[]>()
  const pathsOf = (desc: DescMessage): readonly SizePath[] => {
    const found = known.get(desc)
    if (found !== undefined) return found
    // A type that contains itself has no more of them inside.
    known.set(desc, [])
    const paths = desc.fields.flatMap((field): SizePath[] => {
      if (field.fieldKind !== 'message') return []
      if (getOption(field, limit).maxBytes > 0) return [[field]]
      return pathsOf(field.message).map((path) => [field, ...path])
    })
    known.set(desc, paths)
    return paths
  }
  return pathsOf
}

/** The fields at the ends of the paths that are too large. */
export function sizeViolations(paths: readonly SizePath[], desc: DescMessage, message: Message): FieldViolation[] {
  return paths.flatMap((path): FieldViolation[] => {
    let at = reflect(desc, message, false)
    for (const field of path) {
      const value: unknown = at.isSet(field) ? at.get(field) : undefined
      if (!isReflectMessage(value)) return []
      at = value
    }
    const { maxBytes } = getOption(path.at(-1) as DescField, limit)
    if (Buffer.byteLength(toJsonString(at.desc, at.message)) <= maxBytes) return []
    const field = path.map(({ jsonName }) => jsonName).join('.')
    const description = `must have at most ${maxBytes} bytes as JSON`
    return [{ field, description, reason: 'FIELD_INVALID' }]
  })
}
