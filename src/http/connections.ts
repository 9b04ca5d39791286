import type { Http2Session, ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import type { NodeRequest, NodeResponse } from '../call/node-http.js'
import { Roster } from '../call/roster.js'
import type { Answering } from './unread-answers.js'

interface Connection {
  readonly session?: ServerHttp2Session
  /** How many bytes had arrived when it was last checked. */
  bytesRead: number
}

const NOT_LOOKED_AT = -1

/** Creates the register of the connections of one server, which end without cutting a call. */
export function createConnections() {
  const connections = new Map<Socket, Connection>()
  const socketOf = new WeakMap<Http2Session, Socket>()
  const answering = new Roster<Answering>()
  /** Of the connections that have ended. */
  let bytesReceived = 0
  let bytesSent = 0
  let isEnding = false

  const announce = (response: NodeResponse): void => {
    // After a response that has begun, the client may have sent its next call before it knows.
    if (!('stream' in response)) response.shouldKeepAlive = false
    // Not at once: Node would refuse what has arrived with this call.
    else if (!response.headersSent) setImmediate(() => response.stream.session?.close())
  }
  const busySockets = () => new Set(Array.from(answering, ({ socket }) => socket))

  const add = (socket: Socket): void => {
    connections.set(socket, { bytesRead: NOT_LOOKED_AT })
    socket.once('close', () => {
      // What was replaced is counted by its successor.
      if (!connections.delete(socket)) return
      bytesReceived += socket.bytesRead
      bytesSent += socket.bytesWritten
    })
  }

  return {
    add,
    /** Registers that a connection goes on over another socket, because of TLS. */
    replace: (plain: Socket, secured: Socket) => {
      connections.delete(plain)
      add(secured)
    },
    addSession: (session: ServerHttp2Session, socket: Socket) => {
      connections.set(socket, { session, bytesRead: NOT_LOOKED_AT })
      socketOf.set(session, socket)
    },
    /** Registers that a call is being answered. */
    addCall: (request: NodeRequest, response: NodeResponse) => {
      const session = 'stream' in request ? request.stream.session : undefined
      const socket = session === undefined ? request.socket : socketOf.get(session)
      const answer = { response, socket }
      const place = answering.join(answer)
      response.once('close', () => answering.leave(place))
      if (isEnding) announce(response)
    },
    /** The calls that are being answered, until the last byte of the response is sent. */
    answering,
    /** Whether something of a response is on its way over a socket. */
    hasBegunAnswer: (socket: Socket) =>
      [...answering].some((each) => each.socket === socket && each.response.headersSent),
    hasCall: (session: ServerHttp2Session) => busySockets().has(socketOf.get(session)),
    /**
     * Lets every connection end with its next response: HTTP/1.1 says `Connection: close` in it, HTTP/2 sends GOAWAY
     * before it. A client that waits for a response has no other call in flight. One with several repeats those that it
     * had begun before it knew: GOAWAY says that they were not taken (RFC 9113, section 8.7).
     */
    announceEnd: () => {
      isEnding = true
      for (const { response } of answering) announce(response)
      for (const [socket, connection] of connections) connection.bytesRead = socket.bytesRead
    },
    /**
     * Ends the connections on which nothing is being answered and nothing has arrived since they were last checked, by
     * `announceEnd` or by this function itself.
     */
    endQuiet: () => {
      const busy = busySockets()
      for (const [socket, connection] of connections) {
        const isQuiet = !busy.has(socket) && socket.bytesRead === connection.bytesRead
        connection.bytesRead = busy.has(socket) ? NOT_LOOKED_AT : socket.bytesRead
        if (!isQuiet) continue
        // Pending writes still reach their reader.
        if (connection.session === undefined) socket.destroySoon()
        else if (!connection.session.closed) connection.session.close()
      }
    },
    cutAll: () => {
      for (const socket of connections.keys()) socket.destroy()
    },
    /** How many connections there are, and what has gone over all of them since the start. */
    traffic: () => {
      const sockets = [...connections.keys()]
      const http2 = [...connections.values()].filter(({ session }) => session !== undefined).length
      return {
        http1: sockets.length - http2,
        http2,
        bytesReceived: sockets.reduce((sum, { bytesRead }) => sum + bytesRead, bytesReceived),
        bytesSent: sockets.reduce((sum, { bytesWritten }) => sum + bytesWritten, bytesSent),
      }
    },
  }
}
