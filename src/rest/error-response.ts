import type { OutgoingHttpHeaders } from 'node:http'
import type { DescMethod, JsonValue } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import type { Call } from '../call/call.js'
import { connectErrorJson, type ErrorBody, statusErrorJson } from '../call/error-body.js'
import { HttpFailure } from '../call/http-failure.js'
import { httpStatusFromCode } from '../call/http-status.js'
import type { NodeRequest, NodeResponse } from '../call/node-http.js'
import { addCallHeaders, addHeaders, endResponse } from '../call/respond.js'
import type { JsonOptions } from '../protojson/json-options.js'
import type { RestTranscoderOptions } from './options.js'

/** Answers errors in the one format of a transcoder. */
export interface ErrorResponder {
  /** Turns whatever was thrown into a public error; an unknown failure is reported and masked as `internal`. */
  publicError(cause: unknown, method: DescMethod | undefined, request: NodeRequest): HttpFailure
  /** Sends an error as the whole answer. */
  send(failure: HttpFailure, request: NodeRequest, response: NodeResponse, call?: Call): void
  /** The JSON of an error, for the last line of a stream. */
  json(error: ConnectError): JsonValue
}

/** Creates the responder for the `errorBody` and `onError` options. */
export function createErrorResponder(options: RestTranscoderOptions, json: JsonOptions): ErrorResponder {
  const errorJson = (error: ConnectError): JsonValue =>
    options.errorBody === 'status' ? statusErrorJson(error, json) : connectErrorJson(error, json)

  function report(cause: unknown, method: DescMethod | undefined, request: NodeRequest): void {
    try {
      options.onError?.(cause, { method, request })
    } catch {
      // A hook that fails must not keep the client from its answer; there is nobody else to tell.
    }
  }

  function complete({ error, status }: HttpFailure, method: DescMethod | undefined, request: NodeRequest): void {
    try {
      options.completeError?.(error, status)
    } catch (cause) {
      report(cause, method, request)
    }
  }

  function customBody(
    error: ConnectError,
    method: DescMethod | undefined,
    request: NodeRequest,
  ): ErrorBody | undefined {
    if (typeof options.errorBody !== 'function') return undefined
    try {
      return options.errorBody(error, { method })
    } catch (cause) {
      report(cause, method, request)
      return undefined
    }
  }

  function publicError(cause: unknown, method: DescMethod | undefined, request: NodeRequest): HttpFailure {
    if (cause instanceof HttpFailure) return cause
    if (cause instanceof ConnectError) return new HttpFailure(httpStatusFromCode(cause.code), cause)
    report(cause, method, request)
    return new HttpFailure(500, new ConnectError('internal error', Code.Internal))
  }

  function send(failure: HttpFailure, request: NodeRequest, response: NodeResponse, call?: Call): void {
    const { error } = failure
    complete(failure, call?.method, request)
    const { contentType, body } = customBody(error, call?.method, request) ?? {
      contentType: 'application/json',
      body: `${JSON.stringify(errorJson(error))}\n`,
    }
    const headers: OutgoingHttpHeaders = {}
    if (call !== undefined) addCallHeaders(headers, call)
    addHeaders(headers, error.metadata)
    Object.assign(headers, failure.headers)
    headers['content-type'] = contentType
    // The body made here is not encoded, whatever the handler's answer, or one that it forwards, would have been.
    delete headers['content-encoding']
    endResponse(request, response, failure.status, headers, body)
  }

  return { publicError, send, json: errorJson }
}
