import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { reasonOf } from '../client/src/error-details.js'
import { PriorityService } from '../gen/svc/v2/priority_pb.js'
import { services } from '../src/handlers/routes.js'
import { httpFormOf } from '../src/limits/method-rules.js'
import {
  fixture,
  insertApiKey,
  insertFeedEvent,
  insertFixture,
  insertManagedKeys,
  insertUserToken,
} from './support/fixture.js'
import {
  callMethod,
  type MethodForms,
  methodNamed,
  protocols,
  type RequestJson,
  restFormOf,
  segment,
} from './support/method-forms.js'
import { startTestService, type TestService } from './support/service.js'
import { standardSamples } from './support/standard-resources.js'
import { writeCalls } from './support/write-calls.js'

const { priorities, users } = fixture
const STRONG = /^"[\w-]{27}"$/

const relationships = '/v2/user-relationships'

const viewer = { teamId: fixture.it, userId: users.viewer, role: 'TEAM_USER_ROLE_VIEWER' }

/** What can be updated in one version: a write that changes it each time, and one that changes nothing. */
const versioned: Record<string, { method: MethodForms; change: (n: number) => RequestJson; keep: RequestJson }> = {
  priority: {
    method: {
      procedure: 'svc.v2.PriorityService/UpdatePriority',
      rest: ({ id, ...json }) => ({ method: 'PATCH', path: `/v2/priorities/${segment(id)}`, json }),
    },
    change: (n) => ({ id: priorities.it, name: `Name ${n}` }),
    keep: { id: priorities.it },
  },
  user: {
    method: {
      procedure: 'svc.v2.UserService/UpdateUser',
      rest: ({ id, ...json }) => ({ method: 'PUT', path: `/v2/users/${segment(id)}`, json }),
    },
    change: (n) => ({ id: users.agent, jobTitle: `Title ${n}`, pinFields: ['USER_PROFILE_FIELD_JOB_TITLE'] }),
    keep: { id: users.agent },
  },
  'team member': {
    method: {
      procedure: 'svc.v2.TeamService/SetTeamMember',
      rest: ({ teamId, userId, ...json }) => ({
        method: 'PUT',
        path: `/v2/teams/${segment(teamId)}/members/${segment(userId)}`,
        json,
      }),
    },
    change: (n) => ({ ...viewer, expiresAt: new Date(Date.UTC(2100, 1, 1 + n)).toISOString() }),
    keep: { ...viewer, expiresAt: new Date(Date.UTC(2100, 1, 1)).toISOString() },
  },
  'user relationship': {
    method: {
      procedure: 'svc.v2.UserRelationshipService/CreateUserRelationship',
      rest: (json) => ({ method: 'POST', path: relationships, json }),
    },
    change: (n) => ({ userId: users.viewer, relatedUserId: n % 2 === 0 ? users.manager : users.builder }),
    keep: { userId: users.viewer, relatedUserId: users.manager },
  },
}

/** What becomes of a tag in proxies that compress. */
const proxied: Record<string, (tag: string) => string> = {
  'nginx or HAProxy': (tag) => `W/${tag}`,
  'Apache or Caddy': (tag) => tag.replace(/"$/, '-gzip"'),
  Jetty: (tag) => tag.replace(/"$/, '--gzip"'),
  LiteSpeed: (tag) => tag.replace(/"$/, ';br"'),
  'one behind another': (tag) => `W/${tag.replace(/"$/, '-br"')}`,
}

let service: TestService
let token: string
let count = 0
beforeAll(async () => {
  service = await startTestService()
  await insertFixture(service.database)
  await insertFeedEvent(service.database)
  await insertManagedKeys(service.database)
  token = await insertUserToken(service.database, { userId: users.admin })
})
afterAll(() => service.stop())

describe.each(protocols)('over %s', (protocol) => {
  describe.each(Object.entries(versioned))('a %s', (resourceType, { method, change, keep }) => {
    const send = async (request: RequestJson, headers: Record<string, string> = {}) => {
      const outcome = await callMethod(service, method, { protocol, request, token, headers })
      return { ...outcome, etag: outcome.answer.headers.get('etag') ?? '' }
    }
    /** Its tag as it stands, after `keep`. */
    const current = async () => {
      await send(change(0))
      return (await send(keep)).etag
    }
    const other = () => change(1 + 2 * ++count)

    it('has a strong tag that changes exactly when the resource changes', async () => {
      const tag = await current()
      expect(tag).toMatch(STRONG)
      expect((await send(keep)).etag).toBe(tag)
      const changed = await send(other())
      expect(changed.etag).toMatch(STRONG)
      expect(changed.etag).not.toBe(tag)
    })

    it.each<[string, (tag: string) => string]>([
      ['its tag', (tag) => tag],
      ...Object.entries(proxied),
      ['a list that has its tag', (tag) => `"one", W/"two" ,, ${tag},"a,b"`],
      ['any', () => '*'],
    ])('is updated if If-Match has %s', async (_, ifMatch) => {
      const tag = await current()
      const changed = await send(other(), { 'if-match': ifMatch(tag) })
      expect([changed.status, changed.etag === tag]).toEqual([200, false])
    })

    it.each<[string, (tag: string, older: string) => string]>([
      ['another tag', () => '"another"'],
      ['a list without its tag', () => '"one", "two"'],
      ['its tag with an end that no proxy adds', (tag) => tag.replace(/"$/, '-more"')],
      ['its tag with the name of a coding in front', (tag) => tag.replace(/^"/, '"gzip-')],
      ['an older tag', (_, older) => older],
      ...Object.entries(proxied).map(([name, form]): [string, (tag: string, older: string) => string] => [
        `an older tag, of ${name}`,
        (_, older) => form(older),
      ]),
    ])('stays unchanged if If-Match has %s', async (_, ifMatch) => {
      const older = (await send(other())).etag
      const tag = await current()
      const events = await eventCount()
      expect(await send(other(), { 'if-match': ifMatch(tag, older) })).toMatchObject({
        status: 409,
        code: 'aborted',
        reason: 'ETAG_MISMATCH',
        metadata: { resourceType: resourceType.replaceAll(' ', '_') },
      })
      expect(await eventCount()).toBe(events)
      // A relationship that is assigned anew is another one.
      if (resourceType !== 'user relationship') expect((await send(keep)).etag).toBe(tag)
    })

    it.each(['tag', '"open', '"a" "b"', 'W/tag', '', ',', '*, "a"'])(
      'is refused if If-Match is %s',
      async (ifMatch) => {
        expect(await send(other(), { 'if-match': ifMatch })).toMatchObject({
          status: 400,
          code: 'invalid_argument',
          reason: 'FIELD_INVALID',
          fields: ['If-Match'],
        })
      },
    )

    it('is updated by only one of several writers with the same tag', async () => {
      for (let round = 0; round < 5; round++) {
        const tag = await current()
        const wanted = Array.from({ length: 4 }, other)
        const answers = await Promise.all(wanted.map((request) => send(request, { 'if-match': tag })))
        expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409])
      }
    })

    it('returns 404 if it does not exist, whatever If-Match has', async () => {
      if (resourceType === 'user relationship') return
      const missing = resourceType === 'team member' ? { userId: 'nothing' } : { id: 'nothing' }
      expect(await send({ ...keep, ...missing }, { 'if-match': '"another"' })).toMatchObject({ status: 404 })
    })

    it('returns its tag with a replayed response, and If-Match is part of the request', async () => {
      const tag = await current()
      const request = other()
      const headers = { 'idempotency-key': `tag-${++count}`, 'if-match': tag }
      const first = await send(request, headers)
      const again = await send(request, headers)
      expect(again).toMatchObject({ status: 200, etag: first.etag })
      expect(again.answer.headers.get('idempotency-replayed')).toBe('true')
      expect(await send(request, { ...headers, 'if-match': '*' })).toMatchObject({ reason: 'IDEMPOTENCY_KEY_REUSED' })
    })

    it('may be retried under the same key after a mismatch', async () => {
      const headers = { 'idempotency-key': `mismatch-${++count}` }
      const request = other()
      expect((await send(request, { ...headers, 'if-match': '"another"' })).status).toBe(409)
      expect(await send(request, { ...headers, 'if-match': '*' })).toMatchObject({ status: 200 })
    })
  })
})

it('a tag is checked over gRPC, as metadata', async () => {
  const client = service.client(PriorityService, token, 'grpc')
  let tag = ''
  const onHeader = (header: Headers) => {
    tag = header.get('etag') ?? ''
  }
  await client.updatePriority({ id: priorities.it, name: 'One' }, { onHeader })
  expect(tag).toMatch(STRONG)
  const update = (ifMatch: string) =>
    client.updatePriority({ id: priorities.it, name: 'Two' }, { headers: { 'if-match': ifMatch } })
  const mismatch: unknown = await update('"another"').catch((error: unknown) => error)
  expect(reasonOf(mismatch)).toBe('ERROR_REASON_ETAG_MISMATCH')
  expect((await update(tag)).data?.name).toBe('Two')
})

it('a tag is on every response whose method declares one in the schema, and on no other', async () => {
  const key = (await insertApiKey(service.database, { organizationId: fixture.acme })).token
  for (const { name, caller, request } of writeCalls) {
    const { verb, path, json } = restFormOf(methodNamed(name), request(++count))
    const answer = await service.rest(verb, path, { token: caller === 'admin' ? token : key, ...(json && { json }) })
    expect([name, answer.status, answer.headers.has('etag')]).toEqual([
      name,
      200,
      httpFormOf(methodNamed(name)).entityTag,
    ])
  }
  const reads = services
    .flatMap(({ methods }) => methods)
    .filter((method) => method.name.startsWith('Get') && httpFormOf(method).entityTag)
  const others = ['ApiKey', 'Group', 'Organization', 'Team', 'TeamMember', 'User', 'UserRelationship']
  const tagged = [...others, ...standardSamples.map((sample) => sample.name)]
  expect(reads.map(({ name }) => name).toSorted()).toEqual(tagged.map((name) => `Get${name}`).toSorted())
})

describe('the tag of a user', () => {
  const path = `/v2/users/${users.builder}`
  const tagOf = async () => (await service.rest('GET', path, { token })).headers.get('etag')

  it('is the same in every response', async () => {
    const put = await service.rest('PUT', path, {
      token,
      json: { firstName: 'Bea', pinFields: ['USER_PROFILE_FIELD_FIRST_NAME'] },
    })
    const key = (await insertApiKey(service.database, { organizationId: fixture.acme })).token
    const republished = await service.rest('POST', `${path}:republish`, { token: key, json: {} })
    const tags = [put, republished].map(({ headers }) => headers.get('etag'))
    expect(new Set([...tags, await tagOf()]).size).toBe(1)
    const created = await service.rest('POST', '/v2/users', { token, json: { email: 'tagged@example.com' } })
    const read = await service.rest('GET', `/v2/users/${created.json.data.id}`, { token })
    expect(read.headers.get('etag')).toBe(created.headers.get('etag'))
  })

  it('changes with the email address, the role and the manager', async () => {
    const tags = new Set([await tagOf()])
    for (const json of [{ email: 'bea@example.com' }, { role: 'USER_ROLE_ORG_GUEST' }]) {
      const changed = await service.rest('PUT', path, { token, json })
      expect(changed.headers.get('etag')).toBe(await tagOf())
      tags.add(await tagOf())
    }
    await service.rest('POST', relationships, { token, json: { userId: users.builder, relatedUserId: users.manager } })
    tags.add(await tagOf())
    expect(tags.size).toBe(4)
  })
})

describe('the tag of a relationship', () => {
  const path = `${relationships}/${users.contributor}`
  const assign = (headers = {}) =>
    service.rest('POST', relationships, {
      token,
      headers,
      json: { userId: users.contributor, relatedUserId: users.manager },
    })

  it('allows a manager to be replaced or cleared only in the version that was read', async () => {
    expect((await assign({ 'if-match': '*' })).status).toBe(409)
    const tag = (await assign()).headers.get('etag') ?? ''
    expect((await service.rest('GET', path, { token })).headers.get('etag')).toBe(tag)
    const clear = (ifMatch: string) => service.rest('DELETE', path, { token, headers: { 'if-match': ifMatch } })
    expect((await clear('"another"')).status).toBe(409)
    const cleared = await clear(tag)
    expect([cleared.status, cleared.headers.get('etag')]).toEqual([200, null])
    expect((await clear(tag)).status).toBe(409)
  })
})

describe.each([
  ['user', `/v2/users/${users.manager}`],
  ['user relationship', `${relationships}/${users.requester}`],
])('a conditional read of a %s', (_, path) => {
  const read = async (ifNoneMatch?: string, method = 'GET') =>
    service.rest(method, path, {
      token,
      ...(ifNoneMatch !== undefined && { headers: { 'if-none-match': ifNoneMatch } }),
    })
  beforeAll(async () => {
    const json = { userId: users.requester, relatedUserId: users.requesterManager }
    await service.rest('POST', relationships, { token, json })
  })

  it('gets 304 without a body for If-None-Match', async () => {
    const tag = (await read()).headers.get('etag') ?? ''
    for (const known of [tag, ...Object.values(proxied).map((form) => form(tag)), `"other", ${tag}`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const { status, text, headers } = await read(known, method)
        expect([known, status, text, headers.get('etag')]).toEqual([known, 304, '', tag])
        expect([headers.get('content-type'), headers.get('content-length')]).toEqual([null, null])
      }
    }
  })

  it.each(['"other"', 'W/"other", "more"', '"other-gzip"', 'nonsense', ''])(
    'gets no 304 if the tag is %s',
    async (known) => {
      expect(await read(known)).toMatchObject({ status: 200, json: { data: expect.anything() } })
    },
  )

  it('still needs a credential', async () => {
    const answer = await service.rest('GET', path, { headers: { 'if-none-match': '*' } })
    expect(answer.status).toBe(401)
  })
})

it.each(['gzip', 'br'])('a tag that came over Connect with a body in %s matches', async (coding) => {
  const call = async (method: string, request: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${service.baseUrl}/svc.v2.PriorityService/${method}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'accept-encoding': coding,
        ...headers,
      },
      body: JSON.stringify(request),
    })
    const etag = answer.headers.get('etag') ?? ''
    return { status: answer.status, coding: answer.headers.get('content-encoding'), etag, text: await answer.text() }
  }
  const id = fixture.priorities.it
  await call('UpdatePriority', { id, description: `${coding} ${'long '.repeat(500)}` })
  const read = await call('GetPriority', { id })
  expect([read.status, read.coding]).toEqual([200, coding])
  const changed = await call('UpdatePriority', { id, description: 'short' }, { 'if-match': read.etag })
  expect(changed.status).toBe(200)
  expect((await call('UpdatePriority', { id, description: '' }, { 'if-match': read.etag })).status).not.toBe(200)
})

async function eventCount(): Promise<number> {
  return (await service.database.query('SELECT FROM audit_events')).length
}
