import { constants } from 'node:http2'
import { mayHaveBody, type NodeRequest } from './node-http.js'

/** How much of an unread body is read and discarded, so that its sender gets to see the answer. */
const MAX_DRAINED_BYTES = 16 * 1024 * 1024
/** How long that may take. */
const DRAIN_MILLIS = 5_000

/**
 * Reads and discards the rest of the body of an answered request, so that the connection can be used for its next
 * request (RFC 9112, section 9.3). A body that does not end within these bounds is given up: its HTTP/2 stream is reset
 * without an error (RFC 9113, section 8.1), its HTTP/1.1 connection is closed.
 */
export function drainRequest(request: NodeRequest): void {
  // An answered HTTP/1.1 request does not report the end of its connection.
  const carrier = 'stream' in request ? request.stream : request.socket
  if (request.complete || carrier.destroyed || !mayHaveBody(request)) return
  let left = MAX_DRAINED_BYTES
  const giveUp = (): void => {
    done()
    if ('stream' in request) request.stream.close(constants.NGHTTP2_NO_ERROR)
    else request.socket.destroy()
  }
  const onData = (chunk: Buffer): void => {
    left -= chunk.length
    if (left < 0) giveUp()
  }
  const timer = setTimeout(giveUp, DRAIN_MILLIS)
  const done = (): void => {
    clearTimeout(timer)
    request.off('data', onData).off('end', done)
    carrier.off('close', done)
  }
  // A sender that breaks off is not a failure.
  request.on('error', () => undefined)
  request.on('data', onData).on('end', done).resume()
  carrier.on('close', done)
}
