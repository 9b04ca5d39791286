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

/** `body: "*"`: every field that the path does not bind comes from the body. */
export function compileWholeBody(desc: DescMessage, options: RequestBodyOptions): RequestBody {
  if (isHttpBody(desc)) {
    return {
      accepts: 'raw',
      read: (message, bytes, _type, contentType) => fillHttpBody(message, contentType, bytes),
    }
  }
  const readMessage = options.readers.message(desc)
  const bindForm = compileParameterBinder(desc, options.form)
  return {
    accepts: ['json', 'form'],
    read(message, bytes, type) {
      if (bytes.length === 0) return
      if (type === 'form') bindForm(message, latin1(bytes))
      else readJson(readMessage, message, bytes, 'body', options.limits)
    },
  }
}

/**
 * `body: "field"`: the body is the value of one field: a message, a scalar, a list or a map. A list can be one of JSON,
 * or its items on a line each.
 */
export function compileFieldBody(field: DescField, options: RequestBodyOptions): RequestBody {
  const single = field.fieldKind === 'message' ? field.message : undefined
  if (isHttpBody(single)) {
    const desc = single
    return {
      accepts: 'raw',
      read(message, bytes, _type, contentType) {
        if (bytes.length === 0 && contentType === '') return
        const child = create(desc)
        fillHttpBody(child, contentType, bytes)
        setFieldValue(message, field, child)
      },
    }
  }
  const readField = options.readers.field(field)
  const formDesc = single === undefined || hasTextForm(single) ? undefined : single
  const bindForm = formDesc === undefined ? undefined : compileParameterBinder(formDesc, options.form)
  const isList = field.fieldKind === 'list'
  return {
    accepts: ['json', ...(isList ? (['ndjson'] as const) : []), ...(bindForm === undefined ? [] : (['form'] as const))],
    read(message, bytes, type) {
      if (bytes.length === 0) return
      if (type === 'form' && formDesc !== undefined) {
        const child = create(formDesc)
        bindForm?.(child, latin1(bytes))
        setFieldValue(message, field, child)
      } else readJson(readField, message, bytes, field.jsonName, options.limits, type === 'ndjson')
    },
  }
}

// Form text is ASCII by definition; bytes beyond it are decoded as UTF-8 with the percent-encoding.
function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}
