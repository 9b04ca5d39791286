import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { eventually } from '../support/eventually.js'
import { frame } from '../support/http2-frame.js'
import { startServe } from '../support/program.js'

/** Together far longer than what the system keeps for a client that does not read. */
const STREAMS = 10
const [DATA, HEADERS, SETTINGS, GOAWAY, WINDOW_UPDATE] = [0, 1, 4, 7, 8]
const END_STREAM = 1
const END_HEADERS = 4

/** A header field without the tables of HPACK, after its name or the index of it (RFC 7541 section 6.2.2). */
function literal(index: number, value: string): Buffer {
  const length = Buffer.from([value.length])
  return Buffer.concat([Buffer.from([index]), length, Buffer.from(value)])
}

/** `GET path` over http, whose answer may be as long as it likes. */
function get(path: string, stream: number): Buffer {
  const block = Buffer.concat([Buffer.from([0x82, 0x86]), literal(4, path), literal(1, 'localhost')])
  return frame(HEADERS, END_STREAM | END_HEADERS, stream, block)
}

let testDatabase: TestDatabase
beforeAll(async () => {
  testDatabase = await createTestDatabase()
})
afterAll(() => testDatabase.drop())

it('a service that is shutting down answers an HTTP/2 client that has paused reading', async () => {
  const serve = await startServe(['--no-demo'], { ...testDatabase.environment, DRAIN_SECONDS: '1' })
  const page = await (await fetch(`${serve.origin}/docs`)).text()
  const script = /\/docs\/assets\/[^"]+\/viewer\.js/.exec(page)?.[0] ?? ''
  const size = (await (await fetch(serve.origin + script)).arrayBuffer()).byteLength
  const socket = connect(Number(new URL(serve.origin).port), '127.0.0.1')
  await once(socket, 'connect')
  const windows = [
    frame(SETTINGS, 0, 0, Buffer.from([0, 4, 0x7f, 0xff, 0xff, 0xff])),
    frame(WINDOW_UPDATE, 0, 0, Buffer.from([0x7f, 0xff, 0, 0])),
  ]
  const calls = Array.from({ length: STREAMS }, (_, index) => get(script, 2 * index + 1))
  socket.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), ...windows, ...calls]))
  // Nothing reads on, so it has as much as Node keeps.
  await eventually(() => expect(socket.readableLength).toBeGreaterThan(0))
  const stopped = serve.stop()
  await eventually(async () => {
    const status = await fetch(`${serve.origin}/readyz`).then(
      (answer) => answer.status,
      () => 0,
    )
    expect(status).not.toBe(200)
  })
  const received: Buffer[] = []
  socket.on('data', (chunk: Buffer) => received.push(chunk))
  await once(socket, 'close')
  expect(await stopped).toBe(0)
  const bytes = Buffer.concat(received)
  const ended: number[] = []
  let data = 0
  let farewells = 0
  for (let at = 0; at < bytes.length; ) {
    const [length, type, flags, stream] = [
      bytes.readUIntBE(at, 3),
      bytes[at + 3],
      bytes[at + 4],
      bytes.readUInt32BE(at + 5),
    ]
    at += 9 + length
    if (type === GOAWAY) farewells++
    if (type !== DATA) continue
    data += length
    if (((flags ?? 0) & END_STREAM) !== 0) ended.push(stream)
  }
  expect([ended.length, data]).toEqual([STREAMS, STREAMS * size])
  expect(farewells).toBeGreaterThan(0)
})
