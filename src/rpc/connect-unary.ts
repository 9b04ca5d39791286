import type { OutgoingHttpHeaders } from 'node:http'
import { base64Decode } from '@bufbuild/protobuf/wire'
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError } from '@connectrpc/connect'
import { compressionNegotiate } from '@connectrpc/connect/protocol'
import {
  codeToHttpStatus,
  errorToJsonBytes,
  parseContentType,
  parseTimeout,
} from '@connectrpc/connect/protocol-connect'
import { addReason } from '../interceptors/error-reason.js'
import { Call } from '../rest/call.js'
import { invokeUnary } from '../rest/invoke.js'
import { addCallHeaders, addHeaders, endResponse } from '../rest/respond.js'
import { COMPRESS_MIN_BYTES, type DirectOptions, type DirectPath, headerOf, type UnarySpec } from './direct-call.js'
import type { HttpRequest } from './http-message.js'
import { readRequestBytes } from './request-bytes.js'
import { createUnaryCodec, jsonWriteOptions, type MessageForm, type UnaryCodec } from './unary-codec.js'

/**
 * Unary calls over the Connect protocol, by POST and by GET, without the universal layer of the stock handlers: the same
 * implementations, interceptors, answers and errors, and stricter JSON. What it takes from a request is read when
 * somebody asks for it.
 */
export function createConnectUnary(spec: UnarySpec, options: DirectOptions): DirectPath {
  const { method } = spec
  const codec = createUnaryCodec(method, options.maxBodyBytes)
  const allowsGet = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS
  return (request, response) => {
    const input = request.method !== 'POST' ? allowsGet && inputOfGet(request, codec) : inputOfPost(request, codec)
    if (!input) return undefined
    return async (values) => {
      const call = new Call(method, request, response, options.shutdown, 'connect')
      call.values = values
      await answer(spec, call, input, options)
      call.finish()
    }
  }
}

/** Where the message of a request is. */
interface Input {
  readonly form: MessageForm
  /** The coding of the bytes, null for none. */
  readonly coding: string | null
  bytes(maxBytes: number): Promise<Uint8Array>
}

function inputOfPost(request: HttpRequest, codec: UnaryCodec): Input | undefined {
  const contentType = request.headers['content-type']
  const type = parseContentType(contentType ?? null)
  if (request.method !== 'POST' || type === undefined || type.stream) return undefined
  return {
    form: type.binary ? codec.binary : codec.json,
    coding: request.headers['content-encoding'] ?? null,
    bytes: (maxBytes) => readRequestBytes(request, maxBytes),
  }
}

function inputOfGet(request: HttpRequest, codec: UnaryCodec): Input | undefined {
  const target = request.url ?? ''
  const query = new URLSearchParams(target.slice(target.indexOf('?') + 1))
  const encoding = query.get('encoding')
  if ((encoding !== 'json' && encoding !== 'proto') || request.headers['content-type'] !== undefined) return undefined
  const message = query.get('message') ?? ''
  return {
    form: encoding === 'json' ? codec.json : codec.binary,
    coding: query.get('compression'),
    bytes: async () => (query.get('base64') === '1' ? base64Decode(message) : Buffer.from(message)),
  }
}

// Never rejects: every failure is an answer, or the client is gone.
async function answer(spec: UnarySpec, call: Call, input: Input, options: DirectOptions): Promise<void> {
  const { request } = call
  const timeout = parseTimeout(headerOf(request, 'connect-timeout-ms'), options.maxTimeoutMs)
  const codings = compressionNegotiate(
    options.compressions,
    input.coding,
    headerOf(request, 'accept-encoding'),
    'accept-encoding',
  )
  let status = 200
  let contentType: string = input.form.contentType
  let body: Uint8Array
  let failure: ConnectError | undefined
  try {
    if (codings.error !== undefined) throw codings.error
    if (timeout.error !== undefined) throw timeout.error
    const { maxBodyBytes } = options
    const work = async () => {
      const bytes = await input.bytes(maxBodyBytes)
      const plain = codings.request === null ? bytes : await codings.request.decompress(bytes, maxBodyBytes)
      return invokeUnary(spec, options.interceptors, call, input.form.read(plain))
    }
    if (timeout.timeoutMs !== undefined) call.startDeadline(timeout.timeoutMs)
    const message = await (timeout.timeoutMs === undefined ? work() : call.unlessAborted(work()))
    body = input.form.write(message)
  } catch (cause) {
    failure = connectErrorFrom(cause)
    status = codeToHttpStatus(failure.code)
    contentType = 'application/json'
    body = errorToJsonBytes(failure, jsonWriteOptions)
  }
  const answerHeaders: OutgoingHttpHeaders = {}
  addCallHeaders(answerHeaders, call)
  addHeaders(answerHeaders, failure?.metadata)
  answerHeaders['content-type'] = contentType
  if (codings.response !== null && body.byteLength >= COMPRESS_MIN_BYTES) {
    body = await codings.response.compress(body)
    answerHeaders['content-encoding'] = codings.response.name
  }
  endResponse(request, call.response, status, answerHeaders, body)
}

/** The error to answer for whatever was thrown: that of the stock handlers; faults of fields get their reason. */
export function connectErrorFrom(cause: unknown): ConnectError {
  if (!(cause instanceof ConnectError)) {
    return new ConnectError('internal error', Code.Internal, undefined, undefined, cause)
  }
  if (cause.details.length > 0) addReason(cause)
  return cause
}
