import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Hands on the requests of one HTTP/1.1 connection one after the other (RFC 9112 section 9.3.2), each in a turn of the
 * event loop of its own: a client can send hundreds of them in one packet, which Node reads in one turn. A connection
 * on which more than `most` are unanswered is cut, since Node would go on to read them. Its client has to repeat what
 * was not answered (section 9.3.2).
 */
export function limitPipeline(handler: RequestListener, most: number): RequestListener {
  /** Of each busy connection: what begins to answer the requests that wait for their turn. */
  const waitingOn = new WeakMap<Socket, (() => void)[]>()
  return (request: IncomingMessage, response: ServerResponse & { req: IncomingMessage }) => {
    const { socket } = request
    const waiting = waitingOn.get(socket)
    const answer = () => {
      response.once('close', () => {
        const next = waitingOn.get(socket)?.shift()
        if (next === undefined) waitingOn.delete(socket)
        // Where the client has gone, the others are not answered.
        else setImmediate(() => socket.destroyed || next())
      })
      handler(request, response)
    }
    if (waiting === undefined) {
      waitingOn.set(socket, [])
      answer()
    } else if (waiting.length < most - 1) waiting.push(answer)
    else socket.destroy()
  }
}
