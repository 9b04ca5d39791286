import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { frame } from '../support/http2-frame.js'
import { startTestService, type TestService } from '../support/service.js'

const procedure = '/svc.v2.SlaDefinitionService/ListSlaDefinitions'
const protocols = [
  ['REST', '/v2/users', 'application/json'],
  ['Connect', procedure, 'application/json'],
  ['Connect, binary', procedure, 'application/proto'],
  ['gRPC', procedure, 'application/grpc'],
  ['gRPC-Web', procedure, 'application/grpc-web+proto'],
  ['health', '/healthz', 'text/plain'],
  ['pages', '/docs', 'text/plain'],
] as const

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

describe.each(protocols)('an ambiguous request over %s', (_, path, contentType) => {
  const common = [`content-type: ${contentType}`, 'content-length: 0']
  const isGrpc = contentType.startsWith('application/grpc')

  const http1 = async (fields: readonly string[]) => {
    const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1')
    socket.write([`POST ${path} HTTP/1.1`, ...fields, ...common, '', ''].join('\r\n'))
    return text(socket)
  }
  /** Sent frame by frame: clients refuse to send such requests. */
  const http2 = async (fields: readonly (readonly [string, string])[]) => {
    const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1')
    const pseudo = [
      [':method', 'POST'],
      [':scheme', 'http'],
      [':path', path],
    ] as const
    const block = Buffer.concat([...pseudo, ...fields, ['content-type', contentType] as const].map(literal))
    const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
    socket.write(Buffer.concat([preface, frame(SETTINGS, 0, 0), frame(HEADERS, END_STREAM | END_HEADERS, 1, block)]))
    let received = Buffer.alloc(0)
    for await (const chunk of socket) {
      received = Buffer.concat([received, chunk])
      const frames = framesIn(received)
      const [answer] = frames.filter(({ type }) => type === HEADERS)
      if (answer === undefined || !frames.some(({ type, flags }) => type !== SETTINGS && flags & END_STREAM)) continue
      socket.destroy()
      const body = frames.flatMap(({ type, payload }) => (type === DATA ? payload : []))
      return { is400: answer.payload[0] === INDEXED_400, body: Buffer.concat(body).toString() }
    }
    throw new Error('the connection ended without an answer')
  }

  it.each([
    ['two Host headers', ['host: a.example', 'Host: b.example']],
    ['two Host headers that are the same', ['host: a.example', 'host: a.example']],
    ['two Authorization headers', ['host: a', 'authorization: Bearer a', 'Authorization: Bearer b']],
  ])('gets 400 and ends its connection: %s, HTTP/1.1', async (fault, fields) => {
    const answer = await http1(fields)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toMatch(/^connection: close\r$/im)
    expect(decodeURIComponent(answer)).toContain(fault.split(' that')[0])
    if (isGrpc) expect(answer).toMatch(/^grpc-status: 3\r$/im)
    else expect(answer).toContain('ERROR_REASON_MALFORMED_REQUEST')
  })

  // Two Host headers never get here: nghttp2 resets the stream (RFC 9113 section 8.1.1).
  it.each([
    ['a Host that differs from :authority', ['host', 'not sent'], ['host', 'b.example'], 'differs'],
    ['two Authorization headers', ['authorization', 'Bearer a'], ['authorization', 'Bearer b'], 'two Authorization'],
  ] as const)('gets 400: %s, HTTP/2', async (_, first, second, message) => {
    const authority = [':authority', 'a.example'] as const
    const { is400, body } = await http2(first[0] === 'host' ? [authority, second] : [authority, first, second])
    expect(is400).toBe(true)
    if (!isGrpc) expect(body).toContain(message)
  })

  it('may have a Host equal to :authority', async () => {
    const { is400, body } = await http2([
      [':authority', 'a.example'],
      ['host', 'a.example'],
    ])
    expect([is400, body.includes('Host')]).toEqual([false, false])
  })
})

const [DATA, HEADERS, SETTINGS] = [0, 1, 4]
const [END_STREAM, END_HEADERS] = [1, 4]
/** `:status: 400` in the static table (RFC 7541 appendix A). */
const INDEXED_400 = 0x8c

/** A header field as a literal without indexing (RFC 7541 section 6.2.2); all here are shorter than 127 bytes. */
function literal([name, value]: readonly [string, string]): Buffer {
  return Buffer.from([0, name.length, ...Buffer.from(name), value.length, ...Buffer.from(value)])
}

function framesIn(bytes: Buffer): { type: number; flags: number; payload: Buffer }[] {
  const frames = []
  for (let at = 0; at + 9 <= bytes.length; ) {
    const end = at + 9 + bytes.readUIntBE(at, 3)
    if (end > bytes.length) break
    frames.push({ type: bytes.readUInt8(at + 3), flags: bytes.readUInt8(at + 4), payload: bytes.subarray(at + 9, end) })
    at = end
  }
  return frames
}
