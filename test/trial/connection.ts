import { Agent, request as requestHttp1 } from 'node:http'
import { connect } from 'node:http2'
import type { Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { HttpVersion, Request } from './protocols.js'

/** How a request ended. */
export interface Exchange {
  /** The status of HTTP, or 0 if no complete answer came in time. */
  readonly status: number
  /** The status of gRPC and gRPC-Web, if there is one. */
  readonly grpcStatus: number | undefined
  readonly millis: number
}

/** One connection to the service. */
export interface Connection {
  /** Sends a POST, or a GET if there is no body, and resolves when its stream is closed on both sides. */
  send(request: Omit<Request, 'body'> & { readonly body?: Uint8Array }): Promise<Exchange>
  close(): void
}

/** When a caller gives up. */
const PATIENCE_MILLIS = 15_000
/** `cancelled`, `unknown`, `deadline_exceeded`, `internal`, `unavailable` and `data_loss` do not blame the caller. */
const NOT_REFUSED = [0, 1, 2, 4, 13, 14, 15]

/** Whether the answer says that the caller is at fault: 4xx, or an equivalent status of gRPC. */
export function isRefused({ status, grpcStatus }: Exchange): boolean {
  if (status === 200) return grpcStatus !== undefined && !NOT_REFUSED.includes(grpcStatus)
  return status >= 400 && status < 500
}

/** Opens a connection that is kept for all its requests; over HTTP/1.1 they take turns. */
export function openConnection(port: number, version: HttpVersion): Connection {
  return version === 'HTTP/2' ? openHttp2(port) : openHttp1(port)
}

function openHttp1(port: number): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const sockets = new Set<Socket>()
  const send: Connection['send'] = ({ path, headers, body }) =>
    new Promise((resolve) => {
      let start = performance.now()
      const end = (status: number, grpcStatus?: number) =>
        resolve({ status, grpcStatus, millis: performance.now() - start })
      const length = { 'content-length': String(body?.length ?? 0) }
      const options = { port, host: '127.0.0.1', path, agent, method: body === undefined ? 'GET' : 'POST' }
      const sent = requestHttp1({ ...options, headers: { ...headers, ...length } })
      sent.on('socket', (socket) => {
        start = performance.now()
        sockets.add(socket)
        sent.setTimeout(PATIENCE_MILLIS, () => sent.destroy())
      })
      sent.on('error', () => end(0))
      sent.on('response', (response) => {
        buffer(response).then(
          (bytes) => {
            const { statusCode = 0, headers: given, trailers } = response
            const status = given['grpc-status'] ?? trailers['grpc-status']
            // A second connection shows that the first one could not be used for another call.
            end(sockets.size > 1 ? 0 : statusCode, grpcStatusIn(status, String(bytes)))
          },
          () => end(0),
        )
      })
      sent.end(body)
    })
  return { send, close: () => agent.destroy() }
}

function openHttp2(port: number): Connection {
  const session = connect(`http://127.0.0.1:${port}`)
  session.on('error', () => session.destroy())
  const send: Connection['send'] = ({ path, headers, body }) =>
    new Promise((resolve) => {
      const start = performance.now()
      if (session.closed || session.destroyed) {
        resolve({ status: 0, grpcStatus: undefined, millis: 0 })
        return
      }
      const method = body === undefined ? 'GET' : 'POST'
      const stream = session.request({ ...headers, ':path': path, ':method': method }, { endStream: method === 'GET' })
      let [status, text, isEnded] = [0, '', false]
      let grpcStatus: unknown
      const cut = setTimeout(() => stream.destroy(), PATIENCE_MILLIS)
      stream.setEncoding('latin1')
      stream.on('response', (answer) => {
        status = answer[':status'] ?? 0
        grpcStatus ??= answer['grpc-status']
      })
      stream.on('trailers', (trailers) => {
        grpcStatus ??= trailers['grpc-status']
      })
      stream.on('data', (chunk: string) => {
        text += chunk
      })
      stream.on('end', () => {
        isEnded = true
      })
      // A reset that comes with an answer is one way to refuse the rest of a body (RFC 9113, section 8.1).
      stream.on('error', () => undefined)
      stream.on('close', () => {
        clearTimeout(cut)
        const millis = performance.now() - start
        resolve({ status: isEnded ? status : 0, grpcStatus: grpcStatusIn(grpcStatus, text), millis })
      })
      if (body !== undefined) stream.end(body)
    })
  return { send, close: () => session.destroy() }
}

/** gRPC-Web has the status in its last envelope. */
function grpcStatusIn(header: unknown, text: string): number | undefined {
  const status = header ?? /grpc-status: ?(\d+)/i.exec(text)?.[1]
  return status === undefined ? undefined : Number(status)
}
