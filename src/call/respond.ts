import type { OutgoingHttpHeaders } from 'node:http'
import { constants } from 'node:http2'
import type { Call } from './call.js'
import { type Coding, compress } from './compression.js'
import { OPAQUE_TAG, originalTags } from './entity-tag.js'
import { headerOf, isGone, mayHaveBody, type NodeRequest, type NodeResponse } from './node-http.js'

// Framing is the server's own; handlers cannot set these.
const FRAMING: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Headers of streams and long polls, which tell nginx not to buffer. */
export const streamHeaders = { 'x-accel-buffering': 'no' } as const

/**
 * Sends a whole response, with the headers that were set on the response before; `undefined` is no body. Over HTTP/2,
 * bypasses the response of Node, which sends the end of the stream a turn of the event loop later: in between, a client
 * that still sends its request would be asked to stop, and could take the response for cut off.
 */
export function sendWhole(
  response: NodeResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  body: string | Uint8Array | undefined,
): void {
  if (!('stream' in response)) {
    response.writeHead(status, headers).end(body)
    return
  }
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) response.setHeader(name, value)
  }
  const { stream } = response
  stream.respond({ ...response.getHeaders(), ':status': status }, { endStream: body === undefined })
  if (body !== undefined) stream.end(body)
}

export async function sendCompressed(
  request: NodeRequest,
  response: NodeResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  body: string | Uint8Array,
  coding: Coding,
): Promise<void> {
  const bytes = await compress(coding, typeof body === 'string' ? Buffer.from(body) : body)
  headers['content-encoding'] = coding
  endResponse(request, response, status, headers, bytes)
}

/**
 * Whether the `If-None-Match` of a GET or HEAD names the `ETag` that its response would have (RFC 9110, 13.1.2). The
 * comparison is weak: a client that has the same content in another coding does not need it again.
 */
export function isNotModified(request: NodeRequest, headers: OutgoingHttpHeaders): boolean {
  const { etag } = headers
  if (typeof etag !== 'string' || (request.method !== 'GET' && request.method !== 'HEAD')) return false
  const known = headerOf(request, 'if-none-match')
  if (known === undefined) return false
  if (known.trim() === '*') return true
  const tags: readonly string[] = originalTags(known).match(OPAQUE_TAG) ?? []
  return tags.includes(etag.replace(/^W\//, ''))
}

/** Longer texts are sent as bytes. */
const LARGE_TEXT = 64 * 1024

/** Sends a whole body with its length, for HEAD without the body; does nothing if the client is gone. */
export function endResponse(
  request: NodeRequest,
  response: NodeResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  body: string | Uint8Array,
): void {
  if (response.headersSent || isGone(response)) return
  // Node joins text with the header, and counts and encodes it again: for large texts, these copies take milliseconds.
  const sent = typeof body === 'string' && body.length > LARGE_TEXT ? Buffer.from(body) : body
  if (status !== 204 && status !== 304)
    headers['content-length'] = typeof sent === 'string' ? Buffer.byteLength(sent) : sent.length
  sendWhole(response, status, headers, request.method === 'HEAD' || sent.length === 0 ? undefined : sent)
  drainRequest(request)
}

/** Adds headers that a handler or an error set, framing left out; several cookies stay separate. */
export function addHeaders(headers: OutgoingHttpHeaders, from: Headers | undefined, prefix = ''): void {
  if (from === undefined) return
  for (const [name, value] of from) {
    if (FRAMING.has(name)) continue
    if (name === 'set-cookie') headers[`${prefix}${name}`] = from.getSetCookie()
    else headers[`${prefix}${name}`] = value
  }
}

/** Adds the headers that a call set, and its trailers as `trailer-…`, as Connect sends them for unary calls. */
export function addCallHeaders(headers: OutgoingHttpHeaders, call: Call): void {
  addHeaders(headers, call.touchedHeader)
  addHeaders(headers, call.touchedTrailer, 'trailer-')
}

/** How much of an unread body is read and discarded, so that its sender gets to see the response. */
const MAX_DRAINED_BYTES = 16 * 1024 * 1024
const DRAIN_MILLIS = 5_000

/**
 * Reads and discards the rest of the body of an answered request, so that the connection can be used for its next
 * request (RFC 9112, section 9.3). A body that does not end within these bounds is given up: its HTTP/2 stream is reset
 * without an error (RFC 9113, section 8.1), its HTTP/1.1 connection is closed.
 */
export function drainRequest(request: NodeRequest): void {
  // An answered HTTP/1.1 request does not report the end of its connection.
  const carrier = 'stream' in request ? request.stream : request.socket
  if (request.complete || carrier.destroyed || !mayHaveBody(request)) return
  let left = MAX_DRAINED_BYTES
  const giveUp = (): void => {
    done()
    if ('stream' in request) request.stream.close(constants.NGHTTP2_NO_ERROR)
    else request.socket.destroy()
  }
  const onData = (chunk: Buffer): void => {
    left -= chunk.length
    if (left < 0) giveUp()
  }
  const timer = setTimeout(giveUp, DRAIN_MILLIS)
  const done = (): void => {
    clearTimeout(timer)
    request.off('data', onData).off('end', done)
    carrier.off('close', done)
  }
  // A sender that breaks off is not a failure.
  request.on('error', () => undefined)
  request.on('data', onData).on('end', done).resume()
  carrier.on('close', done)
}
