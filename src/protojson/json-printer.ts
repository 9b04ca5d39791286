import { create, type DescField, type DescMessage, type Message, toJson } from '@bufbuild/protobuf'
import type { JsonOptions } from './json-options.js'
import { type JsonPieces, joinPieces } from './json-pieces.js'
import { preprintedJson } from './preprinted-json.js'

/** Prints messages of one type as JSON: text, or its UTF-8 where it is long. */
export type JsonPrinter = (message: Message) => string | Uint8Array

/**
 * Creates a printer that gives what `toJsonString` gives, and takes the text of a preprinted message and of preprinted lists
 * as it is. Lists are looked for in the fields of the message and of the messages in its singular fields. `end` stands
 * behind each text.
 */
export function createJsonPrinter(desc: DescMessage, options: JsonOptions, end = ''): JsonPrinter {
  const findPreprinted = compileSearch(desc, [])
  return (message) => {
    const whole = preprintedJson(message)
    if (whole !== undefined) return joinPieces([...whole, end])
    const found = findPreprinted?.(message)
    if (found === undefined) return joinPieces([JSON.stringify(toJson(desc, message, options)), end])
    const pieces: string[] = []
    print(found, options, pieces)
    pieces.push(end)
    return joinPieces(pieces)
  }
}

/** A message in which preprinted lists were found. */
interface Found {
  readonly desc: DescMessage
  readonly message: Message
  /** Its fields that are such lists, and those that hold messages with such lists. */
  readonly parts: Map<DescField, JsonPieces | Found>
}

interface Step {
  readonly field: DescField
  readonly search: (message: Message) => JsonPieces | Found | undefined
}

// Undefined where no such list can be: most messages are not searched at all.
function compileSearch(
  desc: DescMessage,
  above: readonly DescMessage[],
): ((message: Message) => Found | undefined) | undefined {
  if (above.includes(desc) || desc.typeName.startsWith('google.protobuf.')) return undefined
  const steps: Step[] = []
  for (const field of desc.fields) {
    const fieldOf = (message: Message): unknown => Reflect.get(message, field.localName)
    if (field.fieldKind === 'list' && field.listKind === 'message') {
      steps.push({ field, search: (message) => jsonOfList(fieldOf(message)) })
    } else if (field.fieldKind === 'message' && field.oneof === undefined) {
      const search = compileSearch(field.message, [...above, desc])
      if (search === undefined) continue
      steps.push({
        field,
        search: (message) => {
          const inner = messageIn(fieldOf(message))
          return inner && search(inner)
        },
      })
    }
  }
  if (steps.length === 0) return undefined
  return (message) => {
    let parts: Map<DescField, JsonPieces | Found> | undefined
    for (const { field, search } of steps) {
      const part = search(message)
      if (part === undefined) continue
      parts ??= new Map()
      parts.set(field, part)
    }
    return parts && { desc, message, parts }
  }
}

/** Prints the fields in the order of `toJson`: those that are found as they are, the others by `toJson`. */
function print({ desc, message, parts }: Found, options: JsonOptions, pieces: string[]): void {
  // `toJson` gets a copy in which what was found stands empty.
  const rest: Message = Object.assign(Object.create(Object.getPrototypeOf(message)), message)
  for (const field of parts.keys()) {
    Reflect.set(rest, field.localName, field.fieldKind === 'message' ? create(field.message) : [])
  }
  const others = toJson(desc, rest, options)
  if (typeof others !== 'object' || others === null || Array.isArray(others)) {
    throw new Error(`${desc.typeName} is not printed as an object`)
  }
  let before = '{'
  for (const field of desc.fields.toSorted((a, b) => a.number - b.number)) {
    const key = options.useProtoFieldName === true ? field.name : field.jsonName
    const part = parts.get(field)
    if (part === undefined && !Object.hasOwn(others, key)) continue
    const start = `${before}${JSON.stringify(key)}:`
    before = ','
    if (part === undefined) pieces.push(start + JSON.stringify(others[key]))
    else {
      pieces.push(start)
      if ('parts' in part) print(part, options, pieces)
      else for (const piece of part) pieces.push(piece)
    }
  }
  pieces.push('}')
}

function jsonOfList(value: unknown): JsonPieces | undefined {
  return Array.isArray(value) ? preprintedJson(value) : undefined
}

function messageIn(value: unknown): Message | undefined {
  return typeof value === 'object' && value !== null && '$typeName' in value ? (value as Message) : undefined
}
