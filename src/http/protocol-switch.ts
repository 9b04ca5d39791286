import type { Socket } from 'node:net'

const preface = Buffer.from('PRI')

/**
 * Looks at the first bytes of a connection: three of them distinguish the preface of HTTP/2 (RFC 9113 section 3.4) from
 * a request line of HTTP/1.1. Hands the connection on with its bytes unread. A connection that sends nothing for
 * `timeoutMillis` is closed.
 */
export function createProtocolSwitch(
  http1: (socket: Socket) => void,
  http2: (socket: Socket) => void,
  timeoutMillis: number,
): (socket: Socket) => void {
  return (socket) => {
    const timer = setTimeout(() => socket.destroy(), timeoutMillis)
    const onGone = () => socket.destroy()
    const onClose = () => clearTimeout(timer)
    let seen: Buffer = Buffer.alloc(0)
    const onReadable = () => {
      for (let chunk: unknown = socket.read(); chunk !== null; chunk = socket.read()) {
        if (chunk instanceof Buffer) seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk])
      }
      const start = seen.subarray(0, preface.length)
      const isPreface = preface.subarray(0, start.length).equals(start)
      if (isPreface && start.length < preface.length) return
      clearTimeout(timer)
      socket.off('readable', onReadable).off('error', onGone).off('end', onGone).off('close', onClose)
      socket.unshift(seen)
      if (isPreface) http2(socket)
      else http1(socket)
    }
    socket.on('readable', onReadable).on('error', onGone).on('end', onGone).on('close', onClose)
  }
}
