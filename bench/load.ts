import { connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { createSerials, withSerial } from './serial.js'

// The load, in a separate process: keep-alive connections with one request at a time on each.

/** What a round sends. */
export interface Job {
  readonly port: number
  /** Whole requests of HTTP/1.1 as text, used in turns, with places for serials; or requests over HTTP/2. */
  readonly requests: readonly string[] | readonly Http2Request[]
  readonly connections: number
  readonly millis: number
}

/** One request over HTTP/2. */
export interface Http2Request {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** In base64. */
  readonly body: string
}

/** The result of a round. */
export interface LoadResult {
  readonly requests: number
  /** From the first request to the last answer. */
  readonly millis: number
  readonly p50Millis: number
  readonly p99Millis: number
}

type Send = (index: number) => Promise<void>

const nextSerial = createSerials()

process.on('message', (job: Job) => {
  run(job).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})

async function run({ port, requests, connections, millis }: Job): Promise<LoadResult> {
  const clients = await Promise.all(Array.from({ length: connections }, () => openClient(port, requests)))
  const latencies: number[] = []
  let next = 0
  const start = performance.now()
  await Promise.all(
    clients.map(async ({ send }) => {
      while (performance.now() - start < millis) {
        const sent = performance.now()
        await send(next++ % requests.length)
        latencies.push(performance.now() - sent)
      }
    }),
  )
  const elapsed = performance.now() - start
  for (const { close } of clients) close()
  latencies.sort((a, b) => a - b)
  const quantile = (q: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * q))] ?? Number.NaN
  return { requests: latencies.length, millis: elapsed, p50Millis: quantile(0.5), p99Millis: quantile(0.99) }
}

function openClient(port: number, requests: Job['requests']): Promise<{ send: Send; close: () => void }> {
  const texts = requests.filter((each) => typeof each === 'string')
  return texts.length > 0
    ? openHttp1(port, texts)
    : openHttp2(
        port,
        requests.filter((each) => typeof each !== 'string'),
      )
}

async function openHttp1(port: number, texts: readonly string[]): Promise<{ send: Send; close: () => void }> {
  const requests = texts.map((text) => {
    const bytes = Buffer.from(text)
    return withSerial(text, '00000000') === text ? () => bytes : () => withSerial(text, nextSerial())
  })
  const socket = await open(port)
  let left = 0
  let head: Buffer = Buffer.alloc(0)
  let done: () => void = () => undefined
  let fail: (error: Error) => void = () => undefined
  socket.on('data', (chunk: Buffer) => {
    if (left > 0) left -= chunk.length
    else {
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk])
      const end = head.indexOf('\r\n\r\n')
      if (end < 0) return
      const text = head.toString('latin1', 0, end)
      if (!/^HTTP\/1\.1 20[01] /.test(text))
        fail(new Error(`unexpected answer: ${head.toString('utf8').slice(0, 500)}`))
      left = end + 4 + Number(/content-length: (\d+)/i.exec(text)?.[1]) - head.length
      head = Buffer.alloc(0)
    }
    if (left === 0) done()
  })
  const send: Send = (index) =>
    new Promise((resolve, reject) => {
      done = resolve
      fail = reject
      socket.write(requests[index]?.() ?? '')
    })
  return { send, close: () => socket.destroy() }
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket)).setNoDelay(true)
    socket.once('error', reject)
  })
}

async function openHttp2(port: number, requests: readonly Http2Request[]): Promise<{ send: Send; close: () => void }> {
  const session = connectHttp2(`http://127.0.0.1:${port}`)
  const bodies = requests.map(({ body }) => Buffer.from(body, 'base64'))
  const send: Send = (index) =>
    new Promise((resolve, reject) => {
      const stream = session.request({ ':method': 'POST', ':path': requests[index]?.path, ...requests[index]?.headers })
      let status: unknown
      stream.on('response', (headers) => {
        status = headers['grpc-status'] ?? status
      })
      stream.on('trailers', (trailers) => {
        status = trailers['grpc-status'] ?? status
      })
      stream.on('error', reject)
      stream.on('end', () =>
        status === '0' ? resolve() : reject(new Error(`unexpected gRPC status ${String(status)}`)),
      )
      stream.resume()
      stream.end(bodies[index])
    })
  return { send, close: () => session.destroy() }
}
