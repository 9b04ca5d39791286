import { type ConnectRouter, createConnectRouter, type Interceptor } from '@connectrpc/connect'
import {
  compressionBrotli,
  compressionGzip,
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from '@connectrpc/connect-node'
import type { NodeRequest, NodeResponse } from '../../src/call/node-http.js'

/** What both handlers of a comparison are made of. */
export interface StockOptions {
  readonly routes: (router: ConnectRouter) => void
  readonly interceptors: Interceptor[]
  readonly maxBodyBytes: number
  readonly maxTimeoutMs: number
}

/** The handlers of Connect themselves, which ours are compared with. */
export function createStockHandler(options: StockOptions): (request: NodeRequest, response: NodeResponse) => void {
  const router = createConnectRouter({
    interceptors: options.interceptors,
    acceptCompression: [compressionGzip, compressionBrotli],
    readMaxBytes: options.maxBodyBytes,
    maxTimeoutMs: options.maxTimeoutMs,
    jsonOptions: { alwaysEmitImplicit: true, ignoreUnknownFields: false },
  })
  options.routes(router)
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]))
  return (request, response) => {
    const handler = handlers.get((request.url ?? '').split('?', 1)[0] ?? '')
    if (handler === undefined) {
      response.statusCode = 404
      response.end()
      return
    }
    handler(universalRequestFromNodeRequest(request, response, undefined, undefined))
      .then((answer) => universalResponseToNodeResponse(answer, response))
      .catch(() => response.destroy())
  }
}
