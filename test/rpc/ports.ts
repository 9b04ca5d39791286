import { once } from 'node:events'
import { createServer as createHttp1, type Server } from 'node:http'
import { createServer as createHttp2, type Http2Server, type ServerHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { NodeRequest, NodeResponse } from '../../src/call/node-http.js'

/** A server of both HTTP versions in front of one handler. */
export interface Ports {
  readonly http1: number
  readonly http2: number
  close(): void
}

/** Serves a handler on two free ports of the loopback. */
export async function servePorts(handler: (request: NodeRequest, response: NodeResponse) => unknown): Promise<Ports> {
  const handle = (request: NodeRequest, response: NodeResponse) => void handler(request, response)
  const sessions = new Set<ServerHttp2Session>()
  const [http1, http2] = [createHttp1(handle), createHttp2(handle)]
  http2.on('session', (session) => {
    sessions.add(session.once('close', () => sessions.delete(session)))
  })
  const listening = async (server: Server | Http2Server) => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return (server.address() as AddressInfo).port
  }
  return {
    http1: await listening(http1),
    http2: await listening(http2),
    close: () => {
      for (const session of sessions) session.destroy()
      http1.closeAllConnections()
      http1.close()
      http2.close()
    },
  }
}
