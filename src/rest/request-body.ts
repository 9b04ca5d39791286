import type { DescField, DescMessage } from '@bufbuild/protobuf'
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect'
import type { BodyType } from '../call/content-type.js'
import { invalidArgument } from '../protojson/invalid.js'
import { type JsonReaderOptions, readJson } from '../protojson/json-reader.js'
import { hasTextForm } from './field-path.js'
import { bindParameters, type ParameterRules } from './parameter-binder.js'
import { fillHttpBody, isHttpBody } from './response-body.js'

/** Reads the bytes of a request body into a message; throws `invalid_argument`. */
export interface RequestBody {
  /** The body types that this mapping can read; `raw` accepts every type. */
  readonly accepts: readonly BodyType[] | 'raw'
  /** `contentType` is the header as it came, empty when there was none. */
  read(message: ReflectMessage, bytes: Uint8Array, type: BodyType, contentType: string): void
}

const NOTHING = /^[ \t\r\n]*(?:\{[ \t\r\n]*\}[ \t\r\n]*)?$/

/** No body is mapped: only an empty body or an empty object is accepted. */
export const noBody: RequestBody = {
  accepts: 'raw',
  read(_message, bytes) {
    if (!NOTHING.test(latin1(bytes))) throw invalidArgument('body', 'this method takes no body')
  },
}

/**
 * Compiles the reader of a mapped body. Without a field (`body: "*"`), every field that the path does not bind comes
 * from the body. With one (`body: "field"`), the body is its value: a message, a scalar, a list or a map. A list can be
 * one of JSON, or its items on a line each.
 */
export function compileRequestBody(
  desc: DescMessage,
  field: DescField | undefined,
  json: JsonReaderOptions,
  form: ParameterRules,
): RequestBody {
  const single = field?.fieldKind === 'message' ? field.message : undefined
  const filled = field === undefined ? desc : single
  if (isHttpBody(filled)) {
    return {
      accepts: 'raw',
      read(message, bytes, _type, contentType) {
        if (field !== undefined && bytes.length === 0 && contentType === '') return
        fill(message, field, filled, ({ message: body }) => fillHttpBody(body, contentType, bytes))
      },
    }
  }
  const formDesc = single !== undefined && hasTextForm(single) ? undefined : filled
  return {
    accepts: [
      'json',
      ...(field?.fieldKind === 'list' ? (['ndjson'] as const) : []),
      ...(formDesc === undefined ? [] : (['form'] as const)),
    ],
    read(message, bytes, type) {
      if (bytes.length === 0) return
      if (type === 'form' && formDesc !== undefined) {
        fill(message, field, formDesc, (body) => bindParameters(body, latin1(bytes), form))
      } else readJson(message, field, bytes, { ...json, isLines: type === 'ndjson' })
    },
  }
}

/** Fills a message, or a new one of a type for a field of it. */
function fill(
  message: ReflectMessage,
  field: DescField | undefined,
  desc: DescMessage,
  work: (body: ReflectMessage) => void,
): void {
  const body = field === undefined ? message : reflect(desc, undefined, false)
  work(body)
  if (field !== undefined) message.set(field, body)
}

// Form text is ASCII by definition; bytes beyond it are decoded as UTF-8 with the percent-encoding.
function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}
