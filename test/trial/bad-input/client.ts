import { once } from 'node:events'
import { Agent, request as requestHttp1 } from 'node:http'
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2'
import { buffer } from 'node:stream/consumers'
import type { BadAnswer, BadRequest } from './protocol.js'

/** Sends requests, over few connections. */
export interface Client {
  /** Throws if no complete answer comes in time. */
  send(request: BadRequest): Promise<BadAnswer>
  close(): void
}

/** When a request counts as unanswered. */
const PATIENCE_MILLIS = 15_000

/** Opens a client of the service on a port of this machine. */
export function openClient(port: number): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  let session: ClientHttp2Session | undefined
  const openSession = (): ClientHttp2Session => {
    if (session === undefined || session.closed || session.destroyed) {
      session = connect(`http://127.0.0.1:${port}`)
      session.on('error', () => undefined)
    }
    return session
  }
  return {
    send: (request) =>
      within(request.version === 'HTTP/1.1' ? sendHttp1(port, agent, request) : sendHttp2(openSession(), request)),
    close: () => {
      agent.destroy()
      session?.destroy()
    },
  }
}

async function within<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no complete answer in time')), PATIENCE_MILLIS)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}

async function sendHttp1(port: number, agent: Agent, { method, path, headers, body }: BadRequest): Promise<BadAnswer> {
  // Node sends the bodies of some methods without their length.
  const length = body === undefined ? {} : { 'content-length': String(body.length) }
  const sent = requestHttp1({ port, host: '127.0.0.1', agent, method, path, headers: { ...headers, ...length } })
  // After its answer, a connection may end as it likes.
  sent.on('error', () => undefined)
  sent.end(body)
  const [response] = await once(sent, 'response')
  const bytes = await buffer(response)
  return { status: response.statusCode, headers: response.headers, trailers: response.trailers, body: bytes }
}

async function sendHttp2(session: ClientHttp2Session, { method, path, headers, body }: BadRequest): Promise<BadAnswer> {
  const sent = session.request({ ...headers, ':method': method, ':path': path }, { endStream: body === undefined })
  sent.on('error', () => undefined)
  let trailers: IncomingHttpHeaders = {}
  sent.on('trailers', (given: IncomingHttpHeaders) => {
    trailers = given
  })
  if (body !== undefined) sent.end(body)
  const [headers2]: IncomingHttpHeaders[] = await once(sent, 'response')
  const bytes = await buffer(sent)
  return { status: Number(headers2?.[':status']), headers: headers2 ?? {}, trailers, body: bytes }
}
