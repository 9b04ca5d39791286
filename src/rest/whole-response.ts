import type { OutgoingHttpHeaders } from 'node:http'
import type { JsonValue, Message } from '@bufbuild/protobuf'
import type { ConnectError } from '@connectrpc/connect'
import type { Call } from '../call/call.js'
import { COMPRESS_MIN_BYTES, type Coding, negotiateCoding } from '../call/compression.js'
import { connectErrorJson, type EncodedBody, statusErrorJson } from '../call/error-body.js'
import type { HttpFailure } from '../call/http-failure.js'
import { headerOf, type NodeRequest, type NodeResponse } from '../call/node-http.js'
import { addCallHeaders, addHeaders, endResponse, isNotModified, sendCompressed } from '../call/respond.js'
import { report } from '../call/serve-call.js'
import type { JsonOptions } from '../protojson/json-printer.js'
import type { Route } from './compile-route.js'
import type { RestTranscoderOptions } from './options.js'

/** Sends the response of a unary call, if its client is still waiting. */
export async function sendUnary(route: Route, call: Call, message: Message): Promise<void> {
  const { request, response } = call
  const headers: OutgoingHttpHeaders = {}
  if (route.emptyResponse) {
    addCallHeaders(headers, call)
    return endResponse(request, response, 200, headers, '')
  }
  const { contentType, body } = route.responseBody.encode(message)
  headers['content-type'] = contentType
  const large = body.length >= COMPRESS_MIN_BYTES
  if (large) headers['vary'] = varyOf(response, 'accept-encoding')
  addCallHeaders(headers, call)
  if (isNotModified(request, headers)) {
    delete headers['content-type']
    return endResponse(request, response, 304, headers, '')
  }
  const coding = large && headers['content-encoding'] === undefined ? codingOf(call) : undefined
  if (coding === undefined) endResponse(request, response, 200, headers, body)
  else await sendCompressed(request, response, 200, headers, body, coding)
}

/**
 * The value of `Vary`: these request headers, and those that code in front of the transcoder, such as CORS, has set
 * already.
 */
export function varyOf(response: NodeResponse, ...names: readonly string[]): string {
  const set = response.getHeader('vary')
  return [...(set === undefined ? [] : [String(set)]), ...names].join(', ')
}

/** The coding to answer a call in; undefined for none. */
export function codingOf({ request }: Call): Coding | undefined {
  return negotiateCoding(headerOf(request, 'accept-encoding'))
}

/** Answers errors in the one format of a transcoder. */
export type ErrorResponder = ReturnType<typeof createErrorResponder>

/** Creates the responder for the `errorBody` and `completeError` options. */
export function createErrorResponder(options: RestTranscoderOptions, json: JsonOptions) {
  /** The JSON of an error, for the last line of a stream. */
  const errorJson = (error: ConnectError): JsonValue =>
    options.errorBody === 'status' ? statusErrorJson(error, json) : connectErrorJson(error, json)

  function bodyOf({ error, status }: HttpFailure, request: NodeRequest, call: Call | undefined): EncodedBody {
    const { errorBody, completeError } = options
    const method = call?.method
    let custom: EncodedBody | undefined
    // An option that fails must not keep the client from its response.
    try {
      completeError?.(error, status)
      if (typeof errorBody === 'function') custom = errorBody(error, { method })
    } catch (cause) {
      report(cause, { method, request }, options)
    }
    return custom ?? { contentType: 'application/json', body: `${JSON.stringify(errorJson(error))}\n` }
  }

  /** Sends an error as the whole response. */
  function send(failure: HttpFailure, request: NodeRequest, response: NodeResponse, call?: Call): void {
    const { contentType, body } = bodyOf(failure, request, call)
    const headers: OutgoingHttpHeaders = {}
    if (call !== undefined) addCallHeaders(headers, call)
    addHeaders(headers, failure.error.metadata)
    Object.assign(headers, failure.headers)
    headers['content-type'] = contentType
    // The body made here is not encoded, whatever the handler's answer, or one that it forwards, would have been.
    delete headers['content-encoding']
    endResponse(request, response, failure.status, headers, body)
  }

  return { send, json: errorJson }
}
