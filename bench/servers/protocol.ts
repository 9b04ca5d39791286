import { createServer, type RequestListener } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { ConnectRouter, Interceptor } from '@connectrpc/connect'
import { createContextValues } from '@connectrpc/connect'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { PriorityService } from '../../gen/svc/v2/priority_pb.js'
import type { NodeRequest, NodeResponse } from '../../src/call/node-http.js'
import { createRestTranscoder } from '../../src/rest/index.js'
import { createRpcHandler } from '../../src/rpc/rpc-handler.js'
import { serve, settings } from './serve.js'

// One method with an implementation that costs nothing, so that only the costs of the protocol remain.
const { variant, http2 } = settings<{ variant: 'bare' | 'direct' | 'stock' | 'rest'; http2: boolean }>()

const priority = {
  id: 'priority-1',
  teamId: 'bench-it',
  priority: 'P1',
  description: 'How urgent it is',
  scopedId: 'pri_1',
  name: 'Priority 1',
  isAiSelectable: true,
}
const routes = (router: ConnectRouter) => {
  router.service(PriorityService, { updatePriority: ({ id }) => ({ data: { ...priority, id } }) })
}
const interceptors: Interceptor[] = [(next) => (request) => next(request)]
const shared = { routes, interceptors, shutdownSignal: new AbortController().signal, maxTimeoutMs: 60_000 }
const jsonOptions = { alwaysEmitImplicit: true }
const fail = (error: unknown) => {
  throw error
}

type Handler = (request: NodeRequest, response: NodeResponse) => void

const bare: RequestListener = (request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const { id } = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    const body = JSON.stringify({ data: { ...priority, id } })
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    response.end(body)
  })
}

function handlerOf(): Handler {
  switch (variant) {
    case 'bare':
      return bare as Handler
    case 'stock':
      return connectNodeAdapter({ ...shared, jsonOptions }) as Handler
    case 'rest':
      return createRestTranscoder({ ...shared, jsonOptions, admit: async () => createContextValues() })
    case 'direct': {
      const rpc = createRpcHandler({
        ...shared,
        admit: async () => createContextValues(),
        maxBodyBytes: () => 4 * 1024 * 1024,
        maxTimeoutMs: () => 60_000,
        onError: fail,
      })
      return (request, response) => void rpc(request, response)
    }
  }
}

const handler = handlerOf()
const server = http2 ? createHttp2Server(handler) : createServer(handler)
server.listen(0, '127.0.0.1', () => {
  serve((server.address() as AddressInfo).port, async () => {
    server.close()
    if ('closeAllConnections' in server) server.closeAllConnections()
  })
})
