import { ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { PriorityService } from '../gen/svc/v2/priority_pb.js'
import { fixture, insertApiKey, insertFixture, insertUserToken } from './support/fixture.js'
import { lockOf, untilLockWaits, whileLocked } from './support/lock-wait.js'
import { patientSessions, protocols, startTestService, type TestService } from './support/service.js'

describe('the port', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service.stop())

  it('asks for a credential over REST if there is none', async () => {
    const answer = await service.rest('PATCH', '/v2/priorities/p1', { body: 'not even JSON' })
    expect(answer.status).toBe(401)
    expect(answer.json.code).toBe('unauthenticated')
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="svc"')
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  it.each(protocols)('asks for a credential over %s if there is none', async (protocol) => {
    const call = service.client(PriorityService, undefined, protocol).updatePriority({ id: 'p1' })
    const error = ConnectError.from(await call.catch((thrown: unknown) => thrown))
    expect(error.rawMessage).toContain('a bearer credential is required: send Authorization: Bearer')
    expect(error.metadata.get('www-authenticate')).toBe('Bearer realm="svc"')
  })

  it('returns 404 with the error body for an unknown path', async () => {
    const answer = await service.rest('GET', '/v2/nothing')
    expect([answer.status, answer.json.code]).toEqual([404, 'not_found'])
  })

  it('supports HEAD and OPTIONS on the Connect path of a read method', async () => {
    await insertFixture(service.database)
    const token = await insertUserToken(service.database, { userId: fixture.users.manager })
    const path = '/svc.v2.SlaDefinitionService/ListSlaDefinitions'
    const target = `${path}?encoding=json&message=${encodeURIComponent(JSON.stringify({ teamId: fixture.it }))}`
    const headers = { 'accept-encoding': 'identity' }
    const [get, head] = [
      await service.rest('GET', target, { token, headers }),
      await service.rest('HEAD', target, { token, headers }),
    ]
    expect([head.status, head.text]).toEqual([200, ''])
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'))
    const options = await service.rest('OPTIONS', path)
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS, POST'])
  })
})

describe('a service that stops', () => {
  it('still answers running calls over both HTTP versions, and refuses new connections', async () => {
    const service = await startTestService()
    await insertFixture(service.database)
    const token = await insertUserToken(service.database, { userId: fixture.users.manager })
    const request = { id: fixture.priorities.it, name: 'Late' }
    const { calls, stopped } = await whileLocked(service.testDatabase, lockOf('priorities'), async () => {
      const running = [
        service
          .rest('PATCH', `/v2/priorities/${request.id}`, { token, json: { name: 'Late' } })
          .then(({ status }) => status),
        ...protocols.map(async (protocol) => {
          const { data } = await service.client(PriorityService, token, protocol).updatePriority(request)
          return data?.name
        }),
      ]
      await untilLockWaits(service.testDatabase, running.length)
      const closed = service.close()
      await expect(fetch(service.baseUrl)).rejects.toThrow()
      return { calls: running, stopped: closed }
    })
    expect(await Promise.all(calls)).toEqual([200, 'Late', 'Late', 'Late', 'Late'])
    await stopped
    await service.stop()
  })
})

describe('a call with a deadline', () => {
  it('ends when it passes, as does its statement in the database', async () => {
    const service = await startTestService({ sessions: patientSessions })
    await insertFixture(service.database)
    const { token } = await insertApiKey(service.database, { organizationId: fixture.acme })
    await whileLocked(service.testDatabase, lockOf('app_resources'), async () => {
      const answer = await service.rest('PUT', '/v2/app-resources/batch', {
        token,
        json: { resources: [{ id: fixture.appResources.it, name: 'Late' }] },
        headers: { 'connect-timeout-ms': '300' },
      })
      expect(answer.status).toBe(504)
      await untilLockWaits(service.testDatabase, 0)
    })
    await service.stop()
  })
})
