import type { ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'

/**
 * GOAWAY with the highest stream id there can be: "no more streams soon, those that are on their way are still taken"
 * (RFC 9113 section 6.8). Node has no call for it: after its own `goaway` it leaves new streams unanswered, whatever id
 * it was given.
 */
const SHUTDOWN_NOTICE = Buffer.from([0, 0, 8, 7, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0])

/**
 * Tells the client of a session to begin its next streams elsewhere, and refuses none that it begins before it knows.
 * The client ends the session when its streams are over. `socket` is the one that the session was made on. Not for TLS:
 * Node takes the end of this write for that of one of the session's, and aborts.
 */
export function sendShutdownNotice(session: ServerHttp2Session, socket: Socket): void {
  // The session writes whole frames to the same queue, so this one goes between two of them.
  if (!session.closed && !session.destroyed) socket.write(SHUTDOWN_NOTICE)
}
