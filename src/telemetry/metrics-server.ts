import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

export type MetricsServer = Awaited<ReturnType<typeof serveMetrics>>

const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'
const REQUEST_MILLIS = 10_000

/**
 * Serves `GET /metrics`, which is the text in Prometheus' format, and nothing else. Port 0 is any free one. The log
 * receives the reason if the metrics could not be read. Throws if the port is not available.
 */
export async function serveMetrics({
  port,
  host,
  text,
  log,
}: {
  readonly port: number
  readonly host: string
  readonly text: () => Promise<string>
  readonly log: { warn(fields: { err: unknown }, message: string): void }
}) {
  const server = createServer(
    { requestTimeout: REQUEST_MILLIS, headersTimeout: REQUEST_MILLIS },
    (request, response) => {
      answer(request, response, text).catch((err: unknown) => {
        log.warn({ err }, 'the metrics could not be read')
        send(response, 500, 'the metrics are unavailable\n')
      })
    },
  )
  await once(server.listen(port, host), 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the metrics have no TCP address')
  return {
    address,
    close: async () => {
      server.close().closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, text: () => Promise<string>): Promise<void> {
  request.resume()
  const [path] = (request.url ?? '').split('?', 1)
  if (path !== '/metrics') return send(response, 404, 'the metrics are at /metrics\n')
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD')
    return send(response, 405, 'only GET and HEAD are allowed here\n')
  }
  send(response, 200, await text())
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': CONTENT_TYPE, 'content-length': Buffer.byteLength(body) }).end(body)
}
