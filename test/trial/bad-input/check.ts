import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { fromBinary, fromJsonString } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { codeFromString } from '@connectrpc/connect/protocol-connect'
import { trailerParse } from '@connectrpc/connect/protocol-grpc-web'
import { StatusSchema } from '../../../gen/google/rpc/status_pb.js'
import { assertContract } from '../../support/contract.js'
import type { BadAnswer, BadRequest } from './protocol.js'
import { scimFault } from './scim-shape.js'

/** What is wrong with an answer; undefined if the caller gets what the contract of the protocol promises. */
export function faultOf(request: BadRequest, answer: BadAnswer): string | undefined {
  try {
    check(request, answer)
    return undefined
  } catch (error) {
    if (error instanceof Error) return error.message
    throw error
  }
}

function check(request: BadRequest, answer: BadAnswer): void {
  const { status, headers } = answer
  if (headers['x-request-id'] === undefined) throw new Error(`${status} without X-Request-Id`)
  if (status >= 500 && !isAskedFor(request, status)) throw new Error(`${status}: ${answer.body.toString()}`)
  const plain = request.method === 'HEAD' ? Buffer.alloc(0) : unpacked(answer)
  if (request.method === 'HEAD' || status === 204 || status === 304) {
    if (plain.length > 0) throw new Error(`${status} with a body`)
    return
  }
  const type = String(headers['content-type'] ?? '')
  if (type.startsWith('application/grpc')) checkGrpc(request, answer, type)
  else if (/^\/+scim(?:$|[/?])/i.test(request.path)) throwIf(scimFault(request, status, type, plain.toString()))
  else if (request.path.startsWith('/svc.')) checkConnect(request, status, type, plain)
  else checkRest(request, answer, type, plain.toString())
}

function throwIf(fault: string | undefined): void {
  if (fault !== undefined) throw new Error(fault)
}

/**
 * 501 is what Connect has for a coding or a method that does not exist, and SCIM for operations that a provider may leave
 * out; 504 the end of a deadline that the caller sets.
 */
function isAskedFor({ path, headers }: BadRequest, status: number): boolean {
  const isLeftOut = path.startsWith('/svc.') || /^\/+scim(?:\/+v2)?\/+(?:\.search|bulk|me)\/*(?:\?|$)/i.test(path)
  return (status === 501 && isLeftOut) || (status === 504 && hasDeadline(headers))
}

function hasDeadline(headers: BadRequest['headers']): boolean {
  return ['connect-timeout-ms', 'grpc-timeout'].some((name) => headers[name] !== undefined)
}

function unpacked({ headers, body }: BadAnswer): Buffer {
  switch (headers['content-encoding']) {
    case undefined:
      return body
    case 'gzip':
      return gunzipSync(body)
    case 'br':
      return brotliDecompressSync(body)
    case 'deflate':
      return inflateSync(body)
    default:
      throw new Error(`the coding ${String(headers['content-encoding'])} is none of ours`)
  }
}

function checkRest(request: BadRequest, answer: BadAnswer, type: string, text: string): void {
  const { method, path } = request
  const { status } = answer
  // A fragment is no part of what is asked for; an empty text is what an absent one is, whatever its format.
  const [place = '', query = ''] = path.replace(/#.*/, '').split('?', 2)
  const given = `${place}?${query.replaceAll(/(?<=^|&)[^=&]+=?(?=&|$)/g, '')}`
  const sent = {
    method,
    path: given,
    contentType: contentTypeIn(request) ?? null,
    body: status < 300 ? bodyIn(request) : null,
  }
  const pairs = Object.entries(answer.headers).flatMap(([name, value]) =>
    name.startsWith(':') || value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
  assertContract({ ...sent, status, headers: new Headers(pairs), text })
  if (status < 400) return
  const { code, message } = jsonIn(text, type)
  // The limit of revoke has the body of OAuth.
  if (status === 429 && path.startsWith('/v2/auth/revoke')) return
  if (codeFromString(String(code)) === undefined) throw new Error(`${status} with the code ${String(code)}`)
  throwIf(textFault(message))
}

/** The body that was accepted, without what the path says anyway; as it is if the document cannot speak about it. */
function bodyIn(request: BadRequest): string | Uint8Array | null {
  const { body, headers, inPath = [] } = request
  const type = contentTypeIn(request) ?? ''
  if (body === undefined || body.length === 0) return null
  if (headers['content-encoding'] !== undefined) return body
  const text = Buffer.from(body).toString()
  if (!type.startsWith('application/json')) return text
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return text
  return JSON.stringify(Object.fromEntries(Object.entries(value).filter(([name]) => !inPath.includes(name))))
}

/** nghttp2 leaves out a field that begins or ends with white space (RFC 9113, section 8.2.1); without a type it is JSON. */
function contentTypeIn({ version, headers }: BadRequest): string | undefined {
  const type = headers['content-type']
  return version === 'HTTP/2' && /^[ \t]|[ \t]$/.test(type ?? '') ? 'application/json' : type
}

function checkConnect({ method, headers, rpc, form }: BadRequest, status: number, type: string, body: Buffer): void {
  if (status === 405 || status === 415 || (status === 200 && method === 'OPTIONS')) return
  if (status !== 200) {
    const { code, message } = jsonIn(body.toString(), type)
    const known = codeFromString(String(code))
    if (known === undefined) throw new Error(`${status} with the code ${String(code)}`)
    throwIf(codeFault(known, headers))
    throwIf(textFault(message))
    return
  }
  if (rpc === undefined) throw new Error('a success of what has no answer')
  if (type.startsWith('application/connect+') && rpc.methodKind !== 'unary') checkConnectStream(body)
  else if (type === 'application/proto') fromBinary(rpc.output, body)
  else if (type === 'application/json') fromJsonString(rpc.output, body.toString())
  else throw new Error(`a success in ${type} of ${String(form)}`)
}

/** What a stream of Connect ends with is JSON, with an error or without one. */
function checkConnectStream(body: Buffer): void {
  const end = envelopesOf(body).at(-1)
  if (end?.flags !== 2) throw new Error('a stream without its end')
  const { error } = JSON.parse(end.data.toString())
  if (error !== undefined) throwIf(textFault(error.message))
}

function jsonIn(text: string, type: string): { readonly code?: unknown; readonly message?: unknown } {
  if (type !== 'application/json') throw new Error(`an error in ${type}`)
  return JSON.parse(text)
}

/** Codes that blame the service, but for the end of a deadline that the caller sets. */
function codeFault(code: Code, headers: BadRequest['headers']): string | undefined {
  if (code === Code.DeadlineExceeded && hasDeadline(headers)) return undefined
  const ours = [Code.Canceled, Code.Unknown, Code.DeadlineExceeded, Code.Internal, Code.Unavailable, Code.DataLoss]
  return ours.includes(code) ? `the code ${Code[code]}` : undefined
}

function textFault(message: unknown): string | undefined {
  if (typeof message !== 'string' || message === '') return 'an error without a message'
  // What it quotes, and names of fields that do not exist, are the caller's.
  const own = message.replaceAll(/"[^"]*"|^.*?(?=: no such field in )/gs, '')
  const isInside = /\b(?:SELECT|prisma|postgres|undefined|\[object|node_modules|\.ts:|\.js:)/i.test(own)
  return isInside ? `a message that shows the inside: ${message}` : undefined
}

function checkGrpc(request: BadRequest, { status, headers, trailers, body }: BadAnswer, type: string): void {
  if (status !== 200 && status !== 400 && status !== 415) throw new Error(`gRPC with the status ${status}`)
  const envelopes = envelopesOf(type.startsWith('application/grpc-web-text') ? bytesOfText(body) : body)
  const last = envelopes.at(-1)
  const end = last !== undefined && (last.flags & 0x80) !== 0 ? trailerParse(plainOf(last, headers)) : undefined
  const reported = end === undefined ? { ...headers, ...trailers } : Object.fromEntries(end)
  const code = Number(reported['grpc-status'] ?? Number.NaN)
  if (!Number.isInteger(code)) throw new Error('gRPC without a status')
  const message = decodeURIComponent(String(reported['grpc-message'] ?? ''))
  const details = reported['grpc-status-details-bin']
  if (details !== undefined) {
    const inside = fromBinary(StatusSchema, Buffer.from(String(details), 'base64'))
    if (inside.code !== code || inside.message !== message) throw new Error('the details of gRPC say something else')
  }
  if (code === 0) {
    const { rpc } = request
    const messages = envelopes.filter((each) => (each.flags & 0x80) === 0)
    if (rpc === undefined || (rpc.methodKind === 'unary' && messages.length !== 1)) {
      throw new Error('gRPC without its message')
    }
    for (const message of messages) {
      const plain = plainOf(message, headers)
      if (type.endsWith('json')) fromJsonString(rpc.output, plain.toString())
      else fromBinary(rpc.output, plain)
    }
    return
  }
  // A message that is marked as compressed in no coding is INTERNAL by the specification of gRPC.
  if (code === Code.Internal && /compress/.test(message)) return
  throwIf(codeFault(code, request.headers))
  throwIf(textFault(message))
}

interface Envelope {
  readonly flags: number
  readonly data: Buffer
}

function plainOf({ flags, data }: Envelope, headers: BadAnswer['headers']): Buffer {
  if ((flags & 1) === 0) return data
  return headers['grpc-encoding'] === 'br' ? brotliDecompressSync(data) : gunzipSync(data)
}

/** Base64 whose parts are encoded, and padded, by themselves. */
function bytesOfText(body: Buffer): Buffer {
  const parts = body.toString('latin1').match(/[^=]+=*/g) ?? []
  return Buffer.concat(parts.map((part) => Buffer.from(part, 'base64')))
}

function envelopesOf(body: Buffer): Envelope[] {
  const envelopes: Envelope[] = []
  for (let at = 0; at < body.length; ) {
    const length = body.readUInt32BE(at + 1)
    const data = body.subarray(at + 5, at + 5 + length)
    if (data.length < length) throw new Error('an envelope that is cut')
    envelopes.push({ flags: body.readUInt8(at), data })
    at += 5 + length
  }
  return envelopes
}
