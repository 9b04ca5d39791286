import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import { Code, type ConnectRouter, type MethodImplSpec } from '@connectrpc/connect'
import { createMethodUrl } from '@connectrpc/connect/protocol'
import { isEmptyBody } from '../call/body-reader.js'
import type { ReadTimeout } from '../call/deadline.js'
import type { UnarySpec } from '../call/invoke.js'
import { cutResponse, mayHaveBody } from '../call/node-http.js'
import { recordRoutes } from '../call/recording-router.js'
import { endResponse } from '../call/respond.js'
import { createShutdown } from '../call/shutdown.js'
import { invalidArgument } from '../protojson/invalid.js'
import type { RpcCallOptions } from './call-options.js'
import {
  answerConnectUnary,
  connectErrorAnswer,
  encodingInvalid,
  inputOfGet,
  inputOfPost,
  readConnectTimeout,
} from './connect-unary.js'
import { answerEnveloped } from './enveloped-call.js'
import { connectStream, envelopedProtocolOf, grpc, grpcWeb } from './enveloped-protocol.js'
import type { HttpRequest, HttpResponse } from './http-message.js'
import { createMessageCodec } from './message-codec.js'
import { createNearestMethod } from './nearest-method.js'
import { publicErrorFrom } from './public-error.js'
import { refuseHttp1, refuseType, refuseUnknownMethod, refuseVerb } from './refusal.js'
import { type RpcMethod, type StartedCall, startCall } from './rpc-call.js'

/** What the RPC protocols need. */
export interface RpcHandlerOptions extends Omit<RpcCallOptions, 'shutdown'> {
  readonly routes: (router: ConnectRouter) => void
  /** Aborts running calls when the server stops. */
  readonly shutdownSignal: AbortSignal
}

/** Answers a request for the path of a method, over Connect, gRPC or gRPC-Web. Returns false for any other path. */
export type RpcHandler = (request: HttpRequest, response: HttpResponse) => boolean

/**
 * Serves every method of the routes under `/package.Service/Method`, with the same implementations, interceptors,
 * answers and errors as the stock handlers, but without their universal layer.
 */
export function createRpcHandler(options: RpcHandlerOptions): RpcHandler {
  const callOptions = { ...options, shutdown: createShutdown(options.shutdownSignal) }
  const methods = new Map(
    recordRoutes(options.routes).map(({ spec }) => [createMethodUrl('/', spec.method), methodOf(spec, callOptions)]),
  )
  const nearestMethod = createNearestMethod(methods.keys())
  return (request, response) => {
    const path = pathOf(request)
    const method = methods.get(path)
    const answered =
      method === undefined
        ? refuseUnknownMethod(path, nearestMethod, request, response)
        : answer(method, request, response)
    answered?.catch((error: unknown) => {
      // Only a header that Node refuses gets here: there is no way left to answer.
      options.onError(error, request)
      cutResponse(response)
    })
    return answered !== undefined
  }
}

/** A method with the verbs of its path. */
interface ServedMethod extends RpcMethod {
  readonly allowed: readonly string[]
}

function methodOf(spec: MethodImplSpec, options: RpcCallOptions): ServedMethod {
  const { method } = spec
  const takesGet = spec.kind === 'unary' && method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS
  return {
    spec,
    options,
    codec: createMessageCodec(method),
    maxBodyBytes: options.maxBodyBytes(method),
    maxTimeoutMs: options.maxTimeoutMs(method),
    allowed: takesGet ? ['GET', 'HEAD', 'OPTIONS', 'POST'] : ['OPTIONS', 'POST'],
  }
}

async function answer(method: ServedMethod, request: HttpRequest, response: HttpResponse): Promise<void> {
  const { spec, allowed } = method
  const verb = request.method ?? ''
  if (verb === 'OPTIONS' || !allowed.includes(verb)) return refuseVerb(request, response, allowed)
  if (spec.kind === 'bidi_streaming' && !('stream' in response)) return refuseHttp1(request, response)
  const way = wayOf(method, request)
  const started = startCall(method, request, response, way)
  const { observer } = method.options
  observer?.begun(started.call)
  try {
    await way.answer(started)
  } finally {
    started.call.finish()
    observer?.ended(started.call)
  }
}

/** The protocol of a call, and what answers the call in it. */
interface Way {
  /** The name as handlers see it. */
  readonly name: string
  readonly readTimeout: ReadTimeout
  answer(started: StartedCall): Promise<void>
}

function wayOf(method: ServedMethod, request: HttpRequest): Way {
  const { spec, codec } = method
  const isPost = request.method === 'POST'
  const enveloped = isPost ? envelopedProtocolOf(request.headers['content-type'] ?? '') : undefined
  if (enveloped !== undefined && (spec.kind !== 'unary' || enveloped.protocol !== connectStream)) {
    const { protocol, binary } = enveloped
    const form = binary ? codec.binary : codec.json
    const { name, readTimeout } = protocol
    return { name, readTimeout, answer: (started) => answerEnveloped(method, protocol, form, started) }
  }
  const connect = { name: 'connect', readTimeout: readConnectTimeout }
  const input = isPost ? inputOfPost(request, codec) : inputOfGet(request, codec)
  return isUnary(method) && input !== undefined
    ? { ...connect, answer: (started) => answerConnectUnary(method, input, started) }
    : { ...connect, answer: (started) => refuseTypeOf(method, started) }
}

function isUnary(method: RpcMethod): method is RpcMethod<UnarySpec> {
  return method.spec.kind === 'unary'
}

// The caller is checked before the type of the request.
async function refuseTypeOf({ spec, options }: RpcMethod, { call, admit }: StartedCall): Promise<void> {
  const { request, response } = call
  try {
    await call.unlessAborted(admit())
    if (request.method !== 'POST') throw encodingInvalid(request)
    if (request.headers['content-type'] === undefined && (await call.unlessAborted(isWithoutBody(request)))) {
      throw invalidArgument('', `the request message is missing: send Content-Type: ${typesOf(spec)[0]} and a message`)
    }
    call.errorCode = Code.InvalidArgument
    refuseType(request, response, typesOf(spec))
  } catch (cause) {
    const { status, headers, body } = connectErrorAnswer(publicErrorFrom(cause, call, options))
    endResponse(request, response, status, headers, body)
  }
}

async function isWithoutBody(request: HttpRequest): Promise<boolean> {
  if (!mayHaveBody(request)) return true
  return request.headers['content-length'] === undefined && isEmptyBody(request)
}

function typesOf({ kind }: MethodImplSpec): string[] {
  const prefixes = [kind === 'unary' ? 'application/' : connectStream.typePrefix, grpc.typePrefix, grpcWeb.typePrefix]
  return prefixes.flatMap((prefix) => [`${prefix}json`, `${prefix}proto`])
}

function pathOf(request: HttpRequest): string {
  const target = request.url ?? ''
  const query = target.indexOf('?')
  return query < 0 ? target : target.slice(0, query)
}
