import { type DescField, type DescMessage, getOption, type Message, ScalarType } from '@bufbuild/protobuf'
import { field as fieldRules } from '../../gen/buf/validate/validate_pb.js'

/** A field with limited texts, or with messages that can contain some. */
interface Part {
  readonly field: DescField
  /** How much of a text is kept, in code units. */
  readonly kept: number
  readonly message: DescMessage | undefined
}

type Holder = Record<string, unknown>

/**
 * Creates the function that truncates texts far beyond their limit to a length that still exceeds it. They are rejected
 * either way, but the rules would count every character of them.
 */
export function createTextTruncator(): (desc: DescMessage, message: Message) => void {
  const known = new Map<DescMessage, readonly Part[]>()
  function partsOf(desc: DescMessage): readonly Part[] {
    const held = known.get(desc)
    if (held !== undefined) return held
    const parts = desc.fields.flatMap(partsOfField)
    known.set(desc, parts)
    return parts
  }
  function truncate(desc: DescMessage, message: object): void {
    for (const { field, kept, message: inner } of partsOf(desc)) {
      const place = placeOf(field, message)
      if (place === undefined) continue
      const [holder, key] = place
      const value = holder[key]
      if (inner !== undefined) {
        if (Array.isArray(value)) for (const each of value) truncate(inner, each)
        else if (typeof value === 'object' && value !== null) truncate(inner, value)
      } else if (typeof value === 'string') {
        if (value.length > kept) holder[key] = value.slice(0, kept)
      } else if (Array.isArray(value)) {
        for (const [index, text] of value.entries()) if (text.length > kept) value[index] = text.slice(0, kept)
      }
    }
  }
  return truncate
}

function partsOfField(field: DescField): readonly Part[] {
  const { message, scalar } = field
  if (message !== undefined && field.fieldKind !== 'map') return [{ field, kept: 0, message }]
  if (scalar !== ScalarType.STRING) return []
  const { type } = getOption(field, fieldRules)
  const texts = type.case === 'repeated' ? type.value.items?.type : type
  if (texts?.case !== 'string' || texts.value.maxLen === 0n) return []
  // A character takes two code units at most.
  return [{ field, kept: 2 * Number(texts.value.maxLen) + 1, message: undefined }]
}

/** The object that has the value of a field, and its key there; undefined if another case of its oneof is set. */
function placeOf({ oneof, localName }: DescField, message: object): readonly [Holder, string] | undefined {
  if (oneof === undefined) return [message as Holder, localName]
  const slot = (message as Record<string, { case?: string } & Holder>)[oneof.localName]
  return slot?.case === localName ? [slot, 'value'] : undefined
}
