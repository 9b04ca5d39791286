import { writeSync } from 'node:fs'
import type { ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'

/**
 * GOAWAY with the highest stream id there can be: "no more streams soon, those that are on their way are still taken"
 * (RFC 9113 section 6.8). Node has no call for it: after its own `goaway` it leaves new streams unanswered, whatever id
 * it was given.
 */
const SHUTDOWN_NOTICE = Buffer.from([0, 0, 8, 7, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0])

/**
 * Asks the client of a session to begin its next streams elsewhere, and refuses none that it begins before it knows.
 * The client ends the session when its streams are over. `socket` is the one that the session was made on. False: the
 * client has not been asked, because the session is over, speaks TLS, or has a client that does not read at the moment.
 */
export function sendShutdownNotice(session: ServerHttp2Session, socket: Socket): boolean {
  if (session.closed || session.destroyed || session.encrypted) return false
  const handle = handleOf(socket)
  if (handle === undefined || handle.fd < 0 || handle.writeQueueSize > 0) return false
  // Past the stream of the socket: Node takes the end of a write that must wait there for that of one of the session's,
  // and aborts. Nothing waits, so this comes between two frames.
  const written = writeAtOnce(handle.fd)
  // Nothing can follow a part of a frame but its rest, for which there is no room.
  if (written > 0 && written < SHUTDOWN_NOTICE.length) socket.destroy()
  return written === SHUTDOWN_NOTICE.length
}

/**
 * What Node keeps of a connection beside the public interface of its socket; undefined if there is nothing. `fd` is the
 * number of the open file, negative where the system has none; `writeQueueSize` is how many bytes wait because the
 * system took no more, which can end in the middle of a frame.
 */
export function handleOf(socket: Socket): { readonly fd: number; readonly writeQueueSize: number } | undefined {
  const handle: unknown = Reflect.get(socket, '_handle')
  const isKnown = typeof handle === 'object' && handle !== null && 'fd' in handle && 'writeQueueSize' in handle
  if (!isKnown || typeof handle.fd !== 'number' || typeof handle.writeQueueSize !== 'number') return undefined
  return { fd: handle.fd, writeQueueSize: handle.writeQueueSize }
}

/**
 * How many bytes of the notice were taken: none if there is no room or the connection is over, which its socket
 * reports.
 */
function writeAtOnce(fd: number): number {
  try {
    return writeSync(fd, SHUTDOWN_NOTICE)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return 0
    throw error
  }
}
