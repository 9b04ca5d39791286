import { once } from 'node:events'
import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { fixture, insertFixture, insertUserToken } from '../support/fixture.js'
import { startTestService, type TestService } from '../support/service.js'

/** Long enough for what happens meanwhile, and no longer. */
const DRAIN_MILLIS = 1_000
const health = '/grpc.health.v1.Health/Check'

/** A connection of HTTP/1.1 that is kept between requests. */
interface Connection {
  readonly socket: Socket
  /** Sends a request; returns the head and the body of the response, empty if the connection ends instead. */
  ask(path: string, body?: string): Promise<string>
}

describe('a service that is shutting down', () => {
  let testDatabase: TestDatabase
  let service: TestService
  let token: string

  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    await insertFixture(testDatabase.open())
    token = await insertUserToken(testDatabase.open(), { userId: fixture.users.manager })
  })
  beforeEach(async () => {
    service = await startTestService({ testDatabase })
  })
  afterAll(() => testDatabase.drop())

  const open = async (): Promise<Connection> => {
    const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1').setEncoding('utf8')
    await once(socket, 'connect')
    return { socket, ask: (path, body) => ask(socket, path, body) }
  }
  const openHttp2 = async (): Promise<ClientHttp2Session> => {
    const session = connectHttp2(service.baseUrl)
    await once(session, 'remoteSettings')
    return session
  }
  /** The status of a call over HTTP/2, `refused` if the service has not taken it. Rejects where its stream is cut. */
  const askHttp2 = (session: ClientHttp2Session) =>
    new Promise<number | 'refused' | undefined>((resolve, reject) => {
      let status: number | 'refused' | undefined
      const path = `/v2/app-instances?teamId=${fixture.it}`
      const stream = session.request({ ':path': path, authorization: `Bearer ${token}` })
      stream.on('response', (headers) => {
        status = headers[':status']
      })
      stream.on('error', () => undefined)
      stream.on('close', () => {
        if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) status = 'refused'
        else if (stream.rstCode !== 0) reject(new Error(`reset ${stream.rstCode}`))
        resolve(status)
      })
      stream.resume()
    })

  it('closes a busy connection with its next response, and announces that over REST and RPC', async () => {
    const connections = [await open(), await open()]
    const paths = ['/v2/users', health] as const
    const askAll = () =>
      Promise.all(connections.map(({ ask }, index) => ask(paths[index] ?? '', index === 1 ? '{}' : undefined)))
    for (const answer of await askAll()) expect(answer).toMatch(/^connection: keep-alive\r$/im)
    const stopped = service.close(DRAIN_MILLIS)
    const ended = connections.map(({ socket }) => once(socket, 'end'))
    const answers = await askAll()
    for (const answer of answers) expect(answer).toMatch(/^connection: close\r$/im)
    expect(answers[0]).toContain('unauthenticated')
    expect(answers[1]).toContain('NOT_SERVING')
    await Promise.all(ended)
    await stopped
  })

  it('accepts connections until load balancers have noticed, and closes idle ones only then', async () => {
    const idle = await open()
    await idle.ask('/v2/users')
    let isOver = false
    const over = once(idle.socket, 'end').then(() => {
      isOver = true
    })
    const stopped = service.close(DRAIN_MILLIS)
    const late = await open()
    expect(await late.ask(health, '{}')).toContain('NOT_SERVING')
    expect(isOver).toBe(false)
    await over
    await stopped
    await expect(open()).rejects.toThrow('ECONNREFUSED')
  })

  it('gives the last new connection time for its first request', async () => {
    const stopped = service.close(DRAIN_MILLIS)
    const last = await open()
    await untilRefused(service)
    expect(await last.ask('/v2/users')).toMatch(/^HTTP\/1.1 401 .*^connection: close\r$/ims)
    await stopped
  })

  it('finishes the open HTTP/2 streams, and refuses others on that connection for their clients to repeat', async () => {
    const sessions = await Promise.all(Array.from({ length: 5 }, openHttp2))
    const ended = sessions.map((session) => once(session, 'close'))
    const calls = sessions.map(askHttp2)
    const stopped = service.close(DRAIN_MILLIS)
    const others = [...sessions, ...sessions].map(async (session) => {
      const outcome = await askHttp2(session)
      return outcome === 'refused' ? askHttp2(await openHttp2()) : outcome
    })
    expect(await Promise.all([...calls, ...others])).toEqual([...calls, ...others].map(() => 200))
    await Promise.all(ended)
    await stopped
  })
})

/** Until the port takes no connection any more. */
async function untilRefused({ baseUrl }: TestService): Promise<void> {
  for (let isTaken = true; isTaken; ) {
    const probe = connect(Number(new URL(baseUrl).port), '127.0.0.1')
    isTaken = await new Promise((resolve) => {
      probe.on('connect', () => resolve(true)).on('error', () => resolve(false))
    })
    probe.destroy()
  }
}

function ask(socket: Socket, path: string, body?: string): Promise<string> {
  const head =
    body === undefined ? ['GET'] : ['POST', `content-length: ${body.length}`, 'content-type: application/json']
  const [method, ...fields] = head
  return new Promise((resolve, reject) => {
    let text = ''
    const settle = () => {
      socket.off('data', onData).off('end', settle).off('error', reject)
      resolve(text)
    }
    const onData = (chunk: string) => {
      text += chunk
      const length = /^content-length: (\d+)/im.exec(text)?.[1]
      const start = text.indexOf('\r\n\r\n')
      if (start >= 0 && length !== undefined && text.length - start - 4 >= Number(length)) settle()
    }
    socket.on('data', onData).on('end', settle).on('error', reject)
    socket.write([`${method} ${path} HTTP/1.1`, 'host: svc', ...fields, '', body ?? ''].join('\r\n'))
  })
}
