import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { fixture, insertApiKey, insertFixture, insertUser, insertUserToken } from '../support/fixture.js'
import { connectDirectory, type ScimClient } from '../support/scim.js'
import { startTestService, type TestService } from '../support/service.js'

const { acme, groups, users } = fixture
const { admin, builder, agent } = users

describe('SCIM groups', () => {
  let service: TestService
  let entra: ScimClient
  let serial = 0
  let displayName: string
  let id: string
  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    entra = await connectDirectory(service)
  })
  afterAll(() => service.stop())
  beforeEach(async () => {
    serial += 1
    displayName = `Group ${serial}`
    const members = [{ value: admin }, { value: builder }]
    const { status, body } = await entra.send('POST', '/Groups', { displayName, externalId: `g-${serial}`, members })
    expect(status).toBe(201)
    id = body.id
  })

  const membersOf = async (groupId = id): Promise<string[]> =>
    ((await entra.send('GET', `/Groups/${groupId}`)).body.members as { value: string }[]).map(({ value }) => value)
  const actionsOf = async (targetId: string) =>
    (
      await service.database.query<{ action: string }>(
        'SELECT action FROM audit_events WHERE target_id = $1 ORDER BY occurred_at, id',
        [targetId],
      )
    ).map(({ action }) => action)

  const changesOf = async (targetId: string) =>
    (
      await service.database.query<{ action: string; changed_fields: string[] }>(
        'SELECT action, changed_fields FROM audit_events WHERE target_id = $1 ORDER BY occurred_at, id',
        [targetId],
      )
    ).map(({ action, changed_fields: fields }) => [action, fields])

  it('are those of the organization, with their members and a version', async () => {
    const { body, headers } = await entra.send('GET', `/Groups/${id}`)
    expect(body).toEqual({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
      id,
      externalId: `g-${serial}`,
      displayName,
      members: [admin, builder].map((value) => {
        return { value, display: value, type: 'User', $ref: `${service.baseUrl}/scim/v2/Users/${value}` }
      }),
      meta: {
        resourceType: 'Group',
        created: expect.any(String),
        lastModified: expect.any(String),
        location: `${service.baseUrl}/scim/v2/Groups/${id}`,
        version: headers.get('etag'),
      },
    })
    const user = await entra.send('GET', `/Users/${admin}`)
    expect(user.body.groups).toContainEqual({
      value: id,
      display: displayName,
      type: 'direct',
      $ref: body.meta.location,
    })
    expect((await entra.send('GET', `/Groups/${groups.it}`)).body.displayName).toBe('IT')
    expect((await entra.send('GET', `/Groups/${groups.globex}`)).status).toBe(404)
    expect(await actionsOf(id)).toEqual(['group.create'])
  })

  it('are returned without their members if these are excluded', async () => {
    const { body } = await entra.send('GET', `/Groups/${id}?excludedAttributes=members`)
    expect([body.displayName, body.members]).toEqual([displayName, undefined])
  })

  it('are listed and found, with or without their members', async () => {
    const list = async (query: string) => (await entra.send('GET', `/Groups?${query}`)).body
    const found = await list(`filter=${encodeURIComponent(`displayName eq "group ${serial}"`)}`)
    expect([found.totalResults, found.Resources.length]).toEqual([1, 1])
    expect(found.Resources[0]).toEqual((await entra.send('GET', `/Groups/${id}`)).body)
    const named = await list(`excludedAttributes=members&filter=${encodeURIComponent(`externalId eq "g-${serial}"`)}`)
    expect([named.Resources[0].id, named.Resources[0].members]).toEqual([id, undefined])
    const ofMember = await list(`filter=${encodeURIComponent(`members[value eq "${admin}"] and id eq "${id}"`)}`)
    expect(ofMember.totalResults).toBe(1)
    const page = await list('startIndex=1&count=1')
    expect([page.itemsPerPage, page.Resources[0].displayName, page.totalResults > 1]).toEqual([1, 'IT', true])
    const searched = await entra.send('POST', '/Groups/.search', {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
      filter: `displayName sw "Group ${serial}"`,
      attributes: ['displayName'],
    })
    expect(searched.body.Resources[0]).toEqual({ schemas: found.Resources[0].schemas, id, displayName })
  })

  it.each<[shape: string, operations: readonly object[], members: readonly string[]]>([
    ['Entra: add', [{ op: 'Add', path: 'members', value: [{ value: agent }] }], [admin, builder, agent]],
    ['Entra: remove by value', [{ op: 'Remove', path: 'members', value: [{ value: admin }] }], [builder]],
    [
      'Entra: remove a user who is not a member',
      [{ op: 'Remove', path: 'members', value: [{ value: agent }] }],
      [admin, builder],
    ],
    ['Entra: remove with an empty value', [{ op: 'Remove', path: 'members', value: [] }], [admin, builder]],
    [
      'Entra: a $ref of null beside the value',
      [{ op: 'Remove', path: 'members', value: [{ $ref: null, value: admin }] }],
      [builder],
    ],
    [
      'WSO2: remove by a filter on the type as well',
      [{ op: 'remove', path: `members[type eq "User" and value eq "${admin}"]` }],
      [builder],
    ],
    ['Entra: remove by a filter', [{ op: 'Remove', path: `members[value eq "${admin}"]` }], [builder]],
    [
      'Okta: add and remove',
      [
        { op: 'remove', path: `members[value eq "${builder}"]` },
        { op: 'add', path: 'members', value: [{ value: agent, display: 'it-agent' }] },
      ],
      [admin, agent],
    ],
    ['Okta: replace all members', [{ op: 'replace', path: 'members', value: [{ value: agent }] }], [agent]],
    ['Okta: without a path', [{ op: 'replace', value: { members: [{ value: agent }] } }], [agent]],
    [
      'one member that is not a list',
      [{ op: 'add', path: 'members', value: { value: agent } }],
      [admin, builder, agent],
    ],
    ['ids at members.value', [{ op: 'add', path: 'members.value', value: agent }], [admin, builder, agent]],
    ['an existing member', [{ op: 'add', path: 'members', value: [{ value: admin }] }], [admin, builder]],
    ['remove without a value', [{ op: 'remove', path: 'members' }], []],
    [
      'add, then remove',
      [
        { op: 'add', path: 'members', value: [{ value: agent }] },
        { op: 'remove', path: 'members', value: [{ value: agent }] },
      ],
      [admin, builder],
    ],
  ])('have the right members after a PATCH. %s', async (_, operations, members) => {
    const { status, body } = await entra.patch(`/Groups/${id}`, ...operations)
    expect([status, body]).toEqual([204, undefined])
    expect(await membersOf()).toEqual(members)
  })

  it.each<[shape: string, operation: object, status: number, scimType: string]>([
    ['a member that is not a user', { op: 'add', path: 'members', value: [{ value: 'nobody' }] }, 400, 'invalidValue'],
    ['a group as a member', { op: 'add', path: 'members', value: [{ value: groups.it }] }, 400, 'invalidValue'],
    [
      'a member of another organization',
      { op: 'add', path: 'members', value: [{ value: users.globexAdmin }] },
      400,
      'invalidValue',
    ],
    ['a member without a value', { op: 'remove', path: 'members', value: [{ id: admin }] }, 400, 'invalidValue'],
    ['a read-only attribute', { op: 'replace', path: 'id', value: 'x' }, 400, 'mutability'],
    ['no name', { op: 'remove', path: 'displayName' }, 400, 'invalidValue'],
    ['the name of another group', { op: 'replace', path: 'displayName', value: 'it' }, 409, 'uniqueness'],
    ['a filter on something else', { op: 'remove', path: 'members[display eq "x"]' }, 400, 'invalidFilter'],
    [
      'a filter on something else as well',
      { op: 'remove', path: `members[display eq "x" and value eq "${admin}"]` },
      400,
      'invalidFilter',
    ],
    ['a filter on the type alone', { op: 'remove', path: 'members[type eq "User"]' }, 400, 'invalidFilter'],
  ])('refuse %s, and stay unchanged', async (_, operation, status, scimType) => {
    const before = await entra.send('GET', `/Groups/${id}`)
    const answer = await entra.patch(
      `/Groups/${id}`,
      { op: 'add', path: 'members', value: [{ value: agent }] },
      operation,
    )
    expect([answer.status, answer.body.scimType]).toEqual([status, scimType])
    expect((await entra.send('GET', `/Groups/${id}`)).body).toEqual(before.body)
    expect(await actionsOf(id)).toEqual(['group.create'])
  })

  it('are renamed and replaced, but not written if nothing changes', async () => {
    await entra.patch(`/Groups/${id}`, { op: 'Replace', path: 'displayName', value: `New ${serial}` })
    await entra.patch(`/Groups/${id}`, { op: 'replace', value: { id, displayName: `New ${serial}` } })
    expect(await actionsOf(id)).toEqual(['group.create', 'group.update'])
    const whole = { displayName, members: [{ value: agent }] }
    const { body } = await entra.send('PUT', `/Groups/${id}`, whole)
    expect(body).toMatchObject({ displayName, externalId: `g-${serial}`, members: [{ value: agent }] })
    const again = await entra.send('PUT', `/Groups/${id}`, whole)
    expect([again.body.meta, (await actionsOf(id)).length]).toEqual([body.meta, 3])
  })

  it('cannot be created twice', async () => {
    for (const group of [{ displayName }, { displayName: `Other ${serial}`, externalId: `g-${serial}` }]) {
      const { status, body } = await entra.send('POST', '/Groups', group)
      expect([status, body.scimType]).toEqual([409, 'uniqueness'])
    }
  })

  it('change their version with their members, and enforce an expected version', async () => {
    const { headers } = await entra.send('GET', `/Groups/${id}`)
    const version = String(headers.get('etag'))
    const put = () => entra.send('PUT', `/Groups/${id}`, { displayName, members: [] }, { 'if-match': version })
    expect((await entra.send('GET', `/Groups/${id}`, undefined, { 'if-none-match': version })).status).toBe(304)
    expect((await put()).status).toBe(200)
    expect((await put()).status).toBe(412)
  })

  it('lose users whom the directory deletes', async () => {
    await insertUser(service.database, { id: `leaver-${serial}`, organizationId: acme })
    await entra.patch(`/Groups/${id}`, { op: 'add', path: 'members', value: [{ value: `leaver-${serial}` }] })
    await entra.send('DELETE', `/Users/leaver-${serial}`)
    expect(await membersOf()).toEqual([admin, builder])
    const { body: other } = await entra.send('POST', '/Groups', { displayName: `Other ${serial}` })
    await insertUser(service.database, { id: `second-${serial}`, organizationId: acme })
    for (const groupId of [id, other.id]) {
      await entra.patch(`/Groups/${groupId}`, { op: 'add', path: 'members', value: [{ value: `second-${serial}` }] })
    }
    await entra.send('DELETE', `/Users/second-${serial}`)
    expect((await changesOf(id)).at(-1)).toEqual(['group.update', ['members']])
    expect(await changesOf(other.id)).toEqual([
      ['group.create', []],
      ['group.update', ['members']],
      ['group.update', ['members']],
    ])
    const { token } = await insertApiKey(service.database, { organizationId: acme })
    const { json } = await service.rest('GET', `/v2/audit-events?targetId=${other.id}&pageSize=1`, { token })
    expect(json.data).toMatchObject([{ action: 'group.update', actor: { kind: 'ACTOR_KIND_DIRECTORY' } }])
  })

  it.each<[what: string, operation: () => object, changed: readonly string[]]>([
    ['a name', () => ({ op: 'replace', path: 'displayName', value: `New ${serial}` }), ['name']],
    ['an id', () => ({ op: 'replace', path: 'externalId', value: `new-${serial}` }), ['externalId']],
    ['a member', () => ({ op: 'add', path: 'members', value: [{ value: agent }] }), ['members']],
    [
      'all of them',
      () => ({ op: 'replace', value: { displayName: `New ${serial}`, externalId: `new-${serial}`, members: [] } }),
      ['name', 'externalId', 'members'],
    ],
  ])('say in their events what has changed: %s', async (_, operation, changed) => {
    await entra.patch(`/Groups/${id}`, operation())
    expect(await changesOf(id)).toEqual([
      ['group.create', []],
      ['group.update', changed],
    ])
  })

  it.each([255, 256])('can have names of %i characters, which an export keeps', async (length) => {
    const long = `${serial}`.padEnd(length, 'x')
    const { status, body } = await entra.send('POST', '/Groups', { displayName: long })
    expect([status, body.displayName]).toEqual([201, long])
    const group = { id: body.id, organizationId: acme, name: long, userIds: [], directoryManaged: true }
    const token = await insertUserToken(service.database, { userId: admin })
    const planned = await service.rest('POST', '/v2/imports?validateOnly=true', { token, json: [{ group }] })
    expect(planned.status).toBe(200)
    expect((await entra.send('POST', '/Groups', { displayName: 'x'.repeat(257) })).status).toBe(400)
  })

  it('can be deleted, unless they are approvers', async () => {
    expect((await entra.send('DELETE', `/Groups/${id}`)).status).toBe(204)
    expect((await entra.send('GET', `/Groups/${id}`)).status).toBe(404)
    expect(await actionsOf(id)).toEqual(['group.create', 'group.delete'])
    const { body: group } = await entra.send('POST', '/Groups', { displayName: `Approvers ${serial}` })
    const { token } = await insertApiKey(service.database, { organizationId: acme })
    const approvers = [{ group: { groupId: group.id } }]
    const path = `/v2/access-policies/${fixture.accessPolicies.it}/approval-procedures`
    expect((await service.rest('POST', path, { token, json: { steps: [{ approvers }] } })).status).toBe(200)
    const kept = await entra.send('DELETE', `/Groups/${group.id}`)
    expect([kept.status, kept.body.detail]).toEqual([409, expect.stringContaining('approval procedures')])
    expect((await entra.send('GET', `/Groups/${group.id}`)).status).toBe(200)
  })
})
