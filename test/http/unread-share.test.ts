import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { eventually } from '../support/eventually.js'
import { fixture, insertApiKey, insertFixture, insertRow } from '../support/fixture.js'
import { answerFrames, openSocket, preface, requestFrames } from '../support/http2-client.js'
import { startTestService, type TestService } from '../support/service.js'

const { acme, globex, people: teamId } = fixture

describe('what clients do not read', () => {
  let service: TestService
  let token: string
  let other: string
  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    token = (await insertApiKey(service.database, { organizationId: acme })).token
    other = (await insertApiKey(service.database, { organizationId: globex })).token
    // Stored before cards had a limit: a page of more than 8 MiB.
    const card = JSON.stringify({ name: 'Agent', description: 'a'.repeat(9 * 1024 * 1024) })
    const owner = { organization_id: acme, team_id: teamId }
    await insertRow(service.database, 'app_instances', { id: 'large', ...owner, name: 'Large', a2a_agent_card: card })
  })
  afterAll(() => service.stop())

  const path = `/v2/app-instances?teamId=${teamId}&q=large`
  const list = (as: string) => service.rest('GET', '/v2/users?pageSize=1', { token: as })
  /** A connection whose calls are answered, and none of whose answers can leave. */
  const leaveUnread = async (calls: number) => {
    const head = { ':method': 'GET', ':scheme': 'http', ':path': path, ':authority': 'localhost' }
    const fields = { ...head, authorization: `Bearer ${token}` }
    const socket = await openSocket(Number(new URL(service.baseUrl).port))
    const received: Buffer[] = []
    socket.on('error', () => undefined).on('data', (chunk: Buffer) => received.push(chunk))
    const requests = Array.from({ length: calls }, (_, index) => requestFrames(2 * index + 1, fields))
    socket.write(Buffer.concat([preface(0), ...requests]))
    await eventually(() => expect(answerFrames(Buffer.concat(received)).size).toBe(calls))
    return socket
  }

  it('is bounded for an organization: it can read more once that is read or cut, others and writes always', async () => {
    const socket = await leaveUnread(7)
    expect((await list(token)).status).toBe(200)
    const more = await leaveUnread(5)
    const refused = await list(token)
    expect([refused.status, refused.json]).toEqual([
      503,
      expect.objectContaining({ code: 'unavailable', message: expect.stringContaining('have not read') }),
    ])
    expect(refused.headers.get('retry-after')).toBe('1')
    expect((await list(other)).status).toBe(200)
    const json = { email: 'somebody.new@acme.example' }
    expect((await service.rest('POST', '/v2/users', { token, json })).status).toBe(200)
    socket.destroy()
    more.destroy()
    await eventually(async () => expect((await list(token)).status).toBe(200))
  })
})
