import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** What is to be done of a connection. */
interface Pipeline {
  isBusy: boolean
  /** Begins to answer each request that waits for its turn. */
  readonly waiting: (() => void)[]
}

/**
 * Hands on the requests of one HTTP/1.1 connection one after the other (RFC 9112 section 9.3.2), each in a turn of the
 * event loop of its own: a client can send hundreds of them in one packet, which Node reads in one turn. A connection on
 * which more than `most` are unanswered is cut, since Node would go on to read them. Its client has to repeat what was not
 * answered (section 9.3.2).
 */
export function limitPipeline(handler: RequestListener, most: number): RequestListener {
  const pipelines = new WeakMap<Socket, Pipeline>()
  return (request: IncomingMessage, response: ServerResponse & { req: IncomingMessage }) => {
    const { socket } = request
    const pipeline = pipelines.get(socket) ?? { isBusy: false, waiting: [] }
    pipelines.set(socket, pipeline)
    const { isBusy, waiting } = pipeline
    const answer = () => {
      pipeline.isBusy = true
      response.once('close', () => {
        if (waiting.length > 0) setImmediate(() => answerNext(pipeline, socket))
        else pipeline.isBusy = false
      })
      handler(request, response)
    }
    if (!isBusy) answer()
    else if (waiting.length < most - 1) waiting.push(answer)
    else socket.destroy()
  }
}

/** Where the client has gone, the others are not answered. */
function answerNext({ waiting }: Pipeline, socket: Socket): void {
  const next = waiting.shift()
  if (!socket.destroyed) next?.()
}
