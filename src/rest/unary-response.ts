import type { OutgoingHttpHeaders } from 'node:http'
import type { Message } from '@bufbuild/protobuf'
import type { Call } from '../call/call.js'
import { type Coding, negotiateCoding } from '../call/compression.js'
import { headerOf, type NodeRequest } from '../call/node-http.js'
import { addCallHeaders, endResponse, sendCompressed } from '../call/respond.js'
import { DEFAULT_COMPRESS_MIN_BYTES, type RestTranscoderOptions } from './options.js'
import type { Route } from './route-table.js'

/** Sends the response of a unary call, if its client is still waiting. */
export async function sendUnary(
  route: Route,
  call: Call,
  message: Message,
  options: RestTranscoderOptions,
): Promise<void> {
  const { request, response } = call
  const headers: OutgoingHttpHeaders = {}
  if (route.emptyResponse) {
    addCallHeaders(headers, call)
    return endResponse(request, response, 200, headers, '')
  }
  const { contentType, body } = route.binding.responseBody.encode(message)
  headers['content-type'] = contentType
  const large = body.length >= (options.compressMinBytes ?? DEFAULT_COMPRESS_MIN_BYTES)
  if (large && options.compressResponses !== false) headers['vary'] = varyOf(call)
  addCallHeaders(headers, call)
  if (isNotModified(request, headers)) {
    delete headers['content-type']
    return endResponse(request, response, 304, headers, '')
  }
  const coding = large && headers['content-encoding'] === undefined ? codingOf(call, options) : undefined
  if (coding === undefined) endResponse(request, response, 200, headers, body)
  else await sendCompressed(request, response, 200, headers, body, coding)
}

// Code in front of the transcoder, such as CORS, may already have set what the response depends on.
function varyOf({ response }: Call): string {
  const set = response.getHeader('vary')
  return set === undefined ? 'accept-encoding' : `${String(set)}, accept-encoding`
}

/** The coding to answer a call in; undefined for none. */
export function codingOf(call: Call, options: RestTranscoderOptions): Coding | undefined {
  if (options.compressResponses === false) return undefined
  return negotiateCoding(headerOf(call.request, 'accept-encoding'))
}

/**
 * Whether a GET or HEAD asks, by `If-None-Match`, for something else than what it would be answered, whose `ETag` the
 * headers have (RFC 9110, 13.1.2). The comparison is weak: who has the same in another form needs it no more.
 */
function isNotModified(request: NodeRequest, headers: OutgoingHttpHeaders): boolean {
  const { etag } = headers
  if (typeof etag !== 'string' || (request.method !== 'GET' && request.method !== 'HEAD')) return false
  const known = headerOf(request, 'if-none-match')
  if (known === undefined) return false
  if (known.trim() === '*') return true
  const tags: readonly string[] = known.match(OPAQUE_TAG) ?? []
  return tags.includes(etag.replace(/^W\//, ''))
}

const OPAQUE_TAG = /"[!#-~\x80-\xff]*"/g
