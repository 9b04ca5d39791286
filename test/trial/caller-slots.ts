import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2'
import { createAsker, openSocket } from './asker.js'

/** A whole request of HTTP/1.1 as text, in which `{serial}` becomes the number of the call. */
export interface TextRequest {
  readonly text: string
  /** The status of a good answer. */
  readonly status: number
}

/** A unary call of gRPC. */
export interface GrpcRequest {
  readonly path: string
  readonly token: string
  /** The enveloped message in base64. */
  readonly body: string
}

/** A request over one of two protocols. */
export type AnyRequest = TextRequest | GrpcRequest

/** How a call ended. */
export interface Ending {
  readonly outcome: 'good' | 'refused' | 'failed'
  /** Of HTTP, or of gRPC; 0 or nothing if the connection ended instead. */
  readonly status: string
  /** When a refused caller may come back. */
  readonly retryAfterSeconds: number
}

/** Sends what a slot was taken for. */
type Send = (serial: number) => Promise<Ending>

/** Places for calls at a time. */
export interface Slots {
  /** A place for this request, free again when it is answered; undefined if none is free. */
  take(request: AnyRequest): Send | undefined
  close(): void
}

const OPENED_AT_ONCE = 100
const SESSIONS = 4
/** A connection that has been idle for longer is opened again, before the service ends it (IDLE_SECONDS, 75). */
const IDLE_MILLIS = 60_000
/** The gRPC codes of a service that is too busy: RESOURCE_EXHAUSTED, UNAVAILABLE. */
const BUSY = new Set(['8', '14'])

/** Opens this many connections of HTTP/1.1, and a few of HTTP/2, which have room for as many calls of gRPC. */
export async function openSlots(port: number, count: number): Promise<Slots> {
  const places: Place[] = []
  while (places.length < count) {
    const more = Math.min(OPENED_AT_ONCE, count - places.length)
    places.push(...(await Promise.all(Array.from({ length: more }, () => openPlace(port)))))
  }
  const free = [...places]
  const sessions = Array.from({ length: SESSIONS }, () => {
    const session = connectHttp2(`http://127.0.0.1:${port}`)
    return session.on('error', () => session.destroy())
  })
  const room = { calls: count }
  const takePlace = (request: TextRequest): Send | undefined => {
    const place = free.pop()
    if (place === undefined) return undefined
    return async (serial) => {
      try {
        return await place.send(request, serial)
      } finally {
        free.push(place)
      }
    }
  }
  const takeRoom = (request: GrpcRequest): Send | undefined => {
    if (room.calls === 0) return undefined
    room.calls--
    return async (serial) => {
      try {
        return await callGrpc(sessions[serial % SESSIONS], request)
      } finally {
        room.calls++
      }
    }
  }
  return {
    take: (request) => ('text' in request ? takePlace(request) : takeRoom(request)),
    close: () => {
      for (const place of places) place.close()
      for (const session of sessions) session.destroy()
    },
  }
}

/** An HTTP/1.1 connection that is reopened when it has ended. */
interface Place {
  send(request: TextRequest, serial: number): Promise<Ending>
  close(): void
}

async function openPlace(port: number): Promise<Place> {
  let socket = await openSocket(port)
  let ask = createAsker(socket)
  let usedAt = performance.now()
  return {
    send: async (request, serial) => {
      if (socket.destroyed || performance.now() - usedAt > IDLE_MILLIS) {
        socket.destroy()
        socket = await openSocket(port)
        ask = createAsker(socket)
      }
      const { status, retryAfterSeconds } = await ask(request.text.replace('{serial}', String(serial)))
      usedAt = performance.now()
      const outcome = status === request.status ? 'good' : status === 503 ? 'refused' : 'failed'
      return { outcome, status: String(status), retryAfterSeconds }
    },
    close: () => socket.destroy(),
  }
}

function callGrpc(session: ClientHttp2Session | undefined, { path, token, body }: GrpcRequest): Promise<Ending> {
  return new Promise((resolve) => {
    if (session === undefined || session.destroyed) {
      return resolve({ outcome: 'failed', status: '', retryAfterSeconds: 1 })
    }
    const headers = { 'content-type': 'application/grpc', te: 'trailers', authorization: `Bearer ${token}` }
    const stream = session.request({ ...headers, ':method': 'POST', ':path': path })
    let status: unknown
    let retryAfterSeconds = 1
    stream.on('response', (answer) => {
      status = answer['grpc-status'] ?? status
      retryAfterSeconds = Number(answer['retry-after'] ?? 1)
    })
    stream.on('trailers', (trailers) => {
      status = trailers['grpc-status'] ?? status
    })
    stream.on('error', () => {})
    stream.on('close', () => {
      const isWhole = stream.rstCode === constants.NGHTTP2_NO_ERROR
      const outcome = isWhole && status === '0' ? 'good' : BUSY.has(String(status)) ? 'refused' : 'failed'
      resolve({ outcome, status: `gRPC ${String(status)}`, retryAfterSeconds })
    })
    stream.resume()
    stream.end(Buffer.from(body, 'base64'))
  })
}
