import { create, fromBinary, type JsonValue, type JsonWriteOptions, toBinary, toJson } from '@bufbuild/protobuf'
import type { ConnectError } from '@connectrpc/connect'
import { codeToString } from '@connectrpc/connect/protocol-connect'

/** A body that is ready to be sent. */
export interface EncodedBody {
  readonly contentType: string
  readonly body: string | Uint8Array
}

/** `{code, message, detail}`; `detail` is `{type, value, debug}` of the first detail, left out when there is none. */
export function connectErrorJson(error: ConnectError, options: Partial<JsonWriteOptions>): JsonValue {
  const json: { [key: string]: JsonValue } = { code: codeToString(error.code), message: error.rawMessage }
  const first = detailsOf(error, options)[0]
  if (first !== undefined) {
    // Unpadded base64, as the Connect protocol writes it.
    const detail: { [key: string]: JsonValue } = { type: first.type, value: base64(first.value).replaceAll('=', '') }
    if (first.debug !== undefined) detail['debug'] = first.debug
    json['detail'] = detail
  }
  return json
}

/**
 * `google.rpc.Status` in JSON: `{code, message, details}`. A detail of unknown type is given as `{"@type", "value"}`
 * with its bytes in base64.
 */
export function statusErrorJson(error: ConnectError, options: Partial<JsonWriteOptions>): JsonValue {
  const details = detailsOf(error, options).map(({ type, value, debug }): JsonValue => {
    const typeUrl = { '@type': `type.googleapis.com/${type}` }
    if (debug === undefined) return { ...typeUrl, value: base64(value) }
    return typeof debug === 'object' && debug !== null && !Array.isArray(debug)
      ? { ...typeUrl, ...debug }
      : { ...typeUrl, value: debug }
  })
  return { code: error.code, message: error.rawMessage, details }
}

function detailsOf(error: ConnectError, options: Partial<JsonWriteOptions>) {
  return error.details.map((detail) => {
    if ('desc' in detail) {
      const message = create(detail.desc, detail.value)
      const debug = debugJson(() => toJson(detail.desc, message, options))
      return { type: detail.desc.typeName, value: toBinary(detail.desc, message), debug }
    }
    const desc = detail.debug === undefined ? options.registry?.getMessage(detail.type) : undefined
    const debug = desc && debugJson(() => toJson(desc, fromBinary(desc, detail.value), options))
    return { type: detail.type, value: detail.value, debug: detail.debug ?? debug }
  })
}

// `debug` is only a help for people: a detail that JSON cannot show is still sent with its type and value.
function debugJson(print: () => JsonValue): JsonValue | undefined {
  try {
    return print()
  } catch {
    return undefined
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}
