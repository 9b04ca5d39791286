import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders, request as requestHttp1 } from 'node:http'
import { connect, createServer as createServerHttp2 } from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { NodeHandler } from '../../src/rest/index.js'

/** A request as a test writes it; `target` goes out as it stands. */
export interface TestRequest {
  readonly method?: string
  readonly target: string
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | Uint8Array
}

/** A whole response. */
export interface TestResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly trailers: NodeJS.Dict<string | string[]>
  readonly bytes: Buffer
  readonly text: string
}

/** A running server of one version of HTTP. */
export interface TestServer extends AsyncDisposable {
  readonly port: number
  send(request: TestRequest): Promise<TestResponse>
}

/** The protocols that every request table runs over. */
export const PROTOCOLS = ['HTTP/1.1', 'HTTP/2'] as const

/** Starts a server on a free port of the loopback. */
export async function startServer(
  handler: NodeHandler,
  protocol: (typeof PROTOCOLS)[number] = 'HTTP/1.1',
): Promise<TestServer> {
  return protocol === 'HTTP/1.1' ? startHttp1(handler) : startHttp2(handler)
}

async function startHttp1(handler: NodeHandler): Promise<TestServer> {
  const server = createServer(handler).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  async function dispose(): Promise<void> {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { port, send: (request) => sendHttp1(port, request), [Symbol.asyncDispose]: dispose }
}

/** Sends a request over HTTP/1.1 to a port of the loopback. */
export async function sendHttp1(port: number, request: TestRequest): Promise<TestResponse> {
  const { method = 'GET', target, headers = {}, body } = request
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  const sent = requestHttp1({ port, host: '127.0.0.1', method, path: target, headers: { ...length, ...headers } })
  sent.end(body)
  const [response] = await once(sent, 'response')
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  return wholeResponse(response.statusCode, response.headers, response.trailers, chunks)
}

async function startHttp2(handler: NodeHandler): Promise<TestServer> {
  const server = createServerHttp2(handler).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const session = connect(`http://127.0.0.1:${port}`)
  async function send({ method = 'GET', target, headers = {}, body }: TestRequest): Promise<TestResponse> {
    const stream = session.request(
      { ...headers, ':method': method, ':path': target },
      { endStream: body === undefined },
    )
    if (body !== undefined) stream.end(body)
    let trailers: NodeJS.Dict<string | string[]> = {}
    stream.on('trailers', (given) => {
      trailers = given
    })
    const [head] = await once(stream, 'response')
    const chunks: Buffer[] = []
    for await (const chunk of stream) chunks.push(chunk)
    return wholeResponse(head[':status'], head, trailers, chunks)
  }
  async function dispose(): Promise<void> {
    session.close()
    await once(session, 'close')
    server.close()
    await once(server, 'close')
  }
  return { port, send, [Symbol.asyncDispose]: dispose }
}

function wholeResponse(
  status: number,
  headers: IncomingHttpHeaders,
  trailers: NodeJS.Dict<string | string[]>,
  chunks: Buffer[],
): TestResponse {
  const bytes = Buffer.concat(chunks)
  return { status, headers, trailers, bytes, text: bytes.toString('utf8') }
}
