import { create, type DescField, type DescMessage, type Message } from '@bufbuild/protobuf'
import type { BodyType } from '../call/content-type.js'
import { setFieldValue } from '../protojson/field-value.js'
import { invalidArgument } from '../protojson/invalid.js'
import type { JsonReaders } from '../protojson/json-field.js'
import { readJson } from '../protojson/json-reader.js'
import type { JsonLimits } from '../protojson/json-text.js'
import { hasTextForm } from './field-path.js'
import { compileParameterBinder, type ParameterBinderOptions } from './parameter-binder.js'
import { fillHttpBody, isHttpBody } from './response-body.js'

/** Reads the bytes of a request body into a message; throws `invalid_argument`. */
export interface RequestBody {
  /** The body types that this mapping can read; `raw` accepts every type. */
  readonly accepts: readonly BodyType[] | 'raw'
  /** `contentType` is the header as it came, empty when there was none. */
  read(message: Message, bytes: Uint8Array, type: BodyType, contentType: string): void
}

/** What is needed to compile a body mapping. */
export interface RequestBodyOptions {
  readonly readers: JsonReaders
  readonly limits: JsonLimits
  readonly form: ParameterBinderOptions
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
 * `body: "*"`, if there is no field: every field that the path does not bind comes from the body. `body: "field"`: the
 * body is the value of one field: a message, a scalar, a list or a map. A list can be one of JSON, or its items on a
 * line each.
 */
export function compileRequestBody(
  desc: DescMessage,
  field: DescField | undefined,
  { readers, limits, form }: RequestBodyOptions,
): RequestBody {
  const single = field?.fieldKind === 'message' ? field.message : undefined
  const filled = field === undefined ? desc : single
  if (isHttpBody(filled)) {
    return {
      accepts: 'raw',
      read(message, bytes, _type, contentType) {
        if (field !== undefined && bytes.length === 0 && contentType === '') return
        fill(message, field, filled, (body) => fillHttpBody(body, contentType, bytes))
      },
    }
  }
  const read = field === undefined ? readers.message(desc) : readers.field(field)
  const formDesc = single !== undefined && hasTextForm(single) ? undefined : filled
  const bindForm = formDesc && compileParameterBinder(formDesc, form)
  return {
    accepts: [
      'json',
      ...(field?.fieldKind === 'list' ? (['ndjson'] as const) : []),
      ...(bindForm === undefined ? [] : (['form'] as const)),
    ],
    read(message, bytes, type) {
      if (bytes.length === 0) return
      if (type === 'form' && formDesc !== undefined) {
        fill(message, field, formDesc, (body) => bindForm?.(body, latin1(bytes)))
      } else readJson(read, message, bytes, field?.jsonName ?? 'body', limits, type === 'ndjson')
    },
  }
}

/** Fills a message, or a new one of a type for a field of it. */
function fill(message: Message, field: DescField | undefined, desc: DescMessage, work: (body: Message) => void): void {
  const body = field === undefined ? message : create(desc)
  work(body)
  if (field !== undefined) setFieldValue(message, field, body)
}

// Form text is ASCII by definition; bytes beyond it are decoded as UTF-8 with the percent-encoding.
function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}
