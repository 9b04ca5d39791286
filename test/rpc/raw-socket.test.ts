import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type EchoServer, maxBodyBytes, startEchoServer } from './echo-server.js'
import { pathOf } from './echo-service.js'

let server: EchoServer
beforeAll(async () => {
  server = await startEchoServer()
})
afterAll(() => server.close())

const line = (kind = 'Unary', verb = 'POST') => `${verb} ${pathOf(kind)} HTTP/1.1\r\nhost: a\r\n`
const json = 'content-type: application/json\r\n'
const chunked = 'transfer-encoding: chunked\r\n\r\n'
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const prefix = (length: number) => `\0${String.fromCharCode(0, length >> 16, (length >> 8) & 255, length & 255)}`
const good = `${line()}${json}content-length: 13\r\n\r\n{"id":"last"}`

/** Writes the parts one by one, the next when something was answered to the last or it says so, and gives all that came. */
async function exchange(parts: readonly string[]): Promise<string> {
  const socket = connect(server.http1, '127.0.0.1')
  const closed = new Promise((resolve) => socket.once('close', resolve))
  let received = ''
  socket.on('data', (bytes: Buffer) => {
    received += bytes.toString('latin1')
    if (received.includes('"id":"last"')) socket.end()
  })
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  for (const part of parts) await new Promise((resolve) => socket.write(part, 'latin1', resolve))
  await closed
  return received
}

const statuses = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))

describe('on one HTTP/1.1 connection', () => {
  it.each<[string, string[], number[]]>([
    ['a body in chunks', [`${line()}${json}${chunked}`, chunk('{"id"'), chunk(':"a"}'), '0\r\n\r\n'], [200]],
    [
      'a body in chunks beyond the limit',
      [`${line()}${json}${chunked}`, chunk('x'.repeat(maxBodyBytes + 1)), chunk('x'.repeat(90_000)), '0\r\n\r\n'],
      [429],
    ],
    [
      'a declared length above the limit, and the body after the response',
      [`${line()}${json}content-length: 200000\r\n\r\n`, 'x'.repeat(100_000), 'x'.repeat(100_000)],
      [429],
    ],
    [
      'an envelope that declares more than the limit, over gRPC-Web',
      [
        `${line()}content-type: application/grpc-web+proto\r\ncontent-length: 200005\r\n\r\n`,
        prefix(200_000),
        'x'.repeat(200_000),
      ],
      [200],
    ],
    [
      'an envelope that declares more than the limit, in a stream of Connect',
      [
        `${line('ClientStream')}content-type: application/connect+json\r\n${chunked}`,
        chunk(prefix(200_000)),
        chunk('x'.repeat(200_000)),
        '0\r\n\r\n',
      ],
      [200],
    ],
    [
      'a body where nothing reads one',
      [`${line('Unary', 'DELETE')}content-length: 90000\r\n\r\n`, 'x'.repeat(90_000)],
      [405],
    ],
    [
      'a body of a type that is not taken',
      [`${line()}content-type: a/b\r\n${chunked}`, chunk('x'), '0\r\n\r\n'],
      [415],
    ],
    ['an empty content type', [`${line()}content-type:\r\ncontent-length: 1\r\n\r\nx`], [415]],
    ['an empty coding', [`${line()}${json}content-encoding:\r\ncontent-length: 2\r\n\r\n{}`], [200]],
    ['an empty list of codings', [`${line()}${json}accept-encoding:\r\ncontent-length: 2\r\n\r\n{}`], [200]],
    ['several calls at once', [`${line()}${json}content-length: 2\r\n\r\n{}`.repeat(20)], Array(20).fill(200)],
    [
      'refused calls at once, each with its body',
      [`${line()}${json}x-refuse: a\r\ncontent-length: 90000\r\n\r\n${'x'.repeat(90_000)}`.repeat(5)],
      Array(5).fill(401),
    ],
    [
      'an Expect: 100-continue header',
      [`${line()}${json}expect: 100-continue\r\ncontent-length: 2\r\n\r\n`, '{}'],
      [100, 200],
    ],
    [
      'a GET with a body',
      [`GET ${pathOf('Unary')}?encoding=json&message={} HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\nabc`],
      [200],
    ],
  ])('%s is answered, as is the next call', async (_, parts, expected) => {
    expect(statuses(await exchange([...parts, good]))).toEqual([...expected, 200])
  })

  it.each<[string, string[], number[]]>([
    ['two lengths', [`${line()}${json}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`], [400]],
    ['a length that is not a number', [`${line()}${json}content-length: two\r\n\r\n{}`], [400]],
    ['a chunk without a size', [`${line()}${json}${chunked}`, 'z\r\n'], [400]],
  ])('%s returns 400 and closes the connection', async (_, parts, expected) => {
    expect(statuses(await exchange(parts))).toEqual(expected)
  })
})

it('a client that disconnects in the middle of its body, in any protocol and kind, is not a failure of the service', async () => {
  const types = ['application/json', 'application/grpc+proto', 'application/grpc-web+json']
  for (const [kind, type] of [...types.map((each) => ['Unary', each]), ['ClientStream', 'application/connect+json']]) {
    const socket = connect(server.http1, '127.0.0.1')
    await once(socket, 'connect')
    const head = `${line(kind)}content-type: ${type}\r\ncontent-length: 100\r\n\r\n`
    await new Promise((resolve) => socket.write(head + prefix(95), 'latin1', resolve))
    socket.destroy()
    await new Promise((resolve) => socket.once('close', resolve))
  }
  expect(statuses(await exchange([good]))).toEqual([200])
  expect(server.reported).toEqual([])
})
