import type { OutgoingHttpHeaders } from 'node:http'
import { base64Decode } from '@bufbuild/protobuf/wire'
import type { ConnectError } from '@connectrpc/connect'
import { codeToHttpStatus, errorToJsonBytes, parseContentType } from '@connectrpc/connect/protocol-connect'
import { checkDeclaredLength, deferMalformed, readBytes } from '../call/body-reader.js'
import { createTimeoutReader } from '../call/deadline.js'
import { bodyTooLarge } from '../call/http-failure.js'
import { invokeUnary, type UnarySpec } from '../call/invoke.js'
import { headerOf } from '../call/node-http.js'
import { addCallHeaders, addHeaders, endResponse } from '../call/respond.js'
import { invalidArgument, quoted } from '../protojson/invalid.js'
import { COMPRESS_MIN_BYTES } from './call-options.js'
import { type Codings, negotiateCodings } from './codings.js'
import type { HttpRequest } from './http-message.js'
import { jsonWriteOptions, type MessageCodec, type MessageForm } from './message-codec.js'
import { publicErrorFrom } from './public-error.js'
import type { RpcMethod, StartedCall } from './rpc-call.js'

/** Where the message of a unary call of Connect is. */
export interface ConnectInput {
  readonly form: MessageForm
  /** The name of the coding of the bytes; undefined or empty for none. */
  readonly coding: string | undefined
  /** The bytes as received, at most `maxBytes`. */
  bytes(maxBytes: number): Promise<Uint8Array>
}

/** The input of a POST, by its content type; undefined if that is not one of unary calls. */
export function inputOfPost(request: HttpRequest, codec: MessageCodec): ConnectInput | undefined {
  const type = parseContentType(request.headers['content-type'] ?? null)
  if (type === undefined || type.stream) return undefined
  return {
    form: type.binary ? codec.binary : codec.json,
    coding: headerOf(request, 'content-encoding'),
    bytes: async (maxBytes) => {
      checkDeclaredLength(request, maxBytes)
      return readBytes(request, maxBytes)
    },
  }
}

/** The input of a GET, by its query; undefined if that names no known encoding. */
export function inputOfGet(request: HttpRequest, codec: MessageCodec): ConnectInput | undefined {
  const query = queryOf(request)
  const encoding = query.get('encoding')
  if (encoding !== 'json' && encoding !== 'proto') return undefined
  const message = query.get('message') ?? ''
  return {
    form: encoding === 'json' ? codec.json : codec.binary,
    coding: query.get('compression') ?? undefined,
    bytes: async (maxBytes) => {
      const bytes = query.get('base64') === '1' ? bytesFromBase64(message) : Buffer.from(message)
      if (bytes.length > maxBytes) throw bodyTooLarge(maxBytes)
      return bytes
    },
  }
}

/** The error of a GET whose query names no known encoding. */
export function encodingInvalid(request: HttpRequest): ConnectError {
  const encoding = queryOf(request).get('encoding') ?? ''
  const fault = encoding === '' ? 'is required' : `${quoted(encoding)} is not known`
  return invalidArgument('encoding', `${fault}: send encoding=json or encoding=proto, beside connect=v1 and message`)
}

function queryOf({ url = '' }: HttpRequest): URLSearchParams {
  const question = url.indexOf('?')
  return new URLSearchParams(question < 0 ? '' : url.slice(question + 1))
}

function bytesFromBase64(text: string): Uint8Array {
  try {
    return base64Decode(text)
  } catch {
    throw invalidArgument('message', 'is not valid base64: encode it, or leave out base64=1')
  }
}

/** Reads the deadline of a unary call. */
export const readConnectTimeout = createTimeoutReader({ timeoutHeaders: { 'Connect-Timeout-Ms': 'milliseconds' } })

/** Answers a unary call over Connect, by POST or by GET. Every failure is an answer. */
export async function answerConnectUnary(
  method: RpcMethod<UnarySpec>,
  input: ConnectInput,
  started: StartedCall,
): Promise<void> {
  const { call } = started
  const { request, response } = call
  const codings = negotiateCodings(request, input.coding, 'accept-encoding')
  let answer: ConnectAnswer
  try {
    const body = await call.unlessAborted(work(method, input, started, codings))
    answer = { status: 200, headers: { 'content-type': `application/${input.form.name}` }, body }
  } catch (cause) {
    answer = connectErrorAnswer(publicErrorFrom(cause, call, method.options))
  }
  const { status } = answer
  let { body } = answer
  const headers: OutgoingHttpHeaders = {}
  addCallHeaders(headers, call)
  Object.assign(headers, answer.headers)
  if (codings.response !== null && Buffer.byteLength(body) >= COMPRESS_MIN_BYTES) {
    body = await codings.response.compress(typeof body === 'string' ? Buffer.from(body) : body)
    headers['content-encoding'] = codings.response.name
  }
  endResponse(request, response, status, headers, body)
}

/** An answer to a unary call of Connect. */
export interface ConnectAnswer {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  readonly body: string | Uint8Array
}

/** The answer that carries an error. */
export function connectErrorAnswer(error: ConnectError): ConnectAnswer {
  const headers: OutgoingHttpHeaders = {}
  addHeaders(headers, error.metadata)
  headers['content-type'] = 'application/json'
  return { status: codeToHttpStatus(error.code), headers, body: errorToJsonBytes(error, jsonWriteOptions) }
}

async function work(
  { spec, maxBodyBytes, options }: RpcMethod<UnarySpec>,
  input: ConnectInput,
  { call, admit, received }: StartedCall,
  codings: Codings,
): Promise<string | Uint8Array> {
  await admit()
  if (codings.error !== undefined) throw codings.error
  const read = await deferMalformed(async () => {
    const bytes = await input.bytes(maxBodyBytes)
    const plain = codings.request === null ? bytes : await codings.request.decompress(bytes, maxBodyBytes)
    return () => input.form.read(plain)
  })
  await received()
  return input.form.write(await invokeUnary(spec, options.interceptors, call, read()))
}
