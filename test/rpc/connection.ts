import { once } from 'node:events'
import { Agent, request as http1Request } from 'node:http'
import { connect, type IncomingHttpHeaders } from 'node:http2'
import type { Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Ports } from './ports.js'
import type { RawAnswer, RawRequest } from './raw-call.js'

/** The HTTP versions of the port. */
export const versions = ['HTTP/1.1', 'HTTP/2'] as const
/** One of them. */
export type Version = (typeof versions)[number]

/** One connection, on which calls go out one after the other or, over HTTP/2, at once. */
export interface Connection {
  /** Rejects where the connection does not last: a client would have had to open another one. */
  send(request: RawRequest): Promise<RawAnswer>
  /** The streams of HTTP/2 that the server has not let go of; 0 over HTTP/1.1. */
  openStreams(): number
  close(): void
}

/** Opens a connection. */
export function openConnection(ports: Ports, version: Version): Connection {
  return version === 'HTTP/1.1' ? openHttp1(ports.http1) : openHttp2(ports.http2)
}

function openHttp1(port: number): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let used: Socket | undefined
  return {
    send: async ({ method = 'POST', path, headers, body }) => {
      const request = http1Request({ port, host: '127.0.0.1', method, path, headers, agent })
      request.on('socket', (socket) => {
        used ??= socket
        if (socket !== used) request.destroy(new Error('the connection was not kept'))
      })
      request.end(body)
      const [response] = await once(request, 'response')
      const bytes = await buffer(response)
      return { status: response.statusCode, headers: response.headers, trailers: response.trailers, body: bytes }
    },
    openStreams: () => 0,
    close: () => agent.destroy(),
  }
}

function openHttp2(port: number): Connection {
  const session = connect(`http://127.0.0.1:${port}`)
  let open = 0
  return {
    send: async ({ method = 'POST', path, headers, body }) => {
      const head = { ...headers, ':method': method, ':path': path }
      const stream = session.request(head, { endStream: body === undefined })
      open++
      const closed = once(stream, 'close').then(() => open--)
      let trailers: IncomingHttpHeaders = {}
      stream.on('trailers', (given: IncomingHttpHeaders) => {
        trailers = given
      })
      if (body !== undefined) stream.end(body)
      const [answered]: IncomingHttpHeaders[] = await once(stream, 'response')
      const bytes = await buffer(stream)
      await closed
      return { status: Number(answered?.[':status']), headers: answered ?? {}, trailers, body: bytes }
    },
    openStreams: () => open,
    close: () => session.destroy(),
  }
}
