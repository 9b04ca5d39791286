import { ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PriorityService } from '../gen/svc/v2/priority_pb.js'
import { protocols, startTestService, type TestService } from './support/service.js'

describe('the port', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service.stop())

  it('asks a caller without a credential for one, over REST', async () => {
    const answer = await service.rest('PATCH', '/v2/priorities/p1', { body: 'not even JSON' })
    expect(answer.status).toBe(401)
    expect(answer.json.code).toBe('unauthenticated')
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="svc"')
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  it.each(protocols)('asks a caller without a credential for one, over %s', async (protocol) => {
    const call = service.client(PriorityService, undefined, protocol).updatePriority({ id: 'p1' })
    const error = ConnectError.from(await call.catch((thrown: unknown) => thrown))
    expect(error.rawMessage).toBe('this needs a bearer credential')
    expect(error.metadata.get('www-authenticate')).toBe('Bearer realm="svc"')
  })

  it('answers an unknown path with 404 and the error body', async () => {
    const answer = await service.rest('GET', '/v2/nothing')
    expect([answer.status, answer.json.code]).toEqual([404, 'not_found'])
  })
})
