import type { OutgoingHttpHeaders } from 'node:http'
import type { JsonValue, Message } from '@bufbuild/protobuf'
import { prefersEventStream } from '../call/accept.js'
import type { Call } from '../call/call.js'
import type { Coding } from '../call/compression.js'
import { cutResponse, headerOf, isGone } from '../call/node-http.js'
import { addHeaders } from '../call/respond.js'
import { createSink } from '../call/response-sink.js'
import type { ResponseBody } from './response-body.js'

/** How the messages of a stream are separated on the wire. */
type StreamFormat = 'ndjson' | 'sse' | 'raw'

const CONTENT_TYPES = { ndjson: 'application/x-ndjson', sse: 'text/event-stream; charset=utf-8' } as const

/** The format of a stream by its messages and the request's Accept: bytes, Server-Sent Events or JSON lines. */
function streamFormat(body: ResponseBody, accept: string | undefined): StreamFormat {
  if (body.raw) return 'raw'
  return prefersEventStream(accept) ? 'sse' : 'ndjson'
}

/** One message on the wire; text already ends with a line end. */
function frameMessage(format: StreamFormat, body: string | Uint8Array): string | Uint8Array {
  if (format !== 'sse') return body
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8')
  return `data: ${text}\n`
}

/** The last line of a stream that failed: `{"error": …}`, as an event `error` over SSE; raw bytes have no such line. */
function frameError(format: StreamFormat, error: JsonValue): string | undefined {
  if (format === 'raw') return undefined
  const text = JSON.stringify({ error })
  return format === 'sse' ? `event: error\ndata: ${text}\n\n` : `${text}\n`
}

/**
 * Sends a stream of messages, each as soon as it arrives and no faster than the client reads. A failure before the
 * first message is thrown, with nothing sent; a later one becomes the last line. Trailers go out as HTTP trailers.
 */
export async function sendStream(
  call: Call,
  messages: AsyncIterator<Message>,
  body: ResponseBody,
  coding: Coding | undefined,
  failed: (cause: unknown) => JsonValue,
): Promise<void> {
  try {
    const first = await call.unlessAborted(messages.next())
    const encoded = first.done === true ? undefined : body.encode(first.value)
    const format = streamFormat(body, headerOf(call.request, 'accept'))
    const type = format === 'raw' ? (encoded?.contentType ?? 'application/octet-stream') : CONTENT_TYPES[format]
    call.response.writeHead(200, streamHeaders(call, type, format, coding))
    if (call.request.method === 'HEAD') call.response.end()
    else await pump(call, messages, encoded?.body, body, format, coding, failed)
  } finally {
    stop(messages)
  }
}

async function pump(
  call: Call,
  messages: AsyncIterator<Message>,
  first: string | Uint8Array | undefined,
  body: ResponseBody,
  format: StreamFormat,
  coding: Coding | undefined,
  failed: (cause: unknown) => JsonValue,
): Promise<void> {
  const sink = createSink(call.response, coding)
  try {
    let next = first
    while (next !== undefined && !isGone(call.response)) {
      await call.unlessAborted(sink.write(frameMessage(format, next)))
      const result = await call.unlessAborted(messages.next())
      next = result.done === true ? undefined : body.encode(result.value).body
    }
  } catch (cause) {
    const line = frameError(format, failed(cause))
    // Raw bytes have no place for an error: only cutting the connection shows that they are incomplete.
    if (line === undefined) return cutResponse(call.response)
    // Not waited for: a client that does not read must not keep the handler, which is told to stop now.
    void sink.write(line)
  }
  addTrailers(call)
  sink.end()
}

// The iterator may be stuck in a handler that ignores its signal: it is told to stop and not waited for.
function stop(messages: AsyncIterator<Message>): void {
  messages.return?.().catch(() => undefined)
}

function streamHeaders(call: Call, type: string, format: StreamFormat, coding: Coding | undefined) {
  const headers: OutgoingHttpHeaders = { 'content-type': type, vary: 'accept, accept-encoding' }
  if (format === 'sse') headers['cache-control'] = 'no-cache'
  if (coding !== undefined) headers['content-encoding'] = coding
  addHeaders(headers, call.touchedHeader)
  return headers
}

function addTrailers(call: Call): void {
  const { touchedTrailer, response } = call
  if (touchedTrailer === undefined || isGone(response)) return
  const trailers: OutgoingHttpHeaders = {}
  addHeaders(trailers, touchedTrailer)
  response.addTrailers(trailers)
}
