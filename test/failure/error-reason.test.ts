import { ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { BadRequestSchema } from '../../gen/google/rpc/error_details_pb.js'
import { PriorityService } from '../../gen/svc/v2/priority_pb.js'
import { fixture, insertFixture, insertUserToken } from '../support/fixture.js'
import { startTestService, type TestService } from '../support/service.js'

describe('an error', () => {
  let service: TestService
  let token: string
  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    token = await insertUserToken(service.database, { userId: fixture.users.manager })
  })
  afterAll(() => service.stop())

  const priority = `/v2/priorities/${fixture.priorities.it}`
  const json = { 'content-type': 'application/json' }

  it.each([
    ['GET', '/v2/nothing', {}, 404, 'not_found', 'PATH_NOT_FOUND'],
    ['PUT', priority, {}, 405, 'unimplemented', 'METHOD_NOT_ALLOWED'],
    ['DELETE', '/docs', {}, 405, 'unimplemented', 'METHOD_NOT_ALLOWED'],
    ['PATCH', priority, { body: ' '.repeat(4_194_305), headers: json }, 413, 'resource_exhausted', 'BODY_TOO_LARGE'],
    ['PATCH', priority, { body: 'x', headers: {} }, 415, 'invalid_argument', 'MEDIA_TYPE_UNSUPPORTED'],
    ['PATCH', priority, { headers: { 'connect-timeout-ms': '0' } }, 504, 'deadline_exceeded', 'DEADLINE_EXCEEDED'],
  ])('that no handler raised has a reason: %s %s', async (method, path, call, status, code, reason) => {
    const answer = await service.rest(method, path, { token, ...call })
    expect([answer.status, answer.json.code]).toEqual([status, code])
    expect(answer.json.detail).toMatchObject({
      type: 'google.rpc.ErrorInfo',
      debug: { reason: `ERROR_REASON_${reason}`, domain: 'svc.v2' },
    })
  })

  it.each([
    ['an unknown field', priority, '{"nme":"x"}', 'nme'],
    ['a key given twice', priority, '{"name":"x","name":"y"}', ''],
    ['text that is not JSON', priority, 'x', ''],
    ['an unknown parameter', `${priority}?x=1`, '{}', 'x'],
  ])('about unreadable text has a reason and the field: %s', async (_, path, body, field) => {
    const answer = await service.rest('PATCH', path, { token, body, headers: json })
    expect(answer.status).toBe(400)
    expect(answer.json.detail).toMatchObject({
      type: 'google.rpc.BadRequest',
      debug: { fieldViolations: [{ field, reason: 'ERROR_REASON_MALFORMED_REQUEST' }] },
    })
  })

  it('about unreadable text has a reason over Connect', async () => {
    const { json: body } = await service.rest('POST', '/svc.v2.PriorityService/UpdatePriority', {
      token,
      json: { id: 'x', nme: 'x' },
    })
    expect(body.details).toMatchObject([
      { debug: { fieldViolations: [{ field: 'nme', reason: 'ERROR_REASON_MALFORMED_REQUEST' }] } },
    ])
  })

  it('names the permission that the caller lacks in a challenge (RFC 6750)', async () => {
    const viewer = await insertUserToken(service.database, { userId: fixture.users.viewer })
    const answer = await service.rest('PATCH', priority, { token: viewer, json: {} })
    expect(answer.status).toBe(403)
    expect(answer.headers.get('www-authenticate')).toBe(
      'Bearer realm="svc", error="insufficient_scope", scope="tickets:write"',
    )
  })

  it('from a handler keeps its reason', async () => {
    const call = service.client(PriorityService, token).updatePriority({ id: fixture.priorities.it, name: '' })
    const error = ConnectError.from(await call.catch((thrown: unknown) => thrown))
    const [detail] = error.findDetails(BadRequestSchema)
    expect(detail?.fieldViolations.map(({ reason }) => reason)).toEqual(['ERROR_REASON_FIELD_INVALID'])
  })
})
