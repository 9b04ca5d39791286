import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import {
  type DescMessage,
  fromBinary,
  fromJsonString,
  type Message,
  toBinary,
  toJson,
  toJsonString,
} from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { encodeEnvelope } from '@connectrpc/connect/protocol'
import { codeFromString } from '@connectrpc/connect/protocol-connect'
import { trailerParse } from '@connectrpc/connect/protocol-grpc-web'
import { type RawAnswer, type RawRequest, trailersOnly } from './raw-call.js'

/** The protocols of RPC. */
export const rpcProtocols = ['connect', 'grpc', 'grpc-web'] as const
/** The codings of messages. */
export const codings = ['identity', 'gzip', 'br'] as const
/** The forms of messages. */
export const forms = ['proto', 'json'] as const

/** How a call goes over the wire. */
export interface WireForm {
  readonly protocol: (typeof rpcProtocols)[number]
  readonly form: (typeof forms)[number]
  readonly coding: (typeof codings)[number]
  /** Whether the method is of one message each way, which Connect sends without envelopes. */
  readonly unary: boolean
  readonly verb?: 'GET' | 'POST'
}

/** What an answer says, whatever it looks like. */
export interface WireAnswer {
  readonly status: number
  readonly contentType: unknown
  /** The headers that begin with `x-`, and `Retry-After`. */
  readonly headers: Record<string, unknown>
  readonly messages: unknown[]
  readonly trailers: Record<string, unknown>
  /** 0 is success. */
  readonly code: number
  readonly text: string
  /** The details in base64, with their types. */
  readonly details: string[]
}

const compressors = { identity: (bytes: Uint8Array) => bytes, gzip: gzipSync, br: brotliCompressSync }
const decompressors = { identity: (bytes: Uint8Array) => bytes, gzip: gunzipSync, br: brotliDecompressSync }

type Header = RawAnswer['headers'][string]

/** Compresses the bytes of a message. */
export function compress(coding: WireForm['coding'], bytes: Uint8Array): Uint8Array {
  return compressors[coding](bytes)
}

/** Whether messages travel in envelopes. */
export function isEnveloped({ protocol, unary }: Pick<WireForm, 'protocol' | 'unary'>): boolean {
  return protocol !== 'connect' || !unary
}

/** The headers of a call. */
export function headersOf({ protocol, form, coding, unary }: WireForm): Record<string, string> {
  if (protocol !== 'connect') {
    const headers = {
      'content-type': `application/${protocol}+${form}`,
      te: 'trailers',
      'grpc-accept-encoding': coding,
    }
    return { ...headers, 'grpc-encoding': coding }
  }
  if (unary) {
    const headers = {
      'content-type': `application/${form}`,
      'accept-encoding': coding,
      'connect-protocol-version': '1',
    }
    return coding === 'identity' ? headers : { ...headers, 'content-encoding': coding }
  }
  const headers = { 'content-type': `application/connect+${form}`, 'connect-accept-encoding': coding }
  return { ...headers, 'connect-content-encoding': coding, 'connect-protocol-version': '1' }
}

/** The bytes of a message in the form of the call. */
export function bytesOf(desc: DescMessage, message: Message, form: WireForm['form']): Uint8Array {
  return form === 'json' ? Buffer.from(toJsonString(desc, message)) : toBinary(desc, message)
}

/** The body of a call with these messages. */
export function bodyOf(wire: WireForm, messages: readonly Uint8Array[]): Uint8Array {
  if (!isEnveloped(wire)) return compress(wire.coding, messages[0] ?? new Uint8Array())
  const flags = wire.coding === 'identity' ? 0 : 1
  return Buffer.concat(messages.map((message) => encodeEnvelope(flags, compress(wire.coding, message))))
}

/** A whole call. */
export function requestOf(wire: WireForm, path: string, messages: readonly Uint8Array[]): RawRequest {
  if (wire.verb !== 'GET') return { path, headers: headersOf(wire), body: bodyOf(wire, messages) }
  const message = Buffer.from(bodyOf(wire, messages)).toString('base64url')
  const compression = wire.coding === 'identity' ? '' : `&compression=${wire.coding}`
  const query = `connect=v1&encoding=${wire.form}&base64=1&message=${message}${compression}`
  return { method: 'GET', path: `${path}?${query}`, headers: { 'accept-encoding': wire.coding } }
}

/** Reads an answer. Throws for one that is not of the protocol. */
export function readAnswer(wire: WireForm, desc: DescMessage, given: RawAnswer): WireAnswer {
  const answer = wire.protocol === 'grpc' ? trailersOnly(given) : given
  const { status, headers, body } = answer
  const head = { status, contentType: headers['content-type'], headers: ours(headers) }
  if (!isEnveloped(wire)) return { ...head, ...readUnary(wire, desc, answer) }
  const messages: unknown[] = []
  let end: Uint8Array | undefined
  for (const { flags, data } of envelopesOf(body)) {
    const plain = (flags & 1) === 0 ? data : decompressors[wire.coding](data)
    if ((flags & 0x82) !== 0) end = plain
    else messages.push(jsonOf(desc, wire, plain))
  }
  if (wire.protocol === 'connect') return { ...head, messages, ...readEndOfStream(end) }
  const trailers =
    wire.protocol === 'grpc' ? Object.entries({ ...headers, ...answer.trailers }) : trailerParse(end ?? body)
  return { ...head, messages, ...readStatus(new Map<string, Header>(trailers), answer) }
}

function readUnary(wire: WireForm, desc: DescMessage, { status, headers, body }: RawAnswer) {
  const coding = headers['content-encoding']
  const plain = coding === 'gzip' || coding === 'br' ? decompressors[coding](body) : body
  const trailers = Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (name.startsWith('trailer-') ? [[name.slice(8), value]] : [])),
  )
  if (status === 200) {
    return { messages: [jsonOf(desc, wire, plain)], trailers, code: 0, text: '', details: [] }
  }
  return { messages: [], trailers, ...readError(JSON.parse(Buffer.from(plain).toString())) }
}

interface ErrorJson {
  readonly code?: string
  readonly message?: string
  readonly details?: readonly { readonly type: string; readonly value: string }[]
}

function readError({ code = '', message = '', details = [] }: ErrorJson) {
  return {
    code: codeFromString(code) ?? Code.Unknown,
    text: message,
    details: details.map(({ type, value }) => `${type} ${value}`),
  }
}

function readEndOfStream(end: Uint8Array | undefined) {
  if (end === undefined) throw new Error('the stream has no end')
  const { error, metadata = {} } = JSON.parse(Buffer.from(end).toString())
  const trailers = Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, String(value)]))
  if (error === undefined) return { trailers, code: 0, text: '', details: [] }
  return { trailers, ...readError(error) }
}

function readStatus(trailers: ReadonlyMap<string, Header>, { headers }: RawAnswer) {
  const status = trailers.get('grpc-status') ?? headers['grpc-status']
  if (status === undefined) throw new Error('the answer has no status')
  const details = trailers.get('grpc-status-details-bin')
  return {
    trailers: ours(Object.fromEntries(trailers)),
    code: Number(status),
    text: decodeURIComponent(trailers.get('grpc-message')?.toString() ?? ''),
    details: details === undefined ? [] : [details.toString()],
  }
}

/** The envelopes of a body. */
export function envelopesOf(body: Buffer): { readonly flags: number; readonly data: Buffer }[] {
  const envelopes = []
  for (let at = 0; at < body.length; ) {
    const length = body.readUInt32BE(at + 1)
    envelopes.push({ flags: body.readUInt8(at), data: body.subarray(at + 5, at + 5 + length) })
    at += 5 + length
  }
  return envelopes
}

function jsonOf(desc: DescMessage, { form }: WireForm, bytes: Uint8Array): unknown {
  const message = form === 'json' ? fromJsonString(desc, Buffer.from(bytes).toString()) : fromBinary(desc, bytes)
  return toJson(desc, message)
}

function ours(headers: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => (name.startsWith('x-') && name !== 'x-timeout') || name === 'retry-after',
    ),
  )
}
