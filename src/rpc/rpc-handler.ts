import type { Writable } from 'node:stream'
import type { DescMethod } from '@bufbuild/protobuf'
import {
  Code,
  ConnectError,
  type ConnectRouter,
  type ContextValues,
  createConnectRouter,
  type Interceptor,
} from '@connectrpc/connect'
import { createMethodUrl, type UniversalHandler } from '@connectrpc/connect/protocol'
import {
  compressionBrotli,
  compressionGzip,
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from '@connectrpc/connect-node'
import { recordRoutes } from '../rest/recording-router.js'
import { createShutdown } from '../rest/shutdown.js'
import { createConnectUnary } from './connect-unary.js'
import type { DirectCall, DirectPath } from './direct-call.js'
import { createGrpcUnary } from './grpc-unary.js'
import type { HttpRequest, HttpResponse } from './http-message.js'
import { answerOtherMethod } from './other-method.js'
import { type Refusal, refusalFrom, unknownGrpcMethod } from './refusal.js'

/** What the RPC protocols need. */
export interface RpcHandlerOptions {
  readonly routes: (router: ConnectRouter) => void
  readonly interceptors: Interceptor[]
  /** Decides from the header alone whether a call goes on; rejects with a `ConnectError`. */
  readonly admit: (method: DescMethod, request: HttpRequest) => Promise<ContextValues>
  readonly maxBodyBytes: number
  readonly maxTimeoutMs: number
  /** Aborts what runs when the server stops. */
  readonly shutdownSignal: AbortSignal
  /** Told about failures that no caller can be told about. */
  readonly onError: (error: unknown, request: HttpRequest) => void
  /** Whether unary calls go past the stock handlers where they can; default true. False: the reference of the tests. */
  readonly direct?: boolean
}

/** Answers a request whose path is that of a method, over Connect, gRPC or gRPC-Web. False: the path is not. */
export type RpcHandler = (request: HttpRequest, response: HttpResponse) => boolean

const compressions = [compressionGzip, compressionBrotli]

/** Serves every method of the routes under `/package.Service/Method`. */
export function createRpcHandler(options: RpcHandlerOptions): RpcHandler {
  const router = createConnectRouter({
    interceptors: options.interceptors,
    acceptCompression: compressions,
    readMaxBytes: options.maxBodyBytes,
    maxTimeoutMs: options.maxTimeoutMs,
    shutdownSignal: options.shutdownSignal,
    jsonOptions: { alwaysEmitImplicit: true, ignoreUnknownFields: false },
  })
  options.routes(router)
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]))
  const directPaths = options.direct === false ? new Map<string, DirectPath>() : createDirectPaths(options)
  return (request, response) => {
    const path = pathOf(request)
    const handler = handlers.get(path)
    if (handler === undefined) {
      const refusal = unknownGrpcMethod(path, request.headers['content-type'])
      if (refusal !== undefined) send(response, refusal)
      return refusal !== undefined
    }
    const allowed = methodsOf(handler)
    if (request.method === 'OPTIONS' || !allowed.includes(request.method ?? '')) {
      answerOtherMethod(request, response, allowed)
      return true
    }
    const direct = directPaths.get(path)?.(request, response)
    call({ handler, direct }, request, response, options).catch((error: unknown) => options.onError(error, request))
    return true
  }
}

/** The paths past the stock handlers, for unary methods. */
function createDirectPaths(options: RpcHandlerOptions): Map<string, DirectPath> {
  const paths = new Map<string, DirectPath>()
  const directOptions = { ...options, compressions, shutdown: createShutdown(options.shutdownSignal) }
  for (const { spec } of recordRoutes(options.routes)) {
    if (spec.kind !== 'unary') continue
    const [connect, grpc] = [createConnectUnary(spec, directOptions), createGrpcUnary(spec, directOptions)]
    paths.set(createMethodUrl('/', spec.method), (request, response) => {
      return connect(request, response) ?? grpc(request, response)
    })
  }
  return paths
}

async function call(
  { handler, direct }: { handler: UniversalHandler; direct: DirectCall | undefined },
  request: HttpRequest,
  response: HttpResponse,
  { admit, onError }: RpcHandlerOptions,
): Promise<void> {
  let contextValues: ContextValues
  try {
    contextValues = await admit(handler.method, request)
  } catch (error) {
    send(response, refusalFrom(ConnectError.from(error), request.headers['content-type']))
    return
  }
  try {
    if (direct !== undefined) return await direct(contextValues)
    const answer = await handler(universalRequestFromNodeRequest(request, response, undefined, contextValues))
    await universalResponseToNodeResponse(answer, response)
  } catch (error) {
    // The client went away: nobody is left to be told.
    if (ConnectError.from(error).code !== Code.Aborted) onError(error, request)
  }
}

/** HEAD answers like GET. */
function methodsOf({ allowedMethods }: UniversalHandler): string[] {
  return [...allowedMethods, ...(allowedMethods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort()
}

function pathOf(request: HttpRequest): string {
  const target = request.url ?? ''
  const query = target.indexOf('?')
  return query < 0 ? target : target.slice(0, query)
}

function send(response: HttpResponse, { status, headers, body }: Refusal): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  response.statusCode = status
  const stream: Writable = response
  stream.end(body)
}
