import { once } from 'node:events'
import { connect, constants } from 'node:http2'
import { connect as connectSocket } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { create } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { encodeEnvelope } from '@connectrpc/connect/protocol'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { eventually } from '../support/eventually.js'
import { pauseTimers } from '../support/paused-timers.js'
import { openConnection, type Version, versions } from './connection.js'
import { type EchoServer, startEchoServer } from './echo-server.js'
import { everything, type Kind, kinds, pathOf } from './echo-service.js'
import { bytesOf, headersOf, isEnveloped, readAnswer, requestOf, rpcProtocols, type WireForm } from './wire-form.js'

const MAX_TIMEOUT_MS = 60_000
/** How long the rest of a refused body may take. */
const DRAIN_MILLIS = 5_000
let server: EchoServer
/** A call may last 200 ms, and one of bidirectional streams as long as it wants. */
let hasty: EchoServer
beforeAll(async () => {
  server = await startEchoServer({ maxTimeoutMs: () => MAX_TIMEOUT_MS })
  hasty = await startEchoServer({ maxTimeoutMs: ({ name }) => (name === 'Bidi' ? undefined : 200) })
})
afterAll(() => {
  server.close()
  hasty.close()
})

const message = bytesOf(everything, create(everything, { id: 'a' } as Record<string, unknown>), 'proto')

async function call(
  on: EchoServer,
  { kind, version, protocol }: { kind: Kind; version: Version; protocol: WireForm['protocol'] },
  headers: Record<string, string>,
) {
  const wire: WireForm = { protocol, form: 'proto', coding: 'identity', unary: kind === 'Unary' }
  const connection = openConnection(on, version)
  const request = requestOf(wire, pathOf(kind), [message])
  const answer = await connection.send({ ...request, headers: { ...request.headers, ...headers } })
  connection.close()
  return { ...readAnswer(wire, everything, answer), timeout: answer.headers['x-timeout'] }
}

const transports = kinds.flatMap((kind) =>
  versions
    .filter((version) => kind !== 'Bidi' || version === 'HTTP/2')
    .flatMap((version) => rpcProtocols.map((protocol) => ({ kind, version, protocol }))),
)

describe.each(transports)('the deadline of $kind over $protocol on $version', (transport) => {
  const header = transport.protocol === 'connect' ? 'connect-timeout-ms' : 'grpc-timeout'
  const values = (connect: readonly string[], grpc: readonly string[]) =>
    transport.protocol === 'connect' ? connect : grpc

  it('is the maximum if none or a longer one is requested', async () => {
    for (const value of [undefined, ...values(['60001', '9999999999'], ['61S', '99999999H'])]) {
      const sentAt = performance.now()
      const { code, timeout } = await call(server, transport, value === undefined ? {} : { [header]: value })
      expect(code).toBe(0)
      expect(Number(timeout)).toBeLessThanOrEqual(60_000)
      expect(Number(timeout)).toBeGreaterThan(60_000 - (performance.now() - sentAt) - 1)
    }
  })

  it('is passed on in whole milliseconds', async () => {
    for (const value of values(['50000'], ['50S', '50000m', '50000000u', '49999999u'])) {
      const { code, timeout } = await call(server, transport, { [header]: value })
      expect([code, timeout]).toEqual([0, expect.stringMatching(/^\d{1,5}$/)])
    }
  })

  it('is refused with invalid_argument if it is malformed', async () => {
    for (const value of values(['soon', '-1', '12345678901', '1.5'], ['5', 'S', '123456789S', '5s'])) {
      expect((await call(server, transport, { [header]: value })).code).toBe(Code.InvalidArgument)
    }
  })

  it('covers admission', async () => {
    const [value = ''] = values(['30'], ['30m'])
    const { code } = await call(server, transport, { [header]: value, 'x-admission-delay': '60000' })
    expect(code).toBe(Code.DeadlineExceeded)
  })
})

it.each(transports)(
  'admission sees the deadline pass, and nothing starts: $kind over $protocol on $version',
  async (transport) => {
    let begun = 0
    const late = await startEchoServer({
      admit: ({ signal, values }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(values))),
      beforeDecode: async () => void begun++,
    })
    const value = transport.protocol === 'connect' ? { 'connect-timeout-ms': '30' } : { 'grpc-timeout': '30m' }
    expect((await call(late, transport, value)).code).toBe(Code.DeadlineExceeded)
    expect(begun).toBe(0)
    late.close()
  },
)

it('a call without a maximum has no deadline unless the caller sets one', async () => {
  const watch = { kind: 'Bidi', version: 'HTTP/2', protocol: 'grpc' } as const
  expect(await call(hasty, watch, { 'x-delay': '300' })).toMatchObject({ code: 0, timeout: 'undefined' })
  expect((await call(hasty, watch, { 'x-delay': '60000', 'grpc-timeout': '30m' })).code).toBe(Code.DeadlineExceeded)
})

/**
 * Sends all of a call but its last byte over HTTP/2, and gives its answer when the server has let go of the stream;
 * `onAnswer` is called when the answer has arrived.
 */
async function sendSlowly(kind: Kind, protocol: WireForm['protocol'], onAnswer: () => void) {
  const wire: WireForm = { protocol, form: 'proto', coding: 'identity', unary: kind === 'Unary' }
  const session = connect(`http://127.0.0.1:${hasty.http2}`)
  const stream = session.request({ ...headersOf(wire), ':method': 'POST', ':path': pathOf(kind) })
  let trailers = {}
  stream.on('trailers', (given) => {
    trailers = given
  })
  stream.write((isEnveloped(wire) ? encodeEnvelope(0, message) : message).subarray(0, -1))
  const closed = new Promise((resolve) => stream.once('close', resolve))
  const [headers] = await once(stream, 'response')
  const body = await buffer(stream)
  onAnswer()
  await closed
  session.close()
  const { code } = readAnswer(wire, everything, { status: headers[':status'], headers, trailers, body })
  return { kind, protocol, code, reset: stream.rstCode }
}

it('a call whose last byte never arrives is answered at its deadline, and its stream is closed', async () => {
  const drains = pauseTimers(DRAIN_MILLIS)
  const slow = transports.filter(({ kind, version }) => kind !== 'Bidi' && version === 'HTTP/2')
  let answered = 0
  const answers = Promise.all(slow.map(({ kind, protocol }) => sendSlowly(kind, protocol, () => answered++)))
  await eventually(() => expect([answered, drains.waiting]).toEqual([slow.length, slow.length]))
  drains.runOut()
  drains.release()
  expect(await answers).toEqual(
    slow.map(({ kind, protocol }) => ({
      kind,
      protocol,
      code: Code.DeadlineExceeded,
      reset: constants.NGHTTP2_NO_ERROR,
    })),
  )
})

/** Sends the head of a call over HTTP/1.1, and writes to its connection until the server closes it; gives what came. */
async function sendEndlessly(port: number, head: string, chunk: Buffer, onAnswer = () => {}) {
  const socket = connectSocket(port, '127.0.0.1')
  const chunks: Buffer[] = []
  let sent = 0
  const more = () => {
    for (let hasRoom = true; hasRoom && socket.writable && sent < 64; sent++) hasRoom = socket.write(chunk)
  }
  socket.on('data', (bytes: Buffer) => chunks.push(bytes)).on('error', () => undefined)
  socket.once('data', onAnswer)
  socket.on('drain', more).write(`POST ${pathOf('Unary')} HTTP/1.1\r\nhost: a\r\n${head}\r\n`)
  more()
  await new Promise((resolve) => socket.once('close', resolve))
  return { sent, answer: Buffer.concat(chunks).toString() }
}

it('an HTTP/1.1 connection is closed if the rest of a refused body never arrives', async () => {
  const drains = pauseTimers(DRAIN_MILLIS)
  const head = 'content-type: application/json\r\ncontent-length: 99\r\n'
  let answered = 0
  const sent = sendEndlessly(hasty.http1, head, Buffer.from('{'), () => answered++)
  await eventually(() => expect([answered, drains.waiting]).toEqual([1, 1]))
  drains.runOut()
  drains.release()
  const { answer } = await sent
  expect(answer).toMatch(/^HTTP\/1\.1 504 .*"deadline_exceeded"/s)
})

it('a refused body that does not end is abandoned over HTTP/1.1', async () => {
  const head = 'content-type: application/json\r\nx-refuse: yes\r\ncontent-length: 99999999\r\n'
  expect((await sendEndlessly(server.http1, head, Buffer.alloc(1024 * 1024))).sent).toBeLessThan(64)
})

it('a refused body that does not end is abandoned over HTTP/2', async () => {
  const session = connect(`http://127.0.0.1:${server.http2}`)
  const headers = { 'content-type': 'application/json', 'x-refuse': 'yes' }
  const stream = session.request({ ...headers, ':method': 'POST', ':path': pathOf('Unary') })
  let sent = 0
  const endless = new Readable({
    read() {
      sent++
      this.push(Buffer.alloc(1024 * 1024))
    },
  })
  endless.pipe(stream)
  await new Promise((resolve) => stream.once('close', resolve).resume())
  expect([stream.rstCode, sent < 64]).toEqual([constants.NGHTTP2_NO_ERROR, true])
  session.close()
})
