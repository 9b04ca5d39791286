import { request as nodeRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createApiKeySecret } from '../../src/domain/auth/api-key-secret.js'
import { fixture, insertApiKey, insertFixture, insertUserToken } from '../support/fixture.js'
import { createTestRuntime } from '../support/runtime.js'
import { startTestService, type TestService } from '../support/service.js'

const { priorities, users, accessPolicies, it: itTeam } = fixture
const secret = createApiKeySecret('pk', createTestRuntime())
const managementSecret = createApiKeySecret('mk', createTestRuntime())
const jwt = `${'a'.repeat(40)}.${'b'.repeat(40)}.${'c'.repeat(40)}`

describe('an error message shows the way forward', () => {
  let service: TestService
  const tokens = { user: '', key: '' }
  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    tokens.user = await insertUserToken(service.database, { userId: users.admin })
    tokens.key = (await insertApiKey(service.database, { organizationId: fixture.acme })).token
  })
  afterAll(() => service.stop())

  const updatePriority = ['PATCH', `/v2/priorities/${priorities.it}`, 'PriorityService/UpdatePriority'] as const
  const updateUser = ['PUT', `/v2/users/${users.viewer}`, 'UserService/UpdateUser'] as const
  const createUser = ['POST', '/v2/users', 'UserService/CreateUser'] as const
  const createProcedure = [
    'POST',
    `/v2/access-policies/${accessPolicies.it}/approval-procedures`,
    'AccessPolicyApprovalProcedureService/CreateAccessPolicyApprovalProcedure',
  ] as const

  it.each([
    ['a field in another case', updatePriority, { isAISelectable: true }, 'did you mean "isAiSelectable"?'],
    ['a mistyped field', updatePriority, { desciption: 'x' }, 'did you mean "description"?'],
    ['the first part of a field', updateUser, { phone: '1' }, 'did you mean "primaryPhone"?'],
    ['a field like no other', updatePriority, { colour: 'red' }, 'use one of id, name, description, isAiSelectable'],
    ['a field that is set elsewhere', updateUser, { manager: 'x' }, 'POST /v2/user-relationships'],
    ['a field of another method', createUser, { avatarUrl: 'x' }, 'set it with PUT /v2/users/{id}'],
    ['a text that is not an address', createUser, { email: 'ada' }, 'must be an email address such as ada@example.com'],
    [
      'an address beside other changes',
      updateUser,
      { email: 'a@b.co', role: 'USER_ROLE_ORG_GUEST' },
      'must be the only',
    ],
    [
      'a manager among the pinned',
      updateUser,
      { pinFields: ['USER_PROFILE_FIELD_MANAGER'] },
      'set pin on POST /v2/user-relationships',
    ],
    [
      'a pinned field that is not set',
      updateUser,
      { pinFields: ['USER_PROFILE_FIELD_LOCALE'] },
      'set it in the same request, or do not pin it',
    ],
    ['neither steps nor stages', createProcedure, {}, 'stages: must have at least one stage when steps is empty'],
    ['a nested field', createProcedure, { steps: [{ approvers: [{ users: {} }] }] }, 'did you mean "user"?'],
    ['a mistyped enum value', updateUser, { role: 'USER_ROLE_ORG_ADMINN' }, 'did you mean "USER_ROLE_ORG_ADMIN"?'],
    ['an enum value like no other', updateUser, { role: 'boss' }, 'USER_ROLE_ORG_ADMIN, USER_ROLE_ORG_MEMBER'],
    [
      'two members of a oneof',
      createProcedure,
      { steps: [{ approvers: [{ appOwner: {}, manager: {} }] }] },
      'appOwner and manager cannot both be set',
    ],
    [
      'an approver who does not exist',
      createProcedure,
      { steps: [{ approvers: [{ user: { userId: 'nobody' } }] }] },
      'steps[0].approvers[0].user.userId: no such user in the organization: send the id of one of its users',
    ],
  ])('about %s, over REST and Connect alike', async (_, [verb, path, procedure], json, expected) => {
    const token = tokens.user
    const rest = await service.rest(verb, path, { token, json })
    expect([rest.status, rest.json.code]).toEqual([400, 'invalid_argument'])
    expect(rest.json.message).toContain(expected)
    const named = path.includes('policies')
      ? { accessPolicyId: accessPolicies.it }
      : path.startsWith('/v2/users/')
        ? { id: users.viewer }
        : {}
    const message = { ...named, ...json }
    const connect = await service.rest('POST', `/svc.v2.${procedure}`, { token, json: message })
    expect(connect.json.message).toBe(rest.json.message)
  })

  it('about a manager who does not exist, as about an approver', async () => {
    const json = { userId: users.viewer, relatedUserId: 'nobody' }
    const { json: error } = await service.rest('POST', '/v2/user-relationships', { token: tokens.user, json })
    expect(error.message).toBe('relatedUserId: no such user in the organization: send the id of one of its users')
  })

  it.each([
    [`team=${itTeam}`, 'did you mean "teamId"?'],
    ['page_sise=1', 'did you mean "pageSize"?'],
    ['colour=red', 'use one of teamId, pageSize, pageToken'],
    [
      '',
      'teamId: is required unless the caller has access to exactly one team: send the id of a team, or - for every team',
    ],
    ['pageSize=-1', 'pageSize: must be from 1 to 10000, or 0 for the maximum'],
    [`teamId=${itTeam}&pageToken=x`, 'send it unchanged with the same filter, or omit it to start over'],
  ])('about the query %s', async (query, expected) => {
    const { status, json } = await service.rest('GET', `/v2/app-instances?${query}`, { token: tokens.key })
    expect([status, json.code]).toEqual([400, 'invalid_argument'])
    expect(json.message).toContain(expected)
  })

  it.each([
    ['/v2/app-instances/', '/v2/app-instances'],
    ['/v2//app-instances', '/v2/app-instances'],
    ['/app-instances', '/v2/app-instances'],
    ['/api/v2/app-instances', '/v2/app-instances'],
    ['/v2/app_instances', '/v2/app-instances'],
    ['/v2/appInstances', '/v2/app-instances'],
    ['/v1/journeys/x', '/v2/journeys/{id}'],
    ['/v2/priority/p1', '/v2/priorities/{id}'],
    ['/v2/user/u1:republish', '/v2/users/{id}:republish'],
  ])('about the path %s', async (path, near) => {
    const { status, json } = await service.rest('GET', path)
    expect([status, json.code, json.message]).toEqual([
      404,
      'not_found',
      `no such path: ${path}; did you mean ${near}?`,
    ])
  })

  it.each([
    ['POST', '/v2/users/user_ada%3AendSessions', 'POST /v2/users/{id}:endSessions'],
    ['POST', '/v2/users/user_ada:endSession', 'POST /v2/users/{id}:endSessions'],
    ['POST', '/v2/webhook-endpoints/webhook_siem%3arotateSecret', 'POST /v2/webhook-endpoints/{id}:rotateSecret'],
    ['PUT', '/v2/users/user_ada:endSessions', undefined],
    ['POST', '/v2/users/user_ada', undefined],
    ['PURGE', '/v2/users/user_ada%3AendSessions', undefined],
  ])('about the method in %s %s', async (method, path, near) => {
    const { json } = await service.rest(method, path)
    const said = String(json.message).split('; did you mean ')[1]
    expect(said).toBe(near && `${near}?`)
  })

  it.each([
    ['events?types[]=user.update', 'write \\"types\\" without brackets, once for each value'],
    ['events?types%5B1%5D=user.update', 'write \\"types\\" without brackets, once for each value'],
    ['users?email[]=ada@acme.example', 'write \\"email\\" without brackets'],
    ['users?filter[email]=ada@acme.example', 'no field \\"filter[email]\\"'],
    ['events?types=user.update,team.update', 'types[0]: is unknown: give each value by itself, without commas'],
    ['users?email=ada+audit@acme.example', 'email: is no address: in a URL, write + as %2B'],
    ['users?ids=user_ada&ids=user_bela,user_chidi', 'ids[1]: is no id: give each value by itself, without commas'],
    ['audit-events?actions=user.update,%20team.update', 'actions[0]: is unknown: give each value by itself'],
    ['events?types=user.update,team.nothing', 'types[0]: is unknown: did you mean \\"user.update\\"?'],
    ['audit-events?since=2026-01-31T09:05:00+02:00', '(RFC 3339); in a URL, write + as %2B'],
    ['audit-events?until=2026-01-31T09:05:00+02:00', '(RFC 3339); in a URL, write + as %2B'],
    ['audit-events?until=2026-01-31+09:05:00', 'until: must be a time such as 2026-01-31T09:05:00.000Z (RFC 3339)"'],
  ])('about the query of %s', async (target, expected) => {
    const { status, text } = await service.rest('GET', `/v2/${target}`, { token: tokens.key })
    expect([status, text]).toEqual([400, expect.stringContaining(expected)])
  })

  it.each(['/x', '/favicon', '/v3/things/that/are/nowhere', `/${'x/'.repeat(3000)}`])(
    'but suggests nothing for the path %s',
    async (path) => {
      const { status, json } = await service.rest('POST', path)
      expect(status).toBe(404)
      expect(json.message).not.toContain('did you mean')
    },
  )

  it.each([
    ['nothing', undefined, 'send Authorization: Bearer <token>'],
    ['an empty token', 'Bearer ', 'the token is empty'],
    ['a variable that was not put in', 'Bearer $TOKEN', 'this is a placeholder, not a token'],
    ['a place for a token', 'Bearer <ACCESS_TOKEN>', 'this is a placeholder, not a token'],
    ['a variable that is not set', 'Bearer undefined', 'is not set'],
    ['two words', `Bearer ${'a'.repeat(9)} b`, 'contains a space'],
    ['the secret of a key', `Bearer ${secret}`, 'exchange it for an access token at POST /v2/auth/token'],
    ['the secret of a management key', `Bearer ${managementSecret}`, 'the secret of a management key'],
    ['a token without its scheme', `svc_token_${'a'.repeat(43)}`, 'the word Bearer is missing'],
    ['another scheme', 'Basic YTpi', 'only POST /v2/auth/token accepts Basic'],
    ['a JWT without an issuer', `Bearer ${jwt}`, 'this service does not accept JWTs'],
    ['half a token', `Bearer svc_token_${'a'.repeat(43)}`, 'the token is incomplete or altered'],
    ['something else', 'Bearer hunter2', 'this is not a token of this service'],
    ['an unknown token', `Bearer svc_user_${'a'.repeat(86)}`, 'the bearer credential is invalid: get a new one'],
  ])('about %s as the credential, without echoing it', async (_, authorization, expected) => {
    const headers = authorization === undefined ? {} : { authorization }
    for (const path of ['/v2/users', '/svc.v2.UserService/ListUsers?connect=v1&encoding=json&message={}']) {
      const { status, json, text: body } = await service.rest('GET', path, { headers })
      expect([status, json.code]).toEqual([401, 'unauthenticated'])
      expect(json.message).toContain(expected)
      const given = authorization?.replace(/^(?:Bearer|Basic) ?/, '') ?? ''
      if (given.length > 3 && given !== 'undefined') expect(body).not.toContain(given)
    }
  })

  it('about an expired token, to its holder', async () => {
    const token = await insertUserToken(service.database, { userId: users.agent })
    await service.database.execute(
      `UPDATE user_tokens SET expires_at = now() - interval '1 minute' WHERE user_id = '${users.agent}'`,
    )
    const { status, json } = await service.rest('GET', '/v2/users', { token })
    expect([status, json.message]).toEqual([401, 'the token has expired: get a new one'])
  })

  it('about a credential of another kind', async () => {
    const { status, json } = await service.rest(updatePriority[0], updatePriority[1], { token: tokens.key, json: {} })
    expect([status, json.message]).toEqual([
      403,
      'this method does not accept organization API keys: it accepts user tokens',
    ])
  })

  it.each([
    [
      '/v2/user-relationships',
      'text/plain',
      'content-type text/plain is not accepted here: send Content-Type: application/json',
    ],
    ['/v2/auth/revoke', 'application/json', 'send Content-Type: application/x-www-form-urlencoded'],
    ['/v2/auth/revoke', undefined, 'the content type is missing: send Content-Type: application/x-www-form-urlencoded'],
    [
      '/v2/auth/revoke',
      'application/x-www-form-urlencoded; charset=ISO-8859-1',
      'send Content-Type: application/x-www-form-urlencoded, in UTF-8',
    ],
    ['/svc.v2.UserService/CreateUser', 'text/plain', 'application/json'],
    ['/svc.v2.UserService/CreateUser', undefined, 'the content type is missing'],
  ])('about the content type of a body for %s', async (path, type, expected) => {
    const { status, body } = await send(path, type, ['{}'])
    expect([status, body]).toEqual([415, expect.stringContaining(expected)])
  })

  it.each([
    ['/v2/user-relationships', ['text/plain', undefined], 'userId: is required'],
    ['/v2/auth/revoke', ['text/plain', undefined], 'secret: is required'],
    ['/svc.v2.UserService/CreateUser', [undefined], 'send Content-Type: application/json and a message'],
  ])('but not about the content type if the body for %s is empty', async (path, types, expected) => {
    for (const type of types) {
      for (const chunks of [undefined, []]) {
        const { status, body } = await send(path, type, chunks)
        expect([status, body]).toEqual([400, expect.stringContaining(expected)])
      }
    }
  })

  it('on a line of its own, like every response over REST', async () => {
    const answers = [
      await service.rest('GET', '/v2/users', { token: tokens.key }),
      await service.rest('GET', '/v2/app-instances?pageSize=1', { token: tokens.key }),
      await service.rest('GET', '/nowhere'),
      await service.rest('DELETE', '/v2/users'),
    ]
    for (const answer of answers) expect(answer.text).toMatch(/[^\n]\n$/)
  })

  /** Sends chunks without a declared length, or nothing at all. */
  async function send(path: string, type: string | undefined, chunks: readonly string[] | undefined) {
    const headers = {
      authorization: `Bearer ${tokens.key}`,
      ...(type !== undefined && { 'content-type': type }),
      ...(chunks === undefined ? { 'content-length': '0' } : { 'transfer-encoding': 'chunked' }),
    }
    return new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
      const sent = nodeRequest(service.baseUrl + path, { method: 'POST', headers }, (response) => {
        text(response).then((body) => resolve({ status: response.statusCode, body }), reject)
      })
      sent.on('error', reject)
      for (const chunk of chunks ?? []) sent.write(chunk)
      sent.end()
    })
  }
})
