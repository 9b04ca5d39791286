import type { OutgoingHttpHeaders } from 'node:http'
import type { JsonValue } from '@bufbuild/protobuf'
import type { ConnectError } from '@connectrpc/connect'
import type { Call } from '../call/call.js'
import { connectErrorJson, type ErrorBody, statusErrorJson } from '../call/error-body.js'
import type { HttpFailure } from '../call/http-failure.js'
import type { NodeRequest, NodeResponse } from '../call/node-http.js'
import { addCallHeaders, addHeaders, endResponse } from '../call/respond.js'
import { report } from '../call/serve-call.js'
import type { JsonOptions } from '../protojson/json-printer.js'
import type { RestTranscoderOptions } from './options.js'

/** Answers errors in the one format of a transcoder. */
export interface ErrorResponder {
  /** Sends an error as the whole response. */
  send(failure: HttpFailure, request: NodeRequest, response: NodeResponse, call?: Call): void
  /** The JSON of an error, for the last line of a stream. */
  json(error: ConnectError): JsonValue
}

/** Creates the responder for the `errorBody` and `completeError` options. */
export function createErrorResponder(options: RestTranscoderOptions, json: JsonOptions): ErrorResponder {
  const errorJson = (error: ConnectError): JsonValue =>
    options.errorBody === 'status' ? statusErrorJson(error, json) : connectErrorJson(error, json)

  function bodyOf({ error, status }: HttpFailure, request: NodeRequest, call: Call | undefined): ErrorBody {
    const { errorBody, completeError } = options
    const method = call?.method
    let custom: ErrorBody | undefined
    // An option that fails must not keep the client from its response.
    try {
      completeError?.(error, status)
      if (typeof errorBody === 'function') custom = errorBody(error, { method })
    } catch (cause) {
      report(cause, { method, request }, options)
    }
    return custom ?? { contentType: 'application/json', body: `${JSON.stringify(errorJson(error))}\n` }
  }

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
