import { createServer as createHttp1Server } from 'node:http'
import { createServer as createHttp2Server, type ServerHttp2Session } from 'node:http2'
import { type AddressInfo, createServer as createNetServer, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import { createServer as createTlsServer } from 'node:tls'
import { isGone, type NodeHandler, type NodeRequest, type NodeResponse } from '../call/node-http.js'
import { createConnections } from './connections.js'
import { limitPipeline } from './pipeline-limit.js'
import { createProtocolSwitch } from './protocol-switch.js'
import type { TlsIdentity } from './tls-identity.js'
import { createUnreadCut } from './unread-answers.js'
import { unreadableAnswer } from './unreadable-request.js'

export interface HttpServerLimits {
  /** How long a connection may be without a request, in milliseconds. */
  readonly idleMillis: number
  /** How long a client may take for its first bytes and for the header of a request. */
  readonly headerMillis: number
  /** How long a client may take for a whole request, at least `headerMillis`. */
  readonly requestMillis: number
  /** How long a response is kept of which its client reads nothing. Default 10 s. */
  readonly unreadMillis?: number
  /** The largest header of a request. */
  readonly maxHeaderBytes: number
  /** How many requests one connection of HTTP/2 may have at a time. */
  readonly maxStreams: number
  /** Further connections are closed at once. Default: as many as the system allows. */
  readonly maxConnections?: number | undefined
  /** The certificate and key for TLS. Default: cleartext. */
  readonly identity?: TlsIdentity | undefined
}

/** How a server stops. Times start with the call of `close`. */
export interface ClosePlan {
  /** How long it keeps accepting connections, so that a balancer can notice; each gets one answer. */
  readonly drainMillis: number
  /** How long running calls may continue. */
  readonly graceMillis: number
  /** Asks calls that still run then to stop; those that have not ended a second later are cut. */
  readonly onGraceOver: () => void
}

/** A server for HTTP/1.1 and HTTP/2 on one port, in cleartext or over TLS. */
export type HttpServer = ReturnType<typeof createHttpServer>

/** How many requests one connection of HTTP/1.1 may have at a time: clients that do not wait have a few. */
const MAX_PIPELINED = 32
/** How much later the times for headers and requests may take effect: Node checks its connections this often. */
const CHECK_MILLIS = 2_000
/** How often is looked for responses that no one reads. */
const UNREAD_LOOK_MILLIS = 1_000
/** Between the last warning to running calls and the end of their connections. */
const CUT_MILLIS = 1_000
/** How long a remaining connection must be quiet before it counts as idle. */
const QUIET_MILLIS = 1_000

/** Creates the server; it does not listen yet. */
export function createHttpServer(handler: NodeHandler, limits: HttpServerLimits) {
  const { idleMillis, headerMillis, requestMillis, unreadMillis = 10_000, maxHeaderBytes } = limits
  const { maxStreams, maxConnections, identity } = limits
  let shown = identity
  const connections = createConnections()
  const cutUnread = createUnreadCut(unreadMillis)
  let unreadLook: NodeJS.Timeout | undefined
  const onRequest = (request: NodeRequest, response: NodeResponse) => {
    connections.addCall(request, response)
    handler(request, response)
  }
  // Begins what its client has not taken back in the same breath: that costs a client nothing (CVE-2023-44487).
  const onHttp2Request = (request: NodeRequest, response: NodeResponse) => {
    connections.addCall(request, response)
    setImmediate(() => {
      if (!isGone(response)) handler(request, response)
    })
  }
  const http1 = createHttp1Server(
    {
      headersTimeout: headerMillis,
      requestTimeout: requestMillis,
      connectionsCheckingInterval: CHECK_MILLIS,
      keepAliveTimeout: idleMillis,
      maxHeaderSize: maxHeaderBytes,
    },
    limitPipeline(onRequest, MAX_PIPELINED),
  )
  const http2 = createHttp2Server(
    { settings: { maxConcurrentStreams: maxStreams, maxHeaderListSize: maxHeaderBytes } },
    onHttp2Request,
  )
  http1.on('clientError', ({ code }: NodeJS.ErrnoException, socket: Socket) => {
    if (socket.writable && !connections.hasBegunAnswer(socket)) socket.write(unreadableAnswer(code, maxHeaderBytes))
    socket.destroySoon()
  })
  const toHttp1 = (socket: Socket) => void http1.emit('connection', socket)
  const toHttp2 = (socket: Socket) => {
    // Servers of HTTP/1.1 accept connections half of which stays open; over HTTP/2 a caller who ends one has gone.
    socket.allowHalfOpen = false
    http2.once('session', (session: ServerHttp2Session) => {
      session.setTimeout(idleMillis, () => {
        session.close()
        // A header whose rest never arrives would keep it open.
        if (!connections.hasCall(session)) session.destroy()
      })
      session.on('error', () => session.destroy())
      connections.addSession(session, socket)
    })
    http2.emit('connection', socket)
  }
  const route = createProtocolSwitch(toHttp1, toHttp2, headerMillis)
  const tls = identity && createTlsServer({ ...TLS, ...materialOf(identity), handshakeTimeout: headerMillis })
  // Node closes none whose handshake fails, or takes too long, and none that ends during it but half.
  tls?.on('tlsClientError', (_error, socket) => socket.destroy())
  /** Connections whose handshake has begun, by the address of the other side, which only one open connection has. */
  const shaking = new Map<string, Socket>()
  tls?.on('secureConnection', (secured) => {
    const plain = shaking.get(peerOf(secured))
    // Without it, the connection has been closed during the last step of the handshake.
    if (plain === undefined) {
      secured.destroy()
      return
    }
    connections.replace(plain, secured)
    secured.allowHalfOpen = true
    // A client that names nothing by ALPN (RFC 7301) speaks HTTP/1.1.
    if (secured.alpnProtocol === 'h2') toHttp2(secured)
    else toHttp1(secured)
  })
  // A listener of our own: both servers are given connections, which neither would look for by itself.
  const listener = createNetServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    connections.add(socket)
    if (tls === undefined) return route(socket)
    socket.allowHalfOpen = false
    const peer = peerOf(socket)
    shaking.set(peer, socket)
    socket.once('close', () => {
      if (shaking.get(peer) === socket) shaking.delete(peer)
    })
    tls.emit('connection', socket)
  })
  if (maxConnections !== undefined) listener.maxConnections = maxConnections
  return {
    traffic: connections.traffic,
    /** Shows another certificate to connections from now on. Throws if the server speaks cleartext. */
    useIdentity: (next: TlsIdentity) => {
      if (tls === undefined) throw new Error('the server speaks cleartext')
      tls.setSecureContext(materialOf(next))
      shown = next
    },
    /** When the certificate that new connections are shown expires; undefined in cleartext. */
    certificateExpiry: () => shown?.expiresAt,
    /** Begins to listen and returns the address; port 0 means any free one. */
    listen: (port: number, host: string) =>
      new Promise<AddressInfo>((resolve, reject) => {
        listener.once('error', reject)
        listener.listen({ port, host, backlog: 1024 }, () => {
          listener.off('error', reject)
          // From here on it checks the times that clients take.
          http1.emit('listening')
          unreadLook = setInterval(() => cutUnread(connections.answering), UNREAD_LOOK_MILLIS)
          const address = listener.address()
          if (address === null || typeof address === 'string') reject(new Error('the server has no TCP address'))
          else resolve(address)
        })
      }),
    /** Ends every connection with a response, and resolves when none is left. Does nothing if it does not listen. */
    close: async ({ drainMillis, graceMillis, onGraceOver }: ClosePlan) => {
      if (!listener.listening) return
      const warn = setTimeout(onGraceOver, graceMillis)
      const cut = setTimeout(connections.cutAll, graceMillis + CUT_MILLIS)
      connections.announceEnd()
      if (drainMillis > 0) {
        await wait(drainMillis)
        // Connections and requests that have arrived in the meantime are accepted first.
        await nextTurn()
      }
      const closed = new Promise((resolve) => listener.close(resolve))
      connections.endQuiet()
      const look = setInterval(() => setImmediate(connections.endQuiet), QUIET_MILLIS)
      await closed
      // Only now: it ends idle connections at once, and no longer checks the times of requests.
      http1.close()
      for (const timer of [warn, cut, look, unreadLook]) clearTimeout(timer)
    },
  }
}

const TLS = { ALPNProtocols: ['h2', 'http/1.1'], noDelay: true }

function materialOf({ cert, key }: TlsIdentity) {
  return { cert, key }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}
