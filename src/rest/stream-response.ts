import type { OutgoingHttpHeaders } from 'node:http'
import type { JsonValue, Message } from '@bufbuild/protobuf'
import type { Call } from '../call/call.js'
import { prefersEventStream } from '../call/content-type.js'
import { headerOf, isGone } from '../call/node-http.js'
import { addHeaders, streamHeaders } from '../call/respond.js'
import { createSink, type Sink } from '../call/response-sink.js'
import { type Exchange, writeMessages } from '../call/serve-call.js'
import type { Route } from './compile-route.js'
import type { ResponseBody } from './response-body.js'
import { codingOf, type ErrorResponder, varyOf } from './whole-response.js'

/** How the messages of a stream are separated on the wire. */
type StreamFormat = 'ndjson' | 'sse' | 'raw'

const CONTENT_TYPES = { ndjson: 'application/x-ndjson', sse: 'text/event-stream; charset=utf-8' } as const

/** How long a client waits before it opens a stream again that has ended. */
const RETRY_MILLIS = 1_000

/**
 * Answers with a stream of messages. A failure before the first one is an ordinary response; a later one becomes the
 * last line. Trailers go out as HTTP trailers.
 */
export function streamAnswer(
  call: Call,
  { responseBody: body, eventIds: ids }: Pick<Route, 'responseBody' | 'eventIds'>,
  errors: ErrorResponder,
): Pick<Exchange<never, AsyncIterator<Message>>, 'answer' | 'fail'> {
  const { request, response } = call
  const format = streamFormat(body, headerOf(request, 'accept'))
  const isHead = request.method === 'HEAD'
  let sink: Sink | undefined

  function begin(rawType = 'application/octet-stream'): Sink {
    const coding = codingOf(call)
    const type = format === 'raw' ? rawType : CONTENT_TYPES[format]
    const headers: OutgoingHttpHeaders = {
      ...streamHeaders,
      'content-type': type,
      vary: varyOf(response, 'accept', 'accept-encoding'),
    }
    if (format === 'sse') headers['cache-control'] = 'no-store'
    if (coding !== undefined) headers['content-encoding'] = coding
    addHeaders(headers, call.touchedHeader)
    response.writeHead(200, headers)
    return createSink(response, coding)
  }

  function end(begun: Sink): void {
    if (call.touchedTrailer !== undefined && !isHead && !isGone(response)) {
      const trailers: OutgoingHttpHeaders = {}
      addHeaders(trailers, call.touchedTrailer)
      response.addTrailers(trailers)
    }
    begun.end()
  }

  return {
    async answer(messages) {
      await writeMessages(call, messages, async (message) => {
        const encoded = body.encode(message)
        sink ??= begin(encoded.contentType)
        if (!isHead) await sink.write(frameMessage(format, encoded.body, ids?.of(message)))
        return !isHead
      })
      end(sink ?? begin())
    },
    fail(failure) {
      if (sink === undefined) return errors.send(failure, request, response, call)
      const line = frameError(format, errors.json(failure.error))
      // Raw bytes have no place for an error: only cutting the connection shows that they are incomplete.
      if (line === undefined) return sink.cut()
      // Not waited for: the call ends now, whether its client reads or not.
      void sink.write(line)
      end(sink)
    },
  }
}

/** The format of a stream by its messages and the request's Accept: bytes, Server-Sent Events or JSON lines. */
function streamFormat(body: ResponseBody, accept: string | undefined): StreamFormat {
  if (body.raw) return 'raw'
  return prefersEventStream(accept) ? 'sse' : 'ndjson'
}

/**
 * One message on the wire; text already ends with a line end. Events with ids also say how soon a client reconnects
 * after the end (HTML, 9.2.6).
 */
function frameMessage(format: StreamFormat, body: string | Uint8Array, id?: string): string | Uint8Array {
  if (format !== 'sse') return body
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8')
  return id === undefined ? `data: ${text}\n` : `retry: ${RETRY_MILLIS}\nid: ${id}\ndata: ${text}\n`
}

/** The last line of a stream that failed: `{"error": …}`, as an event `error` over SSE; raw bytes have no such line. */
function frameError(format: StreamFormat, error: JsonValue): string | undefined {
  if (format === 'raw') return undefined
  const text = JSON.stringify({ error })
  return format === 'sse' ? `event: error\ndata: ${text}\n\n` : `${text}\n`
}
