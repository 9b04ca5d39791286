import type { OutgoingHttpHeaders } from 'node:http'
import type { Message } from '@bufbuild/protobuf'
import { base64Decode } from '@bufbuild/protobuf/wire'
import type { ConnectError } from '@connectrpc/connect'
import { codeToHttpStatus, errorToJsonBytes, parseContentType } from '@connectrpc/connect/protocol-connect'
import { readBytes } from '../call/body-reader.js'
import type { Call } from '../call/call.js'
import { COMPRESS_MIN_BYTES } from '../call/compression.js'
import { bodyTooLarge, type HttpFailure } from '../call/http-failure.js'
import { invokeUnary, type UnarySpec } from '../call/invoke.js'
import { headerOf, type NodeRequest } from '../call/node-http.js'
import { addCallHeaders, addHeaders, endResponse } from '../call/respond.js'
import type { Exchange } from '../call/serve-call.js'
import { addReason } from '../failure/error-reason.js'
import { answerJsonOptions } from '../handlers/raw-json.js'
import { invalidArgument, quoted } from '../protojson/invalid.js'
import { connectJson, type MessageCodec, negotiateCodings, type RpcMethod } from './message-codec.js'

/** Where the message of a unary call of Connect is. */
export type ConnectInput = NonNullable<ReturnType<typeof inputOf>>

/**
 * The input of a request, of a POST by its content type, of a GET by its query: the form of the message, the name of
 * its coding, undefined or empty for none, and the bytes as received, at most `maxBytes`. Undefined if no known form is
 * named.
 */
export function inputOf(request: NodeRequest, codec: MessageCodec) {
  if (request.method === 'POST') {
    const type = parseContentType(request.headers['content-type'] ?? null)
    if (type === undefined || type.stream) return undefined
    return {
      form: type.binary ? codec.binary : connectJson(codec, 'connect-protocol-version' in request.headers),
      coding: headerOf(request, 'content-encoding'),
      bytes: (maxBytes: number) => readBytes(request, maxBytes),
    }
  }
  const query = queryOf(request)
  const encoding = query.get('encoding')
  if (encoding !== 'json' && encoding !== 'proto') return undefined
  const message = query.get('message') ?? ''
  return {
    form: encoding === 'json' ? connectJson(codec, query.has('connect')) : codec.binary,
    coding: query.get('compression') ?? undefined,
    bytes: (maxBytes: number) => {
      const bytes = query.get('base64') === '1' ? bytesFromBase64(message) : Buffer.from(message)
      if (bytes.length > maxBytes) throw bodyTooLarge(maxBytes)
      return bytes
    },
  }
}

/** The error of a GET whose query names no known encoding. */
export function encodingInvalid(request: NodeRequest): ConnectError {
  const encoding = queryOf(request).get('encoding') ?? ''
  const fault = encoding === '' ? 'is required' : `${quoted(encoding)} is not known`
  return invalidArgument('encoding', `${fault}: send encoding=json or encoding=proto, beside connect=v1 and message`)
}

function queryOf({ url = '' }: NodeRequest): URLSearchParams {
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

/** How a unary call is read and answered over Connect, by POST or by GET. */
export function connectUnaryExchange(
  { interceptors, maxBodyBytes, bodyTurns }: RpcMethod,
  spec: UnarySpec,
  { form, coding, bytes }: ConnectInput,
  call: Call,
): Exchange<Message, Message> {
  const { request, response } = call
  const codings = negotiateCodings(request, coding, 'accept-encoding')
  const send = async (status: number, own: OutgoingHttpHeaders, body: string | Uint8Array): Promise<void> => {
    const headers: OutgoingHttpHeaders = {}
    addCallHeaders(headers, call)
    Object.assign(headers, own)
    let sent = body
    if (codings.response !== null && Buffer.byteLength(body) >= COMPRESS_MIN_BYTES) {
      sent = await codings.response.compress(typeof body === 'string' ? Buffer.from(body) : body)
      headers['content-encoding'] = codings.response.name
    }
    endResponse(request, response, status, headers, sent)
  }
  return {
    receive: async () => {
      if (codings.error !== undefined) throw codings.error
      const received = await bytes(maxBodyBytes)
      const plain = codings.request === null ? received : await codings.request.decompress(received, maxBodyBytes)
      await bodyTurns(plain)
      return () => form.read(plain)
    },
    invoke: (message) => invokeUnary(spec, interceptors, call, message),
    answer: (message) => send(200, { 'content-type': `application/${form.name}` }, form.write(message)),
    fail: (failure) => {
      const { status, headers, body } = connectErrorAnswer(failure)
      return send(status, headers, body)
    },
  }
}

/** The response that carries an error over Connect. */
export function connectErrorAnswer({ error }: HttpFailure) {
  addReason(error)
  const headers: OutgoingHttpHeaders = {}
  addHeaders(headers, error.metadata)
  headers['content-type'] = 'application/json'
  return { status: codeToHttpStatus(error.code), headers, body: errorToJsonBytes(error, answerJsonOptions) }
}
