import { once } from 'node:events'
import { request as http1Request, type IncomingHttpHeaders } from 'node:http'
import { type ClientHttp2Session, type IncomingHttpHeaders as Http2Headers, connect as http2Connect } from 'node:http2'
import { buffer } from 'node:stream/consumers'

/** What a client sends, without its address. */
export interface RawRequest {
  readonly method?: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

/** Everything that came back, as it came. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly trailers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

// What the server's HTTP layer adds, and what differs from call to call.
const ofTheConnection = ['connection', 'date', 'keep-alive', ':status', 'x-request-id']

function withoutConnection(headers: IncomingHttpHeaders | Http2Headers): RawAnswer['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ofTheConnection.includes(name)))
}

/** An answer without a body says the same in its header alone, which gRPC calls Trailers-Only, as in trailers after it. */
export function trailersOnly(answer: RawAnswer): RawAnswer {
  return answer.body.length > 0
    ? answer
    : { ...answer, headers: { ...answer.headers, ...answer.trailers }, trailers: {} }
}

/** Sends a request over HTTP/1.1. */
export async function callHttp1(
  port: number,
  { method = 'POST', path, headers, body }: RawRequest,
): Promise<RawAnswer> {
  const request = http1Request({ port, host: '127.0.0.1', method, path, headers, agent: false })
  request.end(body)
  const [response] = await once(request, 'response')
  const bytes = await buffer(response)
  return {
    status: response.statusCode,
    headers: withoutConnection(response.headers),
    trailers: response.trailers,
    body: bytes,
  }
}

/** Sends a request as one stream of an HTTP/2 session. */
export async function callHttp2(
  port: number,
  { method = 'POST', path, headers, body }: RawRequest,
): Promise<RawAnswer> {
  const session: ClientHttp2Session = http2Connect(`http://127.0.0.1:${port}`)
  try {
    const stream = session.request({ ...headers, ':method': method, ':path': path })
    let trailers: Http2Headers = {}
    stream.on('trailers', (given: Http2Headers) => {
      trailers = given
    })
    stream.end(body)
    const [answered]: Http2Headers[] = await once(stream, 'response')
    const bytes = await buffer(stream)
    return {
      status: Number(answered?.[':status']),
      headers: withoutConnection(answered ?? {}),
      trailers: withoutConnection(trailers),
      body: bytes,
    }
  } finally {
    session.close()
  }
}
