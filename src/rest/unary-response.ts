import type { OutgoingHttpHeaders } from 'node:http'
import type { Message } from '@bufbuild/protobuf'
import type { Call } from '../call/call.js'
import { type Coding, negotiateCoding } from '../call/compression.js'
import { headerOf } from '../call/node-http.js'
import { addCallHeaders, endResponse, sendCompressed } from '../call/respond.js'
import { isNotModified } from './not-modified.js'
import { DEFAULT_COMPRESS_MIN_BYTES, type RestTranscoderOptions } from './options.js'
import type { Route } from './route-table.js'

/**
 * Sends the answer of a unary call, if its client is still waiting; returns a promise only if it is compressed first.
 */
export function sendUnary(
  route: Route,
  call: Call,
  message: Message,
  options: RestTranscoderOptions,
): Promise<void> | undefined {
  if (call.abortReason !== undefined) return undefined
  const headers: OutgoingHttpHeaders = {}
  if (route.emptyResponse) {
    addCallHeaders(headers, call)
    endResponse(call.request, call.response, 200, headers, '')
    return undefined
  }
  const { contentType, body } = route.binding.responseBody.encode(message)
  headers['content-type'] = contentType
  const large = body.length >= (options.compressMinBytes ?? DEFAULT_COMPRESS_MIN_BYTES)
  if (large && options.compressResponses !== false) headers['vary'] = varyOf(call)
  addCallHeaders(headers, call)
  if (isNotModified(call.request, headers)) {
    delete headers['content-type']
    endResponse(call.request, call.response, 304, headers, '')
    return undefined
  }
  const coding = large && headers['content-encoding'] === undefined ? codingOf(call, options) : undefined
  if (coding !== undefined) return sendCompressed(call.request, call.response, 200, headers, body, coding)
  endResponse(call.request, call.response, 200, headers, body)
  return undefined
}

// Code in front of the transcoder, such as CORS, may already have set what the answer depends on.
function varyOf({ response }: Call): string {
  const set = response.getHeader('vary')
  return set === undefined ? 'accept-encoding' : `${String(set)}, accept-encoding`
}

/** The coding to answer a call in; undefined for none. */
export function codingOf(call: Call, options: RestTranscoderOptions): Coding | undefined {
  if (options.compressResponses === false) return undefined
  return negotiateCoding(headerOf(call.request, 'accept-encoding'))
}
