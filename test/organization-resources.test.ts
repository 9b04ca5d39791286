import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { fixture, insertApiKey, insertFixture, insertUserToken } from './support/fixture.js'
import { callMethod, formsOf, type Outcome, protocols, type RequestJson } from './support/method-forms.js'
import { startTestService, type TestService } from './support/service.js'

const { acme, it: team, people, groups, users } = fixture

let service: TestService
let admin: string
let manager: string
let key: string

beforeAll(async () => {
  service = await startTestService()
  await insertFixture(service.database)
  admin = await insertUserToken(service.database, { userId: users.admin })
  manager = await insertUserToken(service.database, { userId: users.manager })
  key = (await insertApiKey(service.database, { organizationId: acme })).token
})
afterAll(() => service.stop())
beforeEach(() => service.database.execute('DELETE FROM audit_events'))

const events = () =>
  service.database.query(
    'SELECT action, target_id AS id, team_id AS "teamId", changed_fields AS fields FROM audit_events ORDER BY occurred_at, id',
  )
const idsOf = ({ answer }: Outcome) => answer.json.data.map(({ id }: { id: string }) => id)

describe.each(protocols)('over %s', (protocol) => {
  const call = (name: string, request: RequestJson, token = admin, headers = {}): Promise<Outcome> =>
    callMethod(service, formsOf(name), { protocol, request, token, headers })

  describe.each([
    { name: 'Team', team: (id: string) => id, added: { memberCount: 0 }, first: team, foreign: fixture.globexIt },
    {
      name: 'Group',
      team: () => '',
      added: { directoryManaged: false, memberCount: 0 },
      first: groups.it,
      foreign: groups.globex,
    },
  ])('a $name', ({ name, team: teamOf, added, first, foreign }) => {
    const made = async (text: string) => (await call(`Create${name}`, { name: text }, key)).answer.json.data

    it('is created, read, renamed and deleted, and each write is recorded', async () => {
      const created = await call(`Create${name}`, { name: 'New' }, key)
      const { id } = created.answer.json.data
      expect(created.answer.json).toEqual({ data: { id, name: 'New', ...added } })
      const read = await call(`Get${name}`, { id })
      expect([read.answer.json, read.answer.headers.get('etag')]).toEqual([
        created.answer.json,
        created.answer.headers.get('etag'),
      ])
      const renamed = await call(`Update${name}`, { id, name: 'Newer' })
      expect(renamed.answer.json).toEqual({ data: { id, name: 'Newer', ...added } })
      const old = { 'if-match': created.answer.headers.get('etag') ?? '' }
      for (const verb of ['Update', 'Delete']) {
        expect((await call(`${verb}${name}`, { id }, admin, old)).reason).toBe('ETAG_MISMATCH')
      }
      const headers = { 'idempotency-key': `delete-${name}-${protocol}` }
      for (const _ of [1, 2]) expect((await call(`Delete${name}`, { id }, admin, headers)).answer.json).toEqual({})
      expect((await call(`Get${name}`, { id })).reason).toBe('RESOURCE_NOT_FOUND')
      const resource = name.toLowerCase()
      expect(await events()).toEqual([
        { action: `${resource}.create`, id, teamId: teamOf(id), fields: expect.arrayContaining(['id', 'name']) },
        { action: `${resource}.update`, id, teamId: teamOf(id), fields: ['name'] },
        { action: `${resource}.delete`, id, teamId: teamOf(id), fields: [] },
      ])
    })

    it('is listed once, in creation order, with the exact total', async () => {
      const made5 = [await made('One'), await made('Two'), await made('Three')].map(({ id }) => id)
      const seen: string[] = []
      let pageToken = ''
      let total = 0
      do {
        const page = await call(`List${name}s`, { pageSize: 2, pageToken, includeTotal: true })
        seen.push(...idsOf(page))
        total = page.answer.json.totalSize
        pageToken = page.answer.json.nextPageToken
      } while (pageToken !== '')
      expect([seen[0], seen.slice(-3), new Set(seen).size]).toEqual([first, made5, total])
      expect(seen).not.toContain(foreign)
      for (const id of made5) await call(`Delete${name}`, { id })
    })

    it('of another organization, and one that does not exist, are not found', async () => {
      for (const id of ['nothing', foreign]) {
        for (const verb of ['Get', 'Update', 'Delete']) {
          expect(await call(`${verb}${name}`, { id })).toMatchObject({ status: 404, reason: 'RESOURCE_NOT_FOUND' })
        }
      }
    })
  })

  it('a team is deleted with its roles and dead keys, but not with anything else', async () => {
    const { id } = (await call('CreateTeam', { name: 'Short-lived' })).answer.json.data
    const refusal = () => call('DeleteTeam', { id })
    await call('SetTeamMember', { teamId: id, userId: users.agent, role: 'TEAM_USER_ROLE_AGENT' })
    const ended = await insertApiKey(service.database, { organizationId: acme, teamId: id })
    await service.database.execute('UPDATE api_keys SET expires_at = now() WHERE id = $1', [ended.id])
    const dead = await insertApiKey(service.database, { organizationId: acme, teamId: id })
    await call('CreateEntityType', { teamId: id, name: 'Thing' })
    const { reason, metadata } = await refusal()
    expect([reason, metadata['referrers']]).toEqual(['RESOURCE_IN_USE', 'entityTypes,apiKeys'])
    await service.database.execute('DELETE FROM entity_types WHERE team_id = $1', [id])
    expect((await refusal()).metadata['referrers']).toBe('apiKeys')
    await service.database.execute(
      `UPDATE api_keys SET revoked_at = now(), revoked_by = 'OPERATOR'::api_key_revocation WHERE id = $1`,
      [dead.id],
    )
    expect((await refusal()).status).toBe(200)
    expect(await service.database.query('SELECT FROM team_members WHERE team_id = $1', [id])).toEqual([])
  })

  it('a manager sees and renames the own team, and creates none', async () => {
    expect(idsOf(await call('ListTeams', {}, manager))).toEqual([team])
    expect((await call('UpdateTeam', { id: team, name: 'IT' }, manager)).status).toBe(200)
    expect((await call('GetTeam', { id: people }, manager)).reason).toBe('RESOURCE_NOT_FOUND')
    expect((await call('CreateTeam', { name: 'Mine' }, manager)).reason).toBe('PERMISSION_MISSING')
    expect(idsOf(await call('ListGroups', {}, manager))).toEqual([])
    expect((await call('CreateGroup', { name: 'Mine' }, manager)).reason).toBe('PERMISSION_MISSING')
  })

  it('members of a group are added once, listed, and taken out, and each change is recorded', async () => {
    const { id: groupId } = (await call('CreateGroup', { name: 'Readers' })).answer.json.data
    const wanted = [users.viewer, users.agent, users.builder]
    const memberOf = (userId: string) => ({ groupId, userId, name: userId, email: `${userId}@example.com` })
    for (const userId of [...wanted, users.viewer]) {
      expect((await call('AddGroupMember', { groupId, userId })).answer.json).toEqual({ data: memberOf(userId) })
    }
    const other = await insertUserToken(service.database, {
      userId: users.globexAdmin,
      organizationId: fixture.globex,
    })
    const isListed = { id: groupId, name: 'Readers', directoryManaged: false, memberCount: 3 }
    expect((await call('ListUserGroups', { userId: users.viewer })).answer.json.data).toContainEqual(isListed)
    expect((await call('ListUserGroups', { userId: users.viewer }, other)).answer.json.data).toEqual([])
    const first = (await call('ListGroupMembers', { groupId, pageSize: 2, includeTotal: true })).answer.json
    const second = { groupId, pageSize: 2, pageToken: first.nextPageToken }
    const { data, nextPageToken } = (await call('ListGroupMembers', second)).answer.json
    const members = wanted.toSorted().map(memberOf)
    expect([[...first.data, ...data], first.totalSize, nextPageToken]).toEqual([members, 3, ''])
    expect((await call('RemoveGroupMember', { groupId, userId: users.viewer })).answer.json).toEqual({})
    expect((await call('RemoveGroupMember', { groupId, userId: users.viewer })).reason).toBe('RESOURCE_NOT_FOUND')
    expect((await events()).slice(1).map(({ fields }) => fields)).toEqual([
      ...wanted.map(() => ['members']),
      [],
      ['members'],
    ])
    for (const userId of ['nobody', users.globexAdmin]) {
      expect(await call('AddGroupMember', { groupId, userId })).toMatchObject({ metadata: { resourceType: 'user' } })
    }
    const foreign = { groupId: groups.globex, userId: users.viewer }
    expect((await call('AddGroupMember', foreign)).metadata).toMatchObject({ resourceType: 'group' })
    expect((await call('DeleteGroup', { id: groupId })).status).toBe(200)
  })

  it.each([
    { name: 'Team', join: 'SetTeamMember', leave: 'RemoveTeamMember', of: (teamId: string) => ({ teamId }) },
    { name: 'Group', join: 'AddGroupMember', leave: 'RemoveGroupMember', of: (groupId: string) => ({ groupId }) },
  ])('a $name says how many are in it, and its tag follows', async ({ name, join, leave, of }) => {
    const { id } = (await call(`Create${name}`, { name: 'Counted' })).answer.json.data
    const tags = new Set<string | null>()
    const expectCount = async (count: number) => {
      const { answer } = await call(`Get${name}`, { id })
      expect(answer.json.data.memberCount).toBe(count)
      const { data } = (await call(`List${name}s`, { q: 'counted' })).answer.json
      expect(data).toEqual([answer.json.data])
      tags.add(answer.headers.get('etag'))
    }
    await expectCount(0)
    const role = name === 'Team' ? { role: 'TEAM_USER_ROLE_VIEWER', expiresAt: '2100-01-01T00:00:00Z' } : {}
    for (const userId of [users.viewer, users.agent]) await call(join, { ...of(id), userId, ...role })
    await expectCount(2)
    await call(leave, { ...of(id), userId: users.viewer })
    await expectCount(1)
    // A role that has ended is none, even before it is swept away.
    await service.database.execute(`UPDATE team_members SET expires_at = now() WHERE team_id = $1`, [id])
    if (name === 'Team') await expectCount(0)
    expect(tags.size).toBeGreaterThan(2)
    await call(`Delete${name}`, { id })
  })

  it('users are read by their ids, at most 500 at once, and of no other organization', async () => {
    const ids = [users.viewer, users.agent, users.globexAdmin, 'nobody']
    const { data, totalSize } = (await call('ListUsers', { ids, includeTotal: true })).answer.json
    expect([data.map(({ id }: { id: string }) => id).toSorted(), totalSize]).toEqual([
      [users.viewer, users.agent].toSorted(),
      2,
    ])
    const many = Array.from({ length: 501 }, (_, index) => `user_${index}`)
    expect(await call('ListUsers', { ids: many })).toMatchObject({ status: 400 })
  })

  it('users are read by their addresses, whatever the case, at most 500 at once, and of no other organization', async () => {
    const read = async (ids: string[]) => (await call('ListUsers', { ids })).answer.json.data
    const [viewer, agent] = await read([users.viewer, users.agent])
    const emails = [viewer.email.toUpperCase(), agent.email, 'admin@globex.example', 'nobody@acme.example']
    expect((await call('ListUsers', { emails, includeTotal: true })).answer.json).toMatchObject({
      data: [{ id: viewer.id }, { id: agent.id }],
      totalSize: 2,
    })
    // All filters apply at once.
    expect((await call('ListUsers', { emails, ids: [agent.id] })).answer.json.data).toMatchObject([{ id: agent.id }])
    const many = Array.from({ length: 501 }, (_, index) => `${index}@acme.example`)
    for (const refused of [many, ['a@acme.example,b@acme.example']]) {
      expect(await call('ListUsers', { emails: refused })).toMatchObject({ status: 400 })
    }
  })

  it('a group that an approval step names is not deleted', async () => {
    const { id } = (await call('CreateGroup', { name: 'Approvers' })).answer.json.data
    const accessPolicyId = fixture.accessPolicies.it
    const asking = []
    for (let count = 0; count < 4; count++) {
      const steps = [
        { approvers: [{ group: { groupId: id } }] },
        { approvers: [{ manager: {} }, { group: { groupId: id } }] },
      ]
      asking.push((await call('CreateAccessPolicyApprovalProcedure', { accessPolicyId, steps })).answer.json.data.id)
    }
    const { reason, metadata, answer } = await call('DeleteGroup', { id })
    expect([reason, metadata['referrers']]).toEqual(['RESOURCE_IN_USE', 'approvalProcedures'])
    const named = asking.slice(0, 3).map((each) => `${each} of the access policy ${accessPolicyId}`)
    expect(answer.json.message).toBe(
      `the group is in use: first delete the approval procedures ${named.join(', ')} that refer to it, or make them refer to another`,
    )
    for (const procedure of asking) await call('DeleteAccessPolicyApprovalProcedure', { accessPolicyId, id: procedure })
    expect((await call('DeleteGroup', { id })).status).toBe(200)
  })

  it('a group that the directory manages is read-only', async () => {
    const { id } = (await call('CreateGroup', { name: 'Synced' })).answer.json.data
    await call('AddGroupMember', { groupId: id, userId: users.viewer })
    await service.database.execute('UPDATE groups SET directory_managed = true WHERE id = $1', [id])
    expect((await call('GetGroup', { id })).answer.json.data.directoryManaged).toBe(true)
    for (const [name, request] of [
      ['UpdateGroup', { id, name: 'Mine' }],
      ['DeleteGroup', { id }],
      ['AddGroupMember', { groupId: id, userId: users.agent }],
      ['RemoveGroupMember', { groupId: id, userId: users.viewer }],
    ] as const) {
      const { code, reason } = await call(name, request)
      expect([name, code, reason]).toEqual([name, 'failed_precondition', 'GROUP_MANAGED_BY_DIRECTORY'])
    }
  })
})
