import type { OutgoingHttpHeaders } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import type { ConnectError } from '@connectrpc/connect'
import {
  type Compression,
  compressedFlag,
  compressionNegotiate,
  encodeEnvelope,
  envelopeDecompress,
} from '@connectrpc/connect/protocol'
import { contentTypeProto, parseContentType, parseTimeout, setTrailerStatus } from '@connectrpc/connect/protocol-grpc'
import { Call } from '../rest/call.js'
import { invokeUnary } from '../rest/invoke.js'
import { addHeaders } from '../rest/respond.js'
import { connectErrorFrom } from './connect-unary.js'
import { COMPRESS_MIN_BYTES, type DirectOptions, type DirectPath, headerOf, type UnarySpec } from './direct-call.js'
import { readRequestEnvelope } from './request-envelope.js'
import { createUnaryCodec, type UnaryCodec } from './unary-codec.js'

/**
 * Unary calls over gRPC on HTTP/2, binary, without the universal layer of the stock handlers: the same implementations,
 * interceptors, answers and trailers.
 */
export function createGrpcUnary(spec: UnarySpec, options: DirectOptions): DirectPath {
  const { method } = spec
  const codec = createUnaryCodec(method, options.maxBodyBytes)
  return (request, response) => {
    if (!('stream' in response) || request.method !== 'POST') return undefined
    const contentType = request.headers['content-type']
    if (contentType !== 'application/grpc' && parseContentType(contentType ?? null)?.binary !== true) return undefined
    return async (values) => {
      const call = new Call(method, request, response, options.shutdown, 'grpc')
      call.values = values
      await answer(spec, codec, call, response, options)
      call.finish()
    }
  }
}

async function answer(
  spec: UnarySpec,
  codec: UnaryCodec,
  call: Call,
  response: Http2ServerResponse,
  options: DirectOptions,
): Promise<void> {
  const { request } = call
  const timeout = parseTimeout(headerOf(request, 'grpc-timeout'), options.maxTimeoutMs)
  const codings = compressionNegotiate(
    options.compressions,
    headerOf(request, 'grpc-encoding'),
    headerOf(request, 'grpc-accept-encoding'),
    'grpc-accept-encoding',
  )
  let data: Uint8Array | undefined
  let failure: ConnectError | undefined
  try {
    if (codings.error !== undefined) throw codings.error
    if (timeout.error !== undefined) throw timeout.error
    if (timeout.timeoutMs !== undefined) call.startDeadline(timeout.timeoutMs)
    const work = respond(spec, codec, call, codings.request, options)
    data = await (timeout.timeoutMs === undefined ? work : call.unlessAborted(work))
  } catch (cause) {
    failure = connectErrorFrom(cause)
  }
  const compress = codings.response !== null && data !== undefined && data.byteLength >= COMPRESS_MIN_BYTES
  if (compress && data !== undefined) data = await codings.response?.compress(data)
  if (response.stream.destroyed) return
  const headers: OutgoingHttpHeaders = {}
  addHeaders(headers, call.touchedHeader)
  headers['content-type'] = contentTypeProto
  if (codings.response !== null) headers['grpc-encoding'] = codings.response.name
  response.writeHead(200, headers)
  response.addTrailers(trailersOf(call, failure))
  if (data === undefined) response.end()
  else response.end(encodeEnvelope(compress ? compressedFlag : 0, data))
}

async function respond(
  spec: UnarySpec,
  codec: UnaryCodec,
  call: Call,
  compression: Compression | null,
  { interceptors, maxBodyBytes }: DirectOptions,
): Promise<Uint8Array> {
  const envelope = await readRequestEnvelope(call.request, maxBodyBytes)
  const { data } = envelope.flags === 0 ? envelope : await envelopeDecompress(envelope, compression, maxBodyBytes)
  return codec.binary.write(await invokeUnary(spec, interceptors, call, codec.binary.read(data)))
}

function trailersOf(call: Call, failure: ConnectError | undefined): OutgoingHttpHeaders {
  if (failure === undefined && call.touchedTrailer === undefined) return { 'grpc-status': '0' }
  const trailers: OutgoingHttpHeaders = {}
  addHeaders(trailers, setTrailerStatus(new Headers(call.touchedTrailer), failure))
  return trailers
}
