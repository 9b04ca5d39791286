import type { OutgoingHttpHeaders } from 'node:http'
import { type Compression, compressedFlag, encodeEnvelope } from '@connectrpc/connect/protocol'
import { isGone, type NodeResponse } from '../call/node-http.js'
import { sendWhole } from '../call/respond.js'
import type { Envelope } from './envelope-reader.js'
import type { Ending } from './enveloped-protocol.js'
import { COMPRESS_MIN_BYTES } from './message-codec.js'

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
  const body = 'envelope' in ending ? [...parts, await bytesOfEnvelope(ending.envelope, coding)] : parts
  if (isGone(response)) return
  const bytes = body.length > 1 ? Buffer.concat(body) : body[0]
  if (!response.headersSent) {
    if ('envelope' in ending) return sendWhole(response, 200, headers, bytes)
    // An error of gRPC without messages is Trailers-Only: one frame of HTTP/2 (gRPC over HTTP/2, Responses).
    if ('stream' in response && bytes === undefined && ending.trailers['grpc-status'] !== '0') {
      return sendWhole(response, 200, { ...headers, ...ending.trailers }, undefined)
    }
    response.writeHead(200, headers)
  }
  if ('trailers' in ending) response.addTrailers(ending.trailers)
  // The two response classes declare overloads of `end` that have no common signature.
  if (bytes === undefined) response.end()
  else if ('stream' in response) response.end(bytes)
  else response.end(bytes)
}
