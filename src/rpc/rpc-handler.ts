import type { DescMethod, Message } from '@bufbuild/protobuf'
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import type { ConnectRouter, MethodImplSpec } from '@connectrpc/connect'
import { createMethodUrl } from '@connectrpc/connect/protocol'
import { type BodyTurns, createBodyTurns, isEmptyBody } from '../call/body-reader.js'
import { Call, createShutdown, type Shutdown } from '../call/call.js'
import { readTimeout } from '../call/deadline.js'
import { unsupportedMediaType } from '../call/http-failure.js'
import { cutResponse, mayHaveBody, type NodeRequest, type NodeResponse, pathOf } from '../call/node-http.js'
import { recordRoutes } from '../call/recording-router.js'
import { endResponse } from '../call/respond.js'
import { type CallHooks, type Exchange, report, serveCall } from '../call/serve-call.js'
import { invalidArgument } from '../protojson/invalid.js'
import { connectErrorAnswer, connectUnaryExchange, encodingInvalid, inputOf } from './connect-unary.js'
import { createEnvelopedCall, streamExchange, unaryExchange } from './enveloped-call.js'
import { connectStream, envelopedProtocolOf, grpc, grpcWeb, grpcWebText } from './enveloped-protocol.js'
import { connectJson, createMessageCodec, type RpcMethod } from './message-codec.js'
import { createNearestMethod, refuseType, refuseUnknownMethod } from './refusal.js'

export interface RpcHandlerOptions extends CallHooks {
  readonly routes: (router: ConnectRouter) => void
  /** The limit of a message in bytes, before and after decompression. */
  readonly maxBodyBytes: (method: DescMethod) => number
  /**
   * The longest deadline in milliseconds, to which longer ones are shortened, and the default one; undefined for a
   * method whose calls last as long as their clients want.
   */
  readonly maxTimeoutMs: (method: DescMethod) => number | undefined
}

/** How long the request of a call without a deadline may take. */
const REQUEST_MILLIS = 60_000

/**
 * Serves every method of the routes under `/package.Service/Method`, with the same implementations, interceptors,
 * answers and errors as the stock handlers, but without their universal layer. False: the path is none of them.
 */
export function createRpcHandler(options: RpcHandlerOptions) {
  const shutdown = createShutdown(options.shutdownSignal)
  const bodyTurns = createBodyTurns()
  const methods = new Map(
    recordRoutes(options.routes).map(({ spec }) => [
      createMethodUrl('/', spec.method),
      methodOf(spec, options, bodyTurns),
    ]),
  )
  const nearestMethod = createNearestMethod(methods.keys())
  return (request: NodeRequest, response: NodeResponse): boolean => {
    const path = pathOf(request)
    const method = methods.get(path)
    if (method !== undefined) {
      serve(method, options, shutdown, request, response)
      return true
    }
    const refused = refuseUnknownMethod(path, nearestMethod, request, response)
    refused?.catch((cause: unknown) => {
      report(cause, { method: undefined, request }, options)
      cutResponse(response)
    })
    return refused !== undefined
  }
}

function methodOf(spec: MethodImplSpec, options: RpcHandlerOptions, bodyTurns: BodyTurns): RpcMethod {
  const { method } = spec
  const takesGet = spec.kind === 'unary' && method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS
  return {
    spec,
    interceptors: options.interceptors ?? [],
    codec: createMessageCodec(method),
    bodyTurns,
    maxBodyBytes: options.maxBodyBytes(method),
    maxTimeoutMs: options.maxTimeoutMs(method),
    allowed: takesGet ? ['GET', 'HEAD', 'OPTIONS', 'POST'] : ['OPTIONS', 'POST'],
  }
}

function serve(
  method: RpcMethod,
  hooks: CallHooks,
  shutdown: Shutdown,
  request: NodeRequest,
  response: NodeResponse,
): void {
  const { spec, codec, allowed, maxTimeoutMs } = method
  const verb = request.method ?? ''
  if (verb === 'OPTIONS' || !allowed.includes(verb)) {
    endResponse(request, response, verb === 'OPTIONS' ? 204 : 405, { allow: allowed.join(', ') }, '')
    return
  }
  if (spec.kind === 'bidi_streaming' && !('stream' in response)) {
    // The connection is closed, in case its client waits for more on it.
    const headers = { 'content-type': 'text/plain', connection: 'close' }
    endResponse(request, response, 505, headers, 'a bidirectional stream needs HTTP/2\n')
    return
  }
  const enveloped = verb === 'POST' ? envelopedProtocolOf(request.headers['content-type'] ?? '') : undefined
  if (enveloped !== undefined && (spec.kind !== 'unary' || enveloped.protocol !== connectStream)) {
    const { protocol, binary } = enveloped
    const call = new Call({ method: spec.method, request, response, shutdown, protocolName: protocol.name })
    const timeout = readTimeout(request, maxTimeoutMs, [protocol.timeoutHeader])
    const isGenerated = protocol === connectStream && 'connect-protocol-version' in request.headers
    const form = binary ? codec.binary : connectJson(codec, isGenerated)
    const parts = createEnvelopedCall(method, protocol, form, call)
    if (spec.kind === 'unary') void serveCall(call, unaryExchange(parts, spec), timeout, hooks, REQUEST_MILLIS)
    else void serveCall(call, streamExchange(parts, spec), timeout, hooks, REQUEST_MILLIS)
    return
  }
  const call = new Call({ method: spec.method, request, response, shutdown, protocolName: 'connect' })
  const input = inputOf(request, codec)
  const exchange =
    spec.kind === 'unary' && input !== undefined
      ? connectUnaryExchange(method, spec, input, call)
      : noExchange(spec, call)
  void serveCall(
    call,
    exchange,
    readTimeout(request, maxTimeoutMs, [connectStream.timeoutHeader]),
    hooks,
    REQUEST_MILLIS,
  )
}

/** Refuses a request in no form that the method accepts, once the caller is admitted. */
function noExchange(spec: MethodImplSpec, { request, response }: Call): Exchange<Message, Message> {
  const types = typesOf(spec)
  return {
    receive: async () => {
      if (request.method !== 'POST') throw encodingInvalid(request)
      if (request.headers['content-type'] === undefined && (await isWithoutBody(request))) {
        throw invalidArgument('', `the request message is missing: send Content-Type: ${types[0]} and a message`)
      }
      throw unsupportedMediaType('the content type is not accepted', {})
    },
    invoke: (message) => message,
    answer: () => undefined,
    fail: (failure) => {
      if (failure.status === 415) return refuseType(request, response, types)
      const { status, headers, body } = connectErrorAnswer(failure)
      endResponse(request, response, status, headers, body)
    },
  }
}

async function isWithoutBody(request: NodeRequest): Promise<boolean> {
  if (!mayHaveBody(request)) return true
  return request.headers['content-length'] === undefined && isEmptyBody(request)
}

function typesOf({ kind }: MethodImplSpec): string[] {
  const ofConnect = kind === 'unary' ? 'application/' : connectStream.typePrefix
  const prefixes = [ofConnect, ...[grpc, grpcWeb, grpcWebText].map(({ typePrefix }) => typePrefix)]
  return prefixes.flatMap((prefix) => [`${prefix}json`, `${prefix}proto`])
}
