import type { OutgoingHttpHeaders } from 'node:http'
import { type Compression, compressedFlag, encodeEnvelope } from '@connectrpc/connect/protocol'
import { isGone } from '../call/node-http.js'
import { COMPRESS_MIN_BYTES } from './call-options.js'
import type { Envelope } from './envelope-reader.js'
import type { Ending } from './enveloped-protocol.js'
import type { HttpResponse } from './http-message.js'

/** The bytes of an envelope, compressed if it is large. */
export async function bytesOfEnvelope({ flags, data }: Envelope, coding: Compression | null): Promise<Uint8Array> {
  if (coding === null || data.byteLength < COMPRESS_MIN_BYTES) return encodeEnvelope(flags, data)
  return encodeEnvelope(flags | compressedFlag, await coding.compress(data))
}

/** Ends an answer; sends `headers` if nothing of it has been sent, and `parts` before its end. */
export async function endEnveloped(
  response: HttpResponse,
  headers: OutgoingHttpHeaders,
  parts: readonly Uint8Array[],
  ending: Ending,
  coding: Compression | null,
): Promise<void> {
  const last = 'envelope' in ending ? [await bytesOfEnvelope(ending.envelope, coding)] : []
  if (isGone(response)) return
  if (!response.headersSent) response.writeHead(200, headers)
  if ('trailers' in ending) response.addTrailers(ending.trailers)
  const body = [...parts, ...last]
  const [only] = body
  if (only === undefined) response.end()
  else endWith(response, body.length === 1 ? only : Buffer.concat(body))
}

// The two response classes declare overloads of `end` that have no common signature.
function endWith(response: HttpResponse, body: Uint8Array): void {
  if ('stream' in response) response.end(body)
  else response.end(body)
}
