import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import { create, toBinary } from '@bufbuild/protobuf'
import { encodeEnvelope } from '@connectrpc/connect/protocol'
import { GetJourneyRequestSchema } from '../../gen/svc/v2/journey_pb.js'
import { journeyId } from '../../harness/records.js'

/** How a connection ended: announced by an answer or a frame, between two calls, or by a fault. */
export type End = 'announced' | 'idle' | { readonly fault: string }

/** A connection that has received one answer. */
export interface BusyConnection {
  readonly protocol: string
  /** From here on one call follows the other until the connection ends. */
  begin(): void
  readonly ended: Promise<End>
}

const request = { id: journeyId(0) }
const procedure = '/svc.v2.JourneyService/GetJourney'
const path = `/v2/journeys/${request.id}`
const message = encodeEnvelope(0, toBinary(GetJourneyRequestSchema, create(GetJourneyRequestSchema, request)))

/** Opens this many connections to each protocol of the service: REST and RPC, over HTTP/1.1 and HTTP/2. */
export async function openConnections(port: number, token: string, count: number): Promise<BusyConnection[]> {
  const authorization = `Bearer ${token}`
  const rest = [`GET ${path} HTTP/1.1`, `authorization: ${authorization}`]
  const connect = [`POST ${procedure} HTTP/1.1`, `authorization: ${authorization}`, 'content-type: application/json']
  const grpc = { ':method': 'POST', ':path': procedure, 'content-type': 'application/grpc', te: 'trailers' }
  const opened: BusyConnection[] = []
  for (let round = 0; round < count; round++) {
    opened.push(
      ...(await Promise.all([
        openHttp1('REST, HTTP/1.1', port, rest, ''),
        openHttp1('Connect, HTTP/1.1', port, connect, JSON.stringify(request)),
        openHttp2('REST, HTTP/2', port, { ':path': path, authorization }),
        openHttp2('gRPC, HTTP/2', port, { ...grpc, authorization }, message),
      ])),
    )
  }
  return opened
}

async function openHttp1(
  protocol: string,
  port: number,
  head: readonly string[],
  body: string,
): Promise<BusyConnection> {
  const socket = connectTcp(port, '127.0.0.1').setNoDelay(true).setEncoding('latin1')
  const bytes = [...head, 'host: svc', `content-length: ${body.length}`, '', body].join('\r\n')
  let [isBusy, isWaiting, isAnnounced, text] = [false, false, false, '']
  const ask = () => {
    isWaiting = true
    socket.write(bytes)
  }
  socket.on('data', (chunk: string) => {
    text += chunk
    const start = text.indexOf('\r\n\r\n') + 4
    const length = Number(/^content-length: (\d+)/im.exec(text)?.[1])
    if (start < 4 || text.length < start + length) return
    isAnnounced = /^connection: close/im.test(text.slice(0, start))
    text = ''
    isWaiting = false
    socket.emit('answered')
    if (isBusy && !isAnnounced) ask()
  })
  const ended = new Promise<End>((resolve) => {
    socket.on('error', ({ message }) => resolve({ fault: message }))
    socket.on('close', () => resolve(isAnnounced ? 'announced' : isWaiting ? { fault: 'no answer' } : 'idle'))
  })
  ask()
  await once(socket, 'answered')
  const begin = () => {
    isBusy = true
    ask()
  }
  return { protocol, begin, ended }
}

async function openHttp2(
  protocol: string,
  port: number,
  headers: Readonly<Record<string, string>>,
  body?: Uint8Array,
): Promise<BusyConnection> {
  const session = connectHttp2(`http://127.0.0.1:${port}`)
  let [isBusy, isAnnounced, fault] = [false, false, '']
  session.on('goaway', (code) => {
    isAnnounced = code === 0
  })
  const ask = () => {
    const stream = session.request(headers, { endStream: body === undefined })
    let status: number | undefined
    stream.on('response', (answer) => {
      status = answer[':status']
    })
    stream.on('error', ({ message }) => {
      fault = message
    })
    stream.on('close', () => {
      if (status === undefined || stream.rstCode !== 0) fault ||= `status ${status}, reset ${stream.rstCode}`
      session.emit('answered')
      if (isBusy && fault === '' && !session.closed && !session.destroyed) ask()
    })
    stream.resume()
    if (body !== undefined) stream.end(body)
  }
  const ended = new Promise<End>((resolve) => {
    session.on('error', ({ message }) => resolve({ fault: message }))
    session.on('close', () => resolve(isAnnounced && fault === '' ? 'announced' : { fault: fault || 'no GOAWAY' }))
  })
  ask()
  await once(session, 'answered')
  const begin = () => {
    isBusy = true
    ask()
  }
  return { protocol, begin, ended }
}
