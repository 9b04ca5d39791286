import type { OutgoingHttpHeaders } from 'node:http'
import { type Compression, compressedFlag, encodeEnvelope } from '@connectrpc/connect/protocol'
import { isGone, type NodeResponse } from '../call/node-http.js'
import { sendWhole } from '../call/respond.js'
import { COMPRESS_MIN_BYTES } from './codings.js'
import type { Envelope } from './envelope-reader.js'
import type { Ending } from './enveloped-protocol.js'

/** The bytes of an envelope, compressed if it is large. */
export async function bytesOfEnvelope({ flags, data }: Envelope, coding: Compression | null): Promise<Uint8Array> {
  if (coding === null || data.byteLength < COMPRESS_MIN_BYTES) return encodeEnvelope(flags, data)
  return encodeEnvelope(flags | compressedFlag, await coding.compress(data))
}

/** Ends a response; sends `headers` if nothing of it has been sent, and `parts` before its end. */
export async function endEnveloped(
  response: NodeResponse,
  headers: OutgoingHttpHeaders,
  parts: readonly Uint8Array[],
  ending: Ending,
  coding: Compression | null,
): Promise<void> {
  const last = 'envelope' in ending ? [await bytesOfEnvelope(ending.envelope, coding)] : []
  if (isGone(response)) return
  const body = [...parts, ...last]
  if (!response.headersSent) {
    const whole = wholeHeaders(response, headers, body, ending)
    if (whole !== undefined) return sendWhole(response, 200, whole, bytesOf(body))
    response.writeHead(200, headers)
  }
  if ('trailers' in ending) response.addTrailers(ending.trailers)
  const bytes = bytesOf(body)
  if (bytes === undefined) response.end()
  else endWith(response, bytes)
}

/**
 * The headers of a response that needs no trailers after them; undefined if it does. An error of gRPC without messages
 * is Trailers-Only: one frame of HTTP/2 (gRPC over HTTP/2, Responses).
 */
function wholeHeaders(
  response: NodeResponse,
  headers: OutgoingHttpHeaders,
  body: readonly Uint8Array[],
  ending: Ending,
): OutgoingHttpHeaders | undefined {
  if ('envelope' in ending) return headers
  const isError = ending.trailers['grpc-status'] !== '0'
  return 'stream' in response && isError && body.length === 0 ? { ...headers, ...ending.trailers } : undefined
}

function bytesOf(body: readonly Uint8Array[]): Uint8Array | undefined {
  return body.length > 1 ? Buffer.concat(body) : body[0]
}

// The two response classes declare overloads of `end` that have no common signature.
function endWith(response: NodeResponse, body: Uint8Array): void {
  if ('stream' in response) response.end(body)
  else response.end(body)
}
