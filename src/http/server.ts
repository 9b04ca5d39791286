import { createServer as createHttp1Server } from 'node:http'
import { createServer as createHttp2Server, type ServerHttp2Session } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import type { HttpRequest, HttpResponse } from '../rpc/http-message.js'
import { createProtocolSwitch } from './protocol-switch.js'

/** Answers a request. */
export type HttpHandler = (request: HttpRequest, response: HttpResponse) => void

/** A server for HTTP/1.1 and cleartext HTTP/2 on one port. */
export interface HttpServer {
  /** Begins to listen and answers the address; port 0 takes a free one. */
  listen(port: number, host: string): Promise<AddressInfo>
  /**
   * Takes no more connections and waits for the calls that run. What still runs after the grace period is told to stop
   * through `onGraceOver`, and cut a second later. Does nothing where it does not listen.
   */
  close(graceMillis: number, onGraceOver: () => void): Promise<void>
}

/** How long a client may take for its first bytes and for the header of a request. */
const HEADER_TIMEOUT_MILLIS = 10_000
/** How long a client may take for a whole request. */
const REQUEST_TIMEOUT_MILLIS = 60_000
/** How late the two may be kept: Node looks at its connections this often. */
const CHECK_MILLIS = 2_000
/** Longer than load balancers keep their side, so that they close first. */
const KEEP_ALIVE_TIMEOUT_MILLIS = 75_000
/** Between the last warning to calls that run and the end of their connections. */
const CUT_MILLIS = 1_000
const SWEEP_MILLIS = 50
const MAX_HEADER_BYTES = 32 * 1024

/** Creates the server; it does not listen yet. */
export function createHttpServer(handler: HttpHandler): HttpServer {
  const sockets = new Set<Socket>()
  const sessions = new Set<ServerHttp2Session>()
  const http1 = createHttp1Server(
    {
      headersTimeout: HEADER_TIMEOUT_MILLIS,
      requestTimeout: REQUEST_TIMEOUT_MILLIS,
      connectionsCheckingInterval: CHECK_MILLIS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MILLIS,
      maxHeaderSize: MAX_HEADER_BYTES,
      noDelay: true,
    },
    handler,
  )
  const http2 = createHttp2Server(
    { settings: { maxConcurrentStreams: 256, maxHeaderListSize: MAX_HEADER_BYTES } },
    handler,
  )
  http2.on('session', (session) => {
    sessions.add(session)
    session.setTimeout(KEEP_ALIVE_TIMEOUT_MILLIS, () => session.close())
    session.on('error', () => session.destroy())
    session.once('close', () => sessions.delete(session))
  })
  const takeHttp1 = http1.listeners('connection')
  http1.removeAllListeners('connection')
  const route = createProtocolSwitch(
    { emit: (_, socket) => takeHttp1.map((listener) => listener.call(http1, socket)).length > 0 },
    http2,
    HEADER_TIMEOUT_MILLIS,
  )
  http1.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    route(socket)
  })
  return {
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        http1.once('error', reject)
        http1.listen({ port, host, backlog: 1024 }, () => {
          http1.off('error', reject)
          const address = http1.address()
          if (address === null || typeof address === 'string') reject(new Error('the server has no TCP address'))
          else resolve(address)
        })
      }),
    close: (graceMillis, onGraceOver) =>
      new Promise((resolve, reject) => {
        if (!http1.listening) return resolve()
        const warn = setTimeout(onGraceOver, graceMillis)
        const cut = setTimeout(() => {
          for (const socket of sockets) socket.destroy()
        }, graceMillis + CUT_MILLIS)
        // Connections become idle one by one, as their calls end.
        const sweep = setInterval(() => http1.closeIdleConnections(), SWEEP_MILLIS)
        http1.close((error) => {
          for (const timer of [warn, cut, sweep]) clearTimeout(timer)
          if (error) reject(error)
          else resolve()
        })
        http1.closeIdleConnections()
        for (const session of sessions) session.close()
      }),
  }
}
