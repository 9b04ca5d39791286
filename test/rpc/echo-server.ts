import { setTimeout as wait } from 'node:timers/promises'
import { Code, ConnectError, createContextValues } from '@connectrpc/connect'
import { createRpcHandler, type RpcHandlerOptions } from '../../src/rpc/rpc-handler.js'
import { echoRoutes } from './echo-service.js'
import { type Ports, servePorts } from './ports.js'

/** The limit of the echo service's messages. */
export const maxBodyBytes = 100_000

/** The echo service on its ports, with what was reported as unknown failures. */
export interface EchoServer extends Ports {
  readonly reported: unknown[]
}

/**
 * Serves the echo service. The headers of a request say how it is admitted: `x-refuse` is not, `x-admission-delay` waits
 * so many milliseconds, deaf to the end of the call.
 */
export async function startEchoServer(options: Partial<RpcHandlerOptions> = {}): Promise<EchoServer> {
  const reported: unknown[] = []
  const handler = createRpcHandler({
    routes: echoRoutes,
    interceptors: [],
    admit: async ({ request: { headers } }) => {
      if ('x-admission-delay' in headers) await wait(Number(headers['x-admission-delay']), undefined, { ref: false })
      if ('x-refuse' in headers) throw new ConnectError('not you', Code.Unauthenticated)
      return createContextValues()
    },
    maxBodyBytes: () => maxBodyBytes,
    maxTimeoutMs: () => 60_000,
    shutdownSignal: new AbortController().signal,
    onError: (error) => reported.push(error),
    ...options,
  })
  return { ...(await servePorts(handler)), reported }
}
