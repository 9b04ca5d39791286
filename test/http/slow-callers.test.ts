import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { eventually } from '../support/eventually.js'
import { fixture, insertFixture, insertUserToken } from '../support/fixture.js'
import { createTestServer } from '../support/http-server.js'
import { startTestService, type TestService } from '../support/service.js'

it('an HTTP/2 connection whose headers never arrive completely is closed', async () => {
  const server = createTestServer((_, response) => response.destroy(), { idleMillis: 300 })
  const { port } = await server.listen(0, '127.0.0.1')
  const socket = connect(port, '127.0.0.1').resume()
  socket.on('error', () => undefined)
  // The preface, empty settings, and the head of a frame of headers that is 1,000 bytes long.
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
  socket.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0x03, 0xe8, 1, 5, 0, 0, 0, 1]))
  const drip = setInterval(() => socket.write(Buffer.of(0)), 50)
  await once(socket, 'close')
  clearInterval(drip)
  await server.close({ drainMillis: 0, graceMillis: 1_000, onGraceOver: () => undefined })
})

describe('a service that awaits the bodies of refused calls', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
  })
  afterAll(() => service.stop())

  it('has room for the calls of others', async () => {
    const token = await insertUserToken(service.database, { userId: fixture.users.manager })
    const sessions = [connectHttp2(service.baseUrl), connectHttp2(service.baseUrl)]
    const streams = sessions.flatMap((session) =>
      Array.from({ length: 200 }, () => session.request({ ':method': 'POST', ':path': '/v2/users' })),
    )
    const statuses = await Promise.all(
      streams.map(async (stream) => {
        stream.on('error', () => undefined).resume()
        stream.write('{')
        const [headers] = await once(stream, 'response')
        return headers[':status']
      }),
    )
    const answer = await service.rest('GET', `/v2/app-instances?teamId=${fixture.it}`, { token })
    for (const session of sessions) session.destroy()
    expect([new Set(statuses), answer.status]).toEqual([new Set([401]), 200])
  })

  it('has room for other organizations, whichever sends the bodies', async () => {
    const token = await insertUserToken(service.database, { userId: fixture.users.manager })
    const other = await insertUserToken(service.database, {
      userId: fixture.users.globexAdmin,
      organizationId: fixture.globex,
    })
    const path = `/v2/priorities/${fixture.priorities.it}`
    const headers = { ':method': 'PATCH', ':path': path, authorization: `Bearer ${token}` }
    const session = connectHttp2(service.baseUrl)
    let refused = 0
    for (let index = 0; index < 256; index++) {
      const stream = session.request({ ...headers, 'content-type': 'application/json' })
      stream.on('error', () => undefined).resume()
      stream.on('response', (answer) => {
        if (answer[':status'] === 503) refused++
      })
      stream.write('{')
    }
    await eventually(() => expect(refused).toBe(128))
    const answer = await service.rest('GET', `/v2/app-instances?teamId=${fixture.globexIt}`, { token: other })
    session.destroy()
    expect(answer.status).toBe(200)
  })
})
