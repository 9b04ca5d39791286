import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type JsonValue,
  type Message,
  toJson,
} from '@bufbuild/protobuf'
import { reflect, scalarZeroValue } from '@bufbuild/protobuf/reflect'
import { hasCustomJsonRepresentation } from '@bufbuild/protobuf/wkt'
import type { EncodedBody } from '../call/error-body.js'
import { type JsonOptions, joinPieces, printJson } from '../protojson/json-printer.js'

/** Turns response messages into bodies; `raw` if they are the handler's own bytes (`google.api.HttpBody`). */
export interface ResponseBody {
  readonly raw: boolean
  encode(message: Message): EncodedBody
}

const JSON_TYPE = 'application/json'
/** Text ends with a line end, so that terminals show it on a line of its own. */
const LINE_END = '\n'

/** Compiles a printer for a whole message, or for the value of one of its fields (`response_body`). */
export function compileResponseBody(
  desc: DescMessage,
  field: DescField | undefined,
  options: JsonOptions,
): ResponseBody {
  if (field === undefined && isHttpBody(desc)) return { raw: true, encode: encodeHttpBody }
  if (field?.fieldKind === 'message' && isHttpBody(field.message)) {
    return { raw: true, encode: (message) => encodeHttpBody(reflect(desc, message).get(field).message) }
  }
  if (field === undefined) {
    return {
      raw: false,
      encode: (message) => ({ contentType: JSON_TYPE, body: printJson(desc, message, options, LINE_END) }),
    }
  }
  const unset = jsonOfUnset(field, options)
  return {
    raw: false,
    encode: (message) => ({
      contentType: JSON_TYPE,
      body: joinPieces([JSON.stringify(jsonOfField(message, field, options) ?? unset), LINE_END]),
    }),
  }
}

/** The JSON of a field of a message; undefined if it is not printed. */
function jsonOfField(message: Message, { parent, name, jsonName }: DescField, options: JsonOptions) {
  const json: Readonly<Record<string, JsonValue>> = Object(toJson(parent, message, options))
  return json[options.useProtoFieldName === true ? name : jsonName]
}

/**
 * The content type and bytes of a `google.api.HttpBody`, if there is one; the default is `application/octet-stream`.
 */
function encodeHttpBody(body: Message): EncodedBody {
  const { contentType, data }: { contentType?: string; data?: Uint8Array } = Object(body)
  return { contentType: contentType || 'application/octet-stream', body: data ?? new Uint8Array() }
}

// The JSON of a field without a value: [], {}, the default value, and null for types whose JSON is no object.
function jsonOfUnset(field: DescField, options: JsonOptions): JsonValue {
  if (field.fieldKind === 'list') return []
  if (field.fieldKind === 'map') return {}
  if (field.fieldKind === 'message') return hasCustomJsonRepresentation(field.message) ? null : {}
  if (field.fieldKind === 'enum') return jsonOfEnum(field.enum, field.getDefaultValue(), options)
  const value = field.getDefaultValue() ?? scalarZeroValue(field.scalar, false)
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value
}

function jsonOfEnum(desc: DescEnum, given: number | undefined, options: JsonOptions): JsonValue {
  if (desc.typeName === 'google.protobuf.NullValue') return null
  const value = given === undefined ? desc.values[0] : desc.value[given]
  return (options.enumAsInteger === true ? value?.number : value?.jsonName) ?? null
}

/** Whether a message type is `google.api.HttpBody`, raw bytes with a content type. */
export function isHttpBody(desc: DescMessage | undefined): desc is DescMessage & { typeName: 'google.api.HttpBody' } {
  return desc?.typeName === 'google.api.HttpBody'
}

/** Fills a `google.api.HttpBody` with a copy of bytes, which may be in one of Node's pools. */
export function fillHttpBody(message: Message, contentType: string, bytes: Uint8Array): void {
  Object.assign(message, { contentType, data: new Uint8Array(bytes) })
}
