import { once } from 'node:events'
import { createServer, type ServerHttp2Session } from 'node:http2'
import type { Message } from '@bufbuild/protobuf'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { routesOf } from '../fixture.js'
import { service } from '../row-service.js'
import type { ReachedCall } from './outcome.js'

/** The service of the rows, which answers each message with itself, and remembers its last call. */
export function createEcho() {
  let last: ReachedCall | undefined
  return {
    routes: routesOf(service, (message, _context, method) => {
      last = { method, message: message as unknown as Message }
      return message
    }),
    /** The call since the last time that this was asked. */
    takeCall(): ReachedCall | undefined {
      const call = last
      last = undefined
      return call
    },
  }
}

/** Serves it over gRPC without TLS, to be called by a transcoder. */
export async function serveEcho(port: number) {
  const echo = createEcho()
  const server = createServer(connectNodeAdapter({ routes: echo.routes })).listen(port, '127.0.0.1')
  const sessions = new Set<ServerHttp2Session>()
  server.on('session', (session) => sessions.add(session))
  await once(server, 'listening')
  function close(): void {
    server.close()
    for (const session of sessions) session.destroy()
  }
  return { takeCall: echo.takeCall, close }
}
