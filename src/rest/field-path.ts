import type { DescField, DescMessage } from '@bufbuild/protobuf'
import { hasCustomJsonRepresentation, isWrapperDesc } from '@bufbuild/protobuf/wkt'
import { quoted } from '../protojson/invalid.js'
import type { FieldHint } from '../protojson/json-message.js'
import { textForms } from '../protojson/known-type-text.js'
import { suggestion } from '../protojson/nearest.js'

/** A path of fields from a message down to a field that URL text can fill. */
export type FieldPath = readonly [DescField, ...DescField[]]

/** Finds the field of a message type that a name means. */
export type FieldFinder = (desc: DescMessage, name: string) => DescField | undefined

/** Finds a field by its proto name, as rules name it. */
export const findByProtoName: FieldFinder = (desc, name) => desc.fields.find((field) => field.name === name)

/** Advice on unknown names. */
export interface FieldAdvice {
  readonly hint?: FieldHint | undefined
  /** Whether a field can be given here; those that cannot are not proposed. Default: all. */
  readonly isOpen?: (path: readonly DescField[]) => boolean
}

/** How many fields a path may have: as deep as messages may nest in JSON. */
const MAX_PATH_LENGTH = 100

/**
 * Resolves names to a field path, or says what is wrong with them. Its last field takes URL text: a scalar, an enum, or
 * a well-known type with a text form, singular or repeated. A step through a wrapper (`w.value`) is the wrapper itself;
 * other types with a JSON form of their own have no fields here, because their fields could be set to values that this
 * form cannot express.
 */
export function resolveFieldPath(
  desc: DescMessage,
  names: readonly string[],
  find: FieldFinder,
  { hint, isOpen = () => true }: FieldAdvice = {},
): FieldPath | string {
  const adviceOn = (at: DescMessage, before: readonly DescField[], name: string): string =>
    hint?.(at, name) ??
    suggestion(
      name,
      at.fields.filter((field) => takesText(field) && isOpen([...before, field])).map(({ jsonName }) => jsonName),
    )
  if (names.length > MAX_PATH_LENGTH) return `leads more than ${MAX_PATH_LENGTH} messages deep`
  const fields: DescField[] = []
  let at: DescMessage | undefined = desc
  for (const name of names) {
    const previous = fields.at(-1)
    if (at === undefined) return `${String(previous?.name)} has no fields`
    if (previous !== undefined && previous.fieldKind !== 'message') {
      return `${previous.name} is a ${previous.fieldKind === 'map' ? 'map' : 'repeated field'}`
    }
    const field: DescField | undefined = find(at, name)
    if (field === undefined) {
      return `no field ${quoted(name)} in ${at.typeName}: ${adviceOn(at, fields, name)}`
    }
    if (hasCustomJsonRepresentation(at) && !isWrapperDesc(at)) {
      return `${previous?.name ?? 'the request'} (${at.typeName}) has no fields of its own`
    }
    if (previous === undefined || !isWrapperDesc(at)) fields.push(field)
    at = field.fieldKind === 'message' || field.fieldKind === 'list' ? field.message : undefined
  }
  const [first, ...rest] = fields
  const leaf = fields.at(-1)
  if (first === undefined || leaf === undefined) return 'is empty'
  if (leaf.fieldKind === 'map') return `${leaf.name} is a map`
  if (leaf.message !== undefined && !hasTextForm(leaf.message)) {
    return `${leaf.name} is a message (${leaf.message.typeName}); name one of its fields`
  }
  return [first, ...rest]
}

/** Whether a message type has a text form that a URL can carry: wrappers, Timestamp, Duration and FieldMask. */
export function hasTextForm(desc: DescMessage): boolean {
  return isWrapperDesc(desc) || textForms.has(desc.typeName)
}

/** Whether text fills a field, or one of the fields in it. */
function takesText(field: DescField): boolean {
  if (field.fieldKind === 'list') return field.message === undefined || hasTextForm(field.message)
  return field.fieldKind !== 'map'
}

/** The proto names of a field path, joined by dots. */
export function fieldPathToString(fields: readonly DescField[]): string {
  return fields.map((field) => field.name).join('.')
}

/** Whether `path` is `prefix` or leads to something inside it. */
export function startsWithPath(path: readonly DescField[], prefix: readonly DescField[]): boolean {
  return prefix.length <= path.length && prefix.every((field, index) => path[index] === field)
}

/** Whether two paths lead through different members of one oneof, so that they cannot both be set. */
export function excludesPath(path: FieldPath, other: FieldPath): boolean {
  const index = path.findIndex((field, at) => other[at] !== field)
  const oneof = path[index]?.oneof
  return oneof !== undefined && oneof === other[index]?.oneof
}
