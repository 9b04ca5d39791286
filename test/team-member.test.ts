import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { keyPermissions } from '../src/domain/caller/caller.js'
import { fixture, insertApiKey, insertFixture, insertUser, insertUserToken } from './support/fixture.js'
import { callMethod, formsOf, type Outcome, protocols, type RequestJson } from './support/method-forms.js'
import { startTestService, type TestService } from './support/service.js'

const { acme, it: team, people, users } = fixture
const role = (name: string) => `TEAM_USER_ROLE_${name}`
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()
/** Whose roles the tests set. */
const user = 'newcomer'

let service: TestService
const tokens: Record<string, string> = {}

beforeAll(async () => {
  service = await startTestService()
  const { database } = service
  await insertFixture(database)
  await insertUser(database, { id: user, organizationId: acme })
  for (const id of [user, ...Object.values(users)]) {
    if (id !== users.globexAdmin) tokens[id] = await insertUserToken(database, { userId: id })
  }
})
afterAll(() => service.stop())
beforeEach(async () => {
  await service.database.execute('DELETE FROM team_members WHERE user_id = $1', [user])
  await service.database.execute('DELETE FROM audit_events')
})

const foreign = () => insertUserToken(service.database, { userId: users.globexAdmin, organizationId: fixture.globex })
/** What lists of members show of the user. */
const named = { name: user, email: `${user}@example.com` }

const events = () =>
  service.database.query(
    `SELECT action, target_type, target_id, team_id, changed_fields FROM audit_events ORDER BY occurred_at, id`,
  )

describe.each(protocols)('over %s', (protocol) => {
  const call = (name: string, request: RequestJson, token = tokens[users.manager], headers = {}): Promise<Outcome> =>
    callMethod(service, formsOf(name), { protocol, request, token, headers })
  const set = (request: RequestJson, token?: string) =>
    call('SetTeamMember', { teamId: team, userId: user, role: role('AGENT'), ...request }, token)
  const remove = (token?: string, headers = {}) =>
    call('RemoveTeamMember', { teamId: team, userId: user }, token, headers)
  const listed = async (request: RequestJson = {}, token?: string) => {
    const { answer } = await call('ListTeamMembers', { teamId: team, ...request }, token)
    return answer.json
  }
  const canWriteTickets = async () =>
    (await call('UpdatePriority', { id: fixture.priorities.it, name: 'N' }, tokens[user])).status === 200

  it('a role takes effect with the next call of its user, is listed, and ends when it is removed', async () => {
    expect(await canWriteTickets()).toBe(false)
    const given = await set({})
    const member = { teamId: team, userId: user, role: role('AGENT'), ...named }
    expect([given.status, given.answer.json]).toEqual([200, { data: member }])
    expect(await canWriteTickets()).toBe(true)
    expect((await listed()).data).toContainEqual(member)
    const ofUser = await call('ListUserTeams', { userId: user })
    expect(ofUser.answer.json).toEqual({ data: [member], nextPageToken: '' })
    expect((await call('ListUserTeams', { userId: user }, await foreign())).answer.json.data).toEqual([])
    expect((await remove()).answer.json).toEqual({})
    expect(await canWriteTickets()).toBe(false)
    expect((await listed()).data).not.toContainEqual(member)
    expect(await remove()).toMatchObject({ status: 404, reason: 'RESOURCE_NOT_FOUND' })
  })

  it('a role replaces the previous one, with its end, and each change is recorded with the fields that differ', async () => {
    const expiresAt = inAnHour()
    expect((await set({ expiresAt })).answer.json.data).toMatchObject({ expiresAt })
    const second = await set({ role: role('VIEWER'), expiresAt })
    expect(second.answer.json.data).toEqual({ teamId: team, userId: user, role: role('VIEWER'), expiresAt, ...named })
    expect((await set({ role: role('VIEWER') })).answer.json.data).not.toHaveProperty('expiresAt')
    await remove()
    const event = { action: 'team_member.set', target_type: 'user', target_id: user, team_id: team }
    expect(await events()).toEqual([
      { ...event, changed_fields: ['role', 'expiresAt'] },
      { ...event, changed_fields: ['role'] },
      { ...event, changed_fields: ['expiresAt'] },
      { ...event, action: 'team_member.remove', changed_fields: [] },
    ])
  })

  it('a role that has ended is neither listed nor removed, and another one can be given', async () => {
    await set({ expiresAt: inAnHour() })
    await service.database.execute('UPDATE team_members SET expires_at = now() WHERE user_id = $1', [user])
    const { data, totalSize } = await listed({ includeTotal: true })
    expect([data.map(({ userId }: { userId: string }) => userId), data.length]).toEqual([
      expect.not.arrayContaining([user]),
      totalSize,
    ])
    expect((await remove()).reason).toBe('RESOURCE_NOT_FOUND')
    expect(await canWriteTickets()).toBe(false)
    expect((await set({})).status).toBe(200)
    expect(await canWriteTickets()).toBe(true)
  })

  it('members are listed once each, page by page, with the exact total', async () => {
    const seen: string[] = []
    let pageToken = ''
    do {
      const page = await listed({ pageSize: 3, pageToken, includeTotal: true }, tokens[users.viewer])
      expect(page.totalSize).toBe(7)
      seen.push(...page.data.map(({ userId }: { userId: string }) => userId))
      pageToken = page.nextPageToken
    } while (pageToken !== '')
    const { manager, builder, agent, contributor, viewer, guest, both } = users
    expect(seen).toEqual([both, agent, builder, contributor, guest, manager, viewer].toSorted())
    const { nextPageToken } = await listed({ pageSize: 1 })
    const other = { teamId: people, pageSize: 1, pageToken: nextPageToken }
    expect((await call('ListTeamMembers', other, tokens[users.admin])).reason).toBe('PAGE_TOKEN_INVALID')
  })

  it('the roles of every team that the caller may read are listed under -, once each, and of no other', async () => {
    const everywhere = async (request: RequestJson, token?: string) => {
      const seen: Record<string, string>[] = []
      let pageToken = ''
      do {
        const page = await listed({ teamId: '-', pageSize: 3, pageToken, includeTotal: true, ...request }, token)
        seen.push(...page.data)
        pageToken = page.nextPageToken
        if (pageToken === '') expect(page.totalSize).toBe(seen.length)
      } while (pageToken !== '')
      return seen
    }
    const all = await everywhere({ pageSize: 1_000 }, tokens[users.admin])
    expect([...new Set(all.map(({ teamId }) => String(teamId)))].toSorted()).toEqual([team, people].toSorted())
    expect(await everywhere({}, tokens[users.admin])).toEqual(all)
    expect(await everywhere({}, tokens[users.viewer])).toEqual(all.filter(({ teamId }) => teamId === team))
    const { token: teamKey } = await insertApiKey(service.database, {
      organizationId: acme,
      teamId: people,
      permissions: ['teams:read'],
    })
    expect(await everywhere({}, teamKey)).toEqual(all.filter(({ teamId }) => teamId === people))
  })

  it('the roles that end before a moment are listed with the first end first, page by page', async () => {
    const [soon, later] = [inAnHour(), new Date(Date.now() + 7_200_000).toISOString()]
    await set({ expiresAt: later })
    await set({ teamId: people, expiresAt: soon }, tokens[users.admin])
    const ends = async (request: RequestJson) => {
      const found: string[] = []
      let pageToken = ''
      do {
        const page = await listed({ teamId: '-', pageSize: 1, pageToken, ...request }, tokens[users.admin])
        found.push(...page.data.map(({ teamId, expiresAt }: Record<string, string>) => `${teamId} ${expiresAt}`))
        pageToken = page.nextPageToken
      } while (pageToken !== '')
      return found
    }
    expect(await ends({ expiresBefore: '2100-01-01T00:00:00Z' })).toEqual([`${people} ${soon}`, `${team} ${later}`])
    expect(await ends({ expiresBefore: later })).toEqual([`${people} ${soon}`])
    expect(await ends({ expiresBefore: soon })).toEqual([])
    expect(await ends({ expiresBefore: '2100-01-01T00:00:00Z', teamId: team })).toEqual([`${team} ${later}`])
    const { nextPageToken } = await listed({ teamId: '-', pageSize: 1 }, tokens[users.admin])
    const other = { teamId: '-', pageToken: nextPageToken, expiresBefore: later }
    expect((await call('ListTeamMembers', other, tokens[users.admin])).reason).toBe('PAGE_TOKEN_INVALID')
  })

  it('a role is read with the tag that If-Match takes, and one that has ended is not found', async () => {
    const member = { teamId: team, userId: user }
    const get = () => call('GetTeamMember', member)
    expect(await get()).toMatchObject({ status: 404, reason: 'RESOURCE_NOT_FOUND' })
    const given = await set({ expiresAt: inAnHour() })
    const read = await get()
    expect(read.answer.json).toEqual(given.answer.json)
    const etag = read.answer.headers.get('etag') ?? ''
    expect(etag).toBe(given.answer.headers.get('etag'))
    await set({ role: role('VIEWER') })
    expect((await remove(undefined, { 'if-match': etag })).reason).toBe('ETAG_MISMATCH')
    await set({ expiresAt: inAnHour() })
    await service.database.execute('UPDATE team_members SET expires_at = now() WHERE user_id = $1', [user])
    expect(await get()).toMatchObject({ status: 404, metadata: { resourceType: 'team_member' } })
  })

  it('only the version that If-Match names is removed, once for an Idempotency-Key', async () => {
    const etag = (await set({})).answer.headers.get('etag') ?? ''
    await set({ role: role('VIEWER') })
    expect((await remove(undefined, { 'if-match': etag })).reason).toBe('ETAG_MISMATCH')
    const current = (await set({})).answer.headers.get('etag') ?? ''
    const headers = { 'if-match': current, 'idempotency-key': `remove-${protocol}` }
    for (const _ of [1, 2]) expect((await remove(undefined, headers)).answer.json).toEqual({})
    expect((await events()).filter(({ action }) => action === 'team_member.remove')).toHaveLength(1)
  })

  it('a team that the caller cannot see, and a user of another organization, are not found', async () => {
    for (const teamId of ['nowhere', people, fixture.globexIt]) {
      for (const name of ['ListTeamMembers', 'GetTeamMember', 'SetTeamMember', 'RemoveTeamMember']) {
        const member = name === 'ListTeamMembers' ? {} : { userId: user }
        const request = { teamId, ...member, ...(name === 'SetTeamMember' && { role: role('VIEWER') }) }
        expect(await call(name, request)).toMatchObject({
          status: 404,
          reason: 'RESOURCE_NOT_FOUND',
          metadata: { resourceType: 'team' },
        })
      }
    }
    for (const userId of ['nobody', users.globexAdmin]) {
      expect(await set({ userId })).toMatchObject({ status: 404, metadata: { resourceType: 'user' } })
    }
    expect(await events()).toEqual([])
  })

  it.each([
    [{ role: 'TEAM_USER_ROLE_UNSPECIFIED' }, 'FIELD_REQUIRED'],
    [{ role: 99 }, 'FIELD_INVALID'],
    [{ expiresAt: 'tomorrow' }, 'FIELD_INVALID'],
    [{ expiresAt: '2026-01-31T09:05:00Z' }, 'FIELD_INVALID'],
  ])('%j is refused, and nothing is written', async (request, reason) => {
    expect(await set(request)).toMatchObject({ status: 400, reason })
    expect(await events()).toEqual([])
  })

  describe('nobody gives more than they have', () => {
    const roles = ['MANAGER', 'BUILDER', 'AGENT', 'CONTRIBUTOR', 'VIEWER']
    const given = async (token: string | undefined) => {
      const outcomes: string[] = []
      for (const name of roles) {
        const { status, reason } = await set({ role: role(name) }, token)
        if (status === 200) outcomes.push(name)
        else expect([status, reason]).toEqual([403, 'PERMISSION_MISSING'])
      }
      return outcomes
    }

    it.each([
      ['an administrator', users.admin, roles],
      ['a manager', users.manager, roles],
      ['a builder', users.builder, []],
      ['an agent', users.agent, []],
      ['a viewer', users.viewer, []],
      ['a guest', users.guest, []],
    ])('%s', async (_, userId, expected) => {
      expect(await given(tokens[userId])).toEqual(expected)
    })

    const teamKeyPermissions = keyPermissions.filter((each) => !/^(?:users|ingestion):/.test(each))
    const reads = keyPermissions.filter((each) => each.endsWith(':read'))
    it.each([
      ['a key with everything', { permissions: keyPermissions }, roles],
      ['a key that cannot write teams', { permissions: keyPermissions.filter((each) => each !== 'teams:write') }, []],
      ['a key that only writes teams', { permissions: ['teams:read', 'teams:write'] as const }, []],
      ['a key that also reads', { permissions: [...reads, 'teams:write'] as const }, ['CONTRIBUTOR', 'VIEWER']],
      [
        'a key that also writes tickets',
        { permissions: [...reads, 'tickets:write', 'teams:write'] as const },
        ['AGENT', 'CONTRIBUTOR', 'VIEWER'],
      ],
      ["a team's key with everything", { permissions: teamKeyPermissions, teamId: team }, roles],
      [
        "a team's key without apps",
        { permissions: teamKeyPermissions.filter((each) => each !== 'apps:read'), teamId: team },
        [],
      ],
      ['a worker with everything', { kind: 'wk', permissions: keyPermissions } as const, roles],
    ])('%s', async (_, key, expected) => {
      expect(await given((await insertApiKey(service.database, { organizationId: acme, ...key })).token)).toEqual(
        expected,
      )
    })

    it('nor for longer: a role that ends gives none that ends later, not even to its own holder', async () => {
      const expiresAt = inAnHour()
      await set({ role: role('MANAGER'), expiresAt })
      const later = new Date(Date.parse(expiresAt) + 1).toISOString()
      for (const userId of [users.requester, user]) {
        for (const end of [{}, { expiresAt: later }]) {
          const refused = await set({ userId, role: role('VIEWER'), ...end }, tokens[user])
          expect([refused.status, refused.reason]).toEqual([403, 'PERMISSION_MISSING'])
        }
      }
      const given = await set({ userId: users.requester, role: role('VIEWER'), expiresAt }, tokens[user])
      expect(given.status).toBe(200)
      await service.database.execute('DELETE FROM team_members WHERE user_id = $1', [users.requester])
    })
  })
})
