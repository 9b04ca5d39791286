import { type DescField, type DescMessage, getOption, type Message, ScalarType } from '@bufbuild/protobuf'
import { field as fieldRules } from '../../gen/buf/validate/validate_pb.js'

/** Where messages of a type have limited texts, or messages that can contain some. */
interface Shape {
  readonly texts: readonly { readonly slot: Slot; readonly kept: number }[]
  readonly parts: readonly { readonly slot: Slot; readonly shape: () => Shape }[]
}

/** Where the value of a field is in a message: under its name, or as the case of a oneof. */
interface Slot {
  readonly holder: string | undefined
  readonly name: string
}

type Holder = Record<string, unknown>

/**
 * Creates the function that truncates texts far beyond their limit to a length that still exceeds it. They are rejected
 * either way, but the rules would count every character of them.
 */
export function createTextTruncator(): (desc: DescMessage, message: Message) => void {
  const shapes = new Map<DescMessage, Shape>()
  const shapeOf = (desc: DescMessage): Shape => {
    const known = shapes.get(desc)
    if (known !== undefined) return known
    const shape = shapeFrom(desc, shapeOf)
    shapes.set(desc, shape)
    return shape
  }
  return (desc, message) => cut(shapeOf(desc), message)
}

function shapeFrom(desc: DescMessage, shapeOf: (desc: DescMessage) => Shape): Shape {
  const texts = desc.fields.flatMap((field) => {
    const most = mostCharacters(field)
    // A character takes two code units at most.
    return most === undefined ? [] : [{ slot: slotOf(field), kept: 2 * most + 1 }]
  })
  const parts = desc.fields.flatMap((field) => {
    const { message } = field
    return message === undefined || field.fieldKind === 'map'
      ? []
      : [{ slot: slotOf(field), shape: () => shapeOf(message) }]
  })
  return { texts, parts }
}

function slotOf(field: DescField): Slot {
  return { holder: field.oneof?.localName, name: field.localName }
}

function mostCharacters(field: DescField): number | undefined {
  if (field.scalar !== ScalarType.STRING) return undefined
  const { type } = getOption(field, fieldRules)
  const texts = type.case === 'repeated' ? type.value.items?.type : type
  return texts?.case === 'string' && texts.value.maxLen > 0n ? Number(texts.value.maxLen) : undefined
}

function cut(shape: Shape, message: object): void {
  for (const { slot, kept } of shape.texts) {
    const place = placeOf(slot, message)
    if (place === undefined) continue
    const [holder, key] = place
    const value = holder[key]
    if (typeof value === 'string') {
      if (value.length > kept) holder[key] = value.slice(0, kept)
    } else if (Array.isArray(value)) {
      for (const [index, text] of value.entries()) if (text.length > kept) value[index] = text.slice(0, kept)
    }
  }
  for (const { slot, shape: inner } of shape.parts) {
    const place = placeOf(slot, message)
    const value = place?.[0][place[1]]
    if (Array.isArray(value)) for (const each of value) cut(inner(), each)
    else if (typeof value === 'object' && value !== null) cut(inner(), value)
  }
}

/** The object that has the value, and its key there; undefined if another case of the oneof is set. */
function placeOf({ holder, name }: Slot, message: object): readonly [Holder, string] | undefined {
  if (holder === undefined) return [message as Holder, name]
  const slot = (message as Record<string, { case?: string } & Holder>)[holder]
  return slot?.case === name ? [slot, 'value'] : undefined
}
