import type { OutgoingHttpHeaders } from 'node:http'
import type { ConnectError } from '@connectrpc/connect'
import { type Compression, compressedFlag, encodeEnvelope } from '@connectrpc/connect/protocol'
import {
  parseContentType as connectType,
  createEndStreamSerialization,
  endStreamFlag,
} from '@connectrpc/connect/protocol-connect'
import { parseContentType as grpcType } from '@connectrpc/connect/protocol-grpc'
import { trailerFlag, trailerSerialize, parseContentType as webType } from '@connectrpc/connect/protocol-grpc-web'
import { COMPRESS_MIN_BYTES } from '../call/compression.js'
import type { TimeoutHeader } from '../call/deadline.js'
import { isGone, type NodeResponse } from '../call/node-http.js'
import { addHeaders, sendWhole } from '../call/respond.js'
import { answerJsonOptions } from '../handlers/raw-json.js'
import { base64Of } from './base64-body.js'
import type { Envelope } from './envelope-reader.js'
import { grpcStatus } from './grpc-status.js'

/** The differences between the protocols that send messages in envelopes: gRPC, gRPC-Web, and Connect for streams. */
export interface EnvelopedProtocol {
  readonly name: 'connect' | 'grpc' | 'grpc-web'
  /** The content type up to the codec. */
  readonly typePrefix: string
  readonly timeoutHeader: TimeoutHeader
  readonly encodingHeader: string
  readonly acceptEncodingHeader: string
  /** The flag of envelopes that are not messages. */
  readonly endFlag: number
  readonly isBase64: boolean
  /** How a response ends, with what the handler set as its trailers, and with success or with an error. */
  end(trailer: Headers | undefined, failure: ConnectError | undefined): Ending
}

/** The last envelope of a response, or its HTTP trailers. */
export type Ending = { readonly envelope: Envelope } | { readonly trailers: OutgoingHttpHeaders }

const endOfStream = createEndStreamSerialization(answerJsonOptions)

export const connectStream: EnvelopedProtocol = {
  name: 'connect',
  typePrefix: 'application/connect+',
  timeoutHeader: 'connect-timeout-ms',
  encodingHeader: 'connect-content-encoding',
  acceptEncodingHeader: 'connect-accept-encoding',
  endFlag: endStreamFlag,
  isBase64: false,
  end: (metadata = new Headers(), error) => {
    const end = { metadata, ...(error && { error }) }
    return { envelope: { flags: endStreamFlag, data: endOfStream.serialize(end) } }
  },
}

const grpcHeaders: Pick<EnvelopedProtocol, 'timeoutHeader' | 'encodingHeader' | 'acceptEncodingHeader' | 'isBase64'> = {
  timeoutHeader: 'grpc-timeout',
  encodingHeader: 'grpc-encoding',
  acceptEncodingHeader: 'grpc-accept-encoding',
  isBase64: false,
}

export const grpc: EnvelopedProtocol = {
  name: 'grpc',
  typePrefix: 'application/grpc+',
  endFlag: 0,
  ...grpcHeaders,
  end: (trailer, failure) => {
    if (failure === undefined && trailer === undefined) return { trailers: { 'grpc-status': '0' } }
    const trailers: OutgoingHttpHeaders = {}
    addHeaders(trailers, grpcStatus(trailer, failure))
    return { trailers }
  },
}

export const grpcWeb: EnvelopedProtocol = {
  name: 'grpc-web',
  typePrefix: 'application/grpc-web+',
  endFlag: trailerFlag,
  ...grpcHeaders,
  end: (trailer, failure) => {
    return { envelope: { flags: trailerFlag, data: trailerSerialize(grpcStatus(trailer, failure)) } }
  },
}

/** gRPC-Web whose bodies are text, as browsers stream them to `grpc-web`: each envelope in base64 by itself. */
export const grpcWebText: EnvelopedProtocol = {
  ...grpcWeb,
  typePrefix: 'application/grpc-web-text+',
  isBase64: true,
}

/** The protocol that a content type names, and the form of its messages; undefined if it names none of them. */
export function envelopedProtocolOf(contentType: string) {
  const ofGrpc = grpcType(contentType)
  if (ofGrpc !== undefined) return { protocol: grpc, binary: ofGrpc.binary }
  const ofWeb = webType(contentType)
  if (ofWeb !== undefined) return { protocol: ofWeb.text ? grpcWebText : grpcWeb, binary: ofWeb.binary }
  const ofConnect = connectType(contentType)
  return ofConnect?.stream === true ? { protocol: connectStream, binary: ofConnect.binary } : undefined
}

/** The bytes of an envelope on its way out, compressed if it is large. */
export async function bytesOfEnvelope(
  { isBase64 }: EnvelopedProtocol,
  { flags, data }: Envelope,
  coding: Compression | null,
): Promise<Uint8Array> {
  const isSmall = coding === null || data.byteLength < COMPRESS_MIN_BYTES
  const bytes = isSmall
    ? encodeEnvelope(flags, data)
    : encodeEnvelope(flags | compressedFlag, await coding.compress(data))
  return isBase64 ? base64Of(bytes) : bytes
}

interface ResponseEnd {
  /** The headers to send if none have been sent yet. */
  readonly headers: OutgoingHttpHeaders
  /** Envelopes to send before the end. */
  readonly parts?: readonly Uint8Array[]
  readonly ending: Ending
  readonly coding?: Compression | null
}

export async function endEnveloped(
  response: NodeResponse,
  protocol: EnvelopedProtocol,
  { headers, parts = [], ending, coding = null }: ResponseEnd,
): Promise<void> {
  const body = 'envelope' in ending ? [...parts, await bytesOfEnvelope(protocol, ending.envelope, coding)] : parts
  if (isGone(response)) return
  const bytes = body.length > 1 ? Buffer.concat(body) : body[0]
  if (!response.headersSent) {
    if ('envelope' in ending) return sendWhole(response, 200, headers, bytes)
    // A gRPC error without messages is Trailers-Only: one frame of HTTP/2 (gRPC over HTTP/2, Responses). Clients take
    // all of its headers for trailers, so headers that a handler has set are sent in a frame before it.
    const isBare = Object.keys(headers).every((name) => name === 'content-type' || name === protocol.encodingHeader)
    if ('stream' in response && bytes === undefined && isBare && ending.trailers['grpc-status'] !== '0') {
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
