import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { eventually } from '../support/eventually.js'
import { fixture, insertFixture, insertUserToken } from '../support/fixture.js'
import { createTestServer } from '../support/http-server.js'
import { answerFrames, openSocket, preface, requestFrames } from '../support/http2-client.js'
import { startTestService, type TestService } from '../support/service.js'

const head = { ':method': 'GET', ':scheme': 'http', ':path': '/', ':authority': 'localhost' }
const closePlan = { drainMillis: 0, graceMillis: 0, onGraceOver: () => undefined }

describe('a response that its client does not read', () => {
  it.concurrent.each([
    ['short', 10],
    ['long', 20_000_000],
  ])('is cut over HTTP/2, window 0: a %s one', async (_, length) => {
    let closed = 0
    const server = createTestServer(
      (__, response) => {
        response.once('close', () => closed++)
        if ('stream' in response) response.end(Buffer.alloc(length))
      },
      { unreadMillis: 500 },
    )
    const { port } = await server.listen(0, '127.0.0.1')
    const socket = await openSocket(port)
    socket.resume().write(Buffer.concat([preface(0), requestFrames(1, head), requestFrames(3, head)]))
    await eventually(() => expect(closed).toBe(2))
    // The connection stays open: only its responses were not read.
    expect(socket.closed).toBe(false)
    socket.destroy()
    await server.close(closePlan)
  })

  it.concurrent.each(['HTTP/1.1', 'HTTP/2'])(
    'is cut with its connection if nothing of it is read: %s',
    async (version) => {
      let closed = 0
      const server = createTestServer(
        (_, response) => {
          response.on('error', () => undefined).once('close', () => closed++)
          const body = Buffer.alloc(20_000_000)
          if ('stream' in response) response.end(body)
          else response.end(body)
        },
        { unreadMillis: 500 },
      )
      const { port } = await server.listen(0, '127.0.0.1')
      const socket: Socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      const windows = Buffer.from([0, 0, 4, 8, 0, 0, 0, 0, 0, 0x7f, 0xff, 0, 0])
      const http2 = Buffer.concat([preface(2 ** 31 - 1), windows, requestFrames(1, head)])
      socket.on('error', () => undefined).pause()
      socket.write(version === 'HTTP/2' ? http2 : Buffer.from('GET / HTTP/1.1\r\nhost: svc\r\n\r\n'))
      await eventually(() => expect(closed).toBe(1))
      socket.destroy()
      await server.close(closePlan)
    },
  )

  it.concurrent('is kept for a client that reads slowly', async () => {
    const length = 8_000_000
    const server = createTestServer(
      (_, response) => {
        if ('stream' in response) response.end(Buffer.alloc(length))
      },
      { unreadMillis: 500 },
    )
    const { port } = await server.listen(0, '127.0.0.1')
    const socket = await openSocket(port)
    socket.write(Buffer.concat([preface(0), requestFrames(1, head)]))
    const received: Buffer[] = []
    socket.on('data', (chunk: Buffer) => received.push(chunk))
    const grant = setInterval(() => {
      const window = Buffer.from([0, 0, 4, 8, 0, 0, 0, 0, 1, 0, 0x18, 0, 0])
      const ofConnection = Buffer.from(window)
      ofConnection[8] = 0
      socket.write(Buffer.concat([window, ofConnection]))
    }, 400)
    await eventually(() => expect(answerFrames(Buffer.concat(received)).get(1)?.at(-1)?.endsStream).toBe(true))
    clearInterval(grant)
    socket.destroy()
    await server.close(closePlan)
  })
})

describe('a service whose clients do not read', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
  })
  afterAll(() => service.stop())

  it.each([
    ['no credential', false],
    ['a credential', true],
  ])('serves other clients: 256 calls with %s, window 0', async (_, known) => {
    const token = await insertUserToken(service.database, { userId: fixture.users.manager })
    const path = `/v2/app-instances?teamId=${fixture.it}`
    const fields = { ...head, ':path': path, ...(known && { authorization: `Bearer ${token}` }) }
    const socket = await openSocket(Number(new URL(service.baseUrl).port))
    const received: Buffer[] = []
    socket.on('data', (chunk: Buffer) => received.push(chunk))
    const streams = Array.from({ length: 256 }, (__, index) => requestFrames(2 * index + 1, fields))
    socket.write(Buffer.concat([preface(0), ...streams]))
    await eventually(() => expect(answerFrames(Buffer.concat(received)).size).toBe(256))
    const others = await Promise.all(Array.from({ length: 20 }, () => service.rest('GET', path, { token })))
    socket.destroy()
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 200))
  })
})
