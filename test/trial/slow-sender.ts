import { connect as connectHttp2 } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import type { HttpVersion, Request } from './protocols.js'

/** Milliseconds between two bytes. */
const BYTE_MILLIS = 2_000
const BODY_BYTES = 1_000

/** Resolves with the milliseconds until the service has let go of the connection or the stream; infinite if never. */
export type Cut = Promise<number>

/** Sends the text on a connection of its own, and then a byte of `rest` now and then. */
export function sendBytesSlowly(port: number, begin: Uint8Array, rest: Uint8Array, patienceMillis: number): Cut {
  const socket = connectTcp(port, '127.0.0.1').setNoDelay(true)
  let sent = 0
  const drip = () => {
    if (rest.length > 0) socket.write(rest.subarray(sent % rest.length, (sent % rest.length) + 1))
    sent++
  }
  socket.on('connect', () => socket.write(begin))
  socket.on('error', () => undefined).resume()
  return untilClosed(socket, drip, patienceMillis)
}

/** Sends the head of a request, and a byte of its body now and then. Over HTTP/2 one connection has all the streams. */
export function sendBodiesSlowly(
  port: number,
  version: HttpVersion,
  requests: readonly Request[],
  patienceMillis: number,
): readonly Cut[] {
  if (version === 'HTTP/1.1') {
    return requests.map((request) =>
      sendBytesSlowly(port, headOf(request), request.body.subarray(0, BODY_BYTES), patienceMillis),
    )
  }
  const session = connectHttp2(`http://127.0.0.1:${port}`)
  session.on('error', () => session.destroy())
  const cuts = requests.map(({ path, headers, body }) => {
    const stream = session.request({ ...headers, ':method': 'POST', ':path': path })
    let sent = 0
    const drip = () => {
      if (stream.writable) stream.write(body.subarray(sent, ++sent))
    }
    stream.on('error', () => undefined).resume()
    return untilClosed(stream, drip, patienceMillis)
  })
  void Promise.all(cuts).then(() => session.destroy())
  return cuts
}

function headOf({ path, headers, body }: Request): Uint8Array {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const length = `content-length: ${Math.max(body.length, BODY_BYTES)}`
  return Buffer.from([`POST ${path} HTTP/1.1`, 'host: svc', ...fields, length, '', ''].join('\r\n'))
}

interface Closable {
  once(event: 'close', listener: () => void): unknown
  destroy(): unknown
}

function untilClosed(target: Closable, drip: () => void, patienceMillis: number): Cut {
  const start = performance.now()
  const timer = setInterval(drip, BYTE_MILLIS)
  let isGivenUp = false
  const giveUp = setTimeout(() => {
    isGivenUp = true
    target.destroy()
  }, patienceMillis)
  return new Promise((resolve) => {
    target.once('close', () => {
      clearInterval(timer)
      clearTimeout(giveUp)
      resolve(isGivenUp ? Number.POSITIVE_INFINITY : performance.now() - start)
    })
  })
}
