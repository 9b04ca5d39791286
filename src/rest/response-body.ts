import { create, type DescField, type DescMessage, type JsonValue, type Message, toJson } from '@bufbuild/protobuf'
import { scalarZeroValue } from '@bufbuild/protobuf/reflect'
import { isWrapperDesc } from '@bufbuild/protobuf/wkt'
import { bytesFromHttpBody, isHttpBody } from './http-body.js'
import { createJsonPrinter } from './json-printer.js'
import type { RestJsonOptions } from './options.js'

/** A body ready to be sent. */
export interface EncodedBody {
  readonly contentType: string
  readonly body: string | Uint8Array
}

/** Turns response messages into bodies; `raw` when they are bytes of the handler's own (`google.api.HttpBody`). */
export interface ResponseBody {
  readonly raw: boolean
  encode(message: Message): EncodedBody
}

const JSON_TYPE = 'application/json'

/** Compiles the printing of a whole message, or of the value of one of its fields (`response_body`). */
export function compileResponseBody(
  desc: DescMessage,
  field: DescField | undefined,
  options: RestJsonOptions,
): ResponseBody {
  if (field === undefined) {
    if (isHttpBody(desc)) return { raw: true, encode: encodeHttpBody }
    const print = createJsonPrinter(desc, options)
    return {
      raw: false,
      encode: (message) => ({ contentType: JSON_TYPE, body: print(message) }),
    }
  }
  if (field.fieldKind === 'message' && isHttpBody(field.message)) {
    const bodyDesc = field.message
    return { raw: true, encode: (message) => encodeHttpBody(messageOf(message, field) ?? create(bodyDesc)) }
  }
  const key = options.useProtoFieldName === true ? field.name : field.jsonName
  const unset = jsonOfUnset(desc, field, key, options)
  return {
    raw: false,
    encode(message) {
      const json: JsonValue = toJson(desc, alone(desc, message, field), options)
      const value = typeof json === 'object' && json !== null && !Array.isArray(json) ? json[key] : undefined
      return { contentType: JSON_TYPE, body: JSON.stringify(value === undefined ? unset : value) }
    },
  }
}

function encodeHttpBody(message: Message): EncodedBody {
  const { contentType, data } = bytesFromHttpBody(message)
  return { contentType, body: data }
}

function messageOf(message: Message, field: DescField): Message | undefined {
  const slots = message as unknown as Record<string, unknown>
  if (field.oneof === undefined) return slots[field.localName] as Message | undefined
  const member = slots[field.oneof.localName] as { case?: string; value?: unknown }
  return member.case === field.localName ? (member.value as Message) : undefined
}

// A message with this one field, so that nothing else is printed.
function alone(desc: DescMessage, message: Message, field: DescField): Message {
  const value = messageOf(message, field)
  if (value === undefined) return create(desc)
  const slot = field.oneof === undefined ? value : { case: field.localName, value }
  return Object.assign(create(desc), { [field.oneof?.localName ?? field.localName]: slot })
}

// What stands for a field without a value: [], {}, the zero value, and null for types whose JSON is no object.
function jsonOfUnset(desc: DescMessage, field: DescField, key: string, options: RestJsonOptions): JsonValue {
  if (field.fieldKind === 'list') return []
  if (field.fieldKind === 'map') return {}
  if (field.fieldKind === 'message') {
    const bare = isWrapperDesc(field.message) || field.message.typeName.startsWith('google.protobuf.')
    return bare && field.message.typeName !== 'google.protobuf.Empty' ? null : {}
  }
  const zero =
    field.getDefaultValue() ??
    (field.fieldKind === 'enum' ? field.enum.values[0]?.number : scalarZeroValue(field.scalar, field.longAsString))
  const slot = field.oneof === undefined ? zero : { case: field.localName, value: zero }
  const message = Object.assign(create(desc), { [field.oneof?.localName ?? field.localName]: slot })
  const json = toJson(desc, message, { ...options, alwaysEmitImplicit: true })
  return (typeof json === 'object' && json !== null && !Array.isArray(json) ? json[key] : undefined) ?? null
}
