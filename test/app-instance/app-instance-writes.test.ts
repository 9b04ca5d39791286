import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { fixture, insertFixture, insertUserToken } from '../support/fixture.js'
import { callMethod, formsOf, protocols, type RequestJson } from '../support/method-forms.js'
import { startTestService, type TestService } from '../support/service.js'

const { accessPolicies, appInstances, users } = fixture
const unknown = 'policy-nothing'

let service: TestService
let admin: string
let manager: string
beforeAll(async () => {
  service = await startTestService()
  await insertFixture(service.database)
  admin = await insertUserToken(service.database, { userId: users.admin })
  manager = await insertUserToken(service.database, { userId: users.manager })
})
afterAll(() => service.stop())

describe.each(protocols)('over %s', (protocol) => {
  const call = (name: string, request: RequestJson, token = manager) =>
    callMethod(service, formsOf(name), { protocol, request, token })
  const listed = async (teamId: string) => {
    const { data } = (await call('ListAppInstances', { teamId }, admin)).answer.json
    return data.map((each: { id: string }) => each.id)
  }
  const events = async () => {
    const rows = await service.database.query<{ action: string; targetId: string; teamId: string }>(
      `SELECT action, target_id AS "targetId", team_id AS "teamId" FROM audit_events`,
    )
    return rows.map(({ action, targetId, teamId }) => [action, targetId, teamId])
  }
  beforeEach(() => service.database.execute('DELETE FROM audit_events'))

  it.each([unknown, accessPolicies.people, accessPolicies.globex])(
    'an app instance never gets the default access policy %s, which its writer cannot see',
    async (defaultAccessPolicyId) => {
      const created = await call('CreateAppInstance', { teamId: fixture.it, name: 'Wiki', defaultAccessPolicyId })
      const updated = await call('UpdateAppInstance', { id: appInstances.it, name: 'Wiki', defaultAccessPolicyId })
      for (const { status, reason, fields } of [created, updated]) {
        expect([status, reason, fields]).toEqual([400, 'FIELD_INVALID', ['defaultAccessPolicyId']])
      }
      expect((await call('GetAppInstance', { id: appInstances.it })).answer.json.data.name).not.toBe('Wiki')
      expect(await events()).toEqual([])
    },
  )

  it('an administrator can name the access policy of another team', async () => {
    const request = { teamId: fixture.it, name: 'Wiki', defaultAccessPolicyId: accessPolicies.people }
    expect((await call('CreateAppInstance', request, admin)).status).toBe(200)
  })

  it('an access policy cannot be deleted once an app instance names it, and never while one is about to', async () => {
    const { id } = (await call('CreateAccessPolicy', { teamId: fixture.it, name: 'New' })).answer.json.data
    const outcomes = await Promise.all([
      ...[1, 2, 3].map((n) =>
        call('CreateAppInstance', { teamId: fixture.it, name: `App ${n}`, defaultAccessPolicyId: id }),
      ),
      call('DeleteAccessPolicy', { id }),
    ])
    const deleted = outcomes.pop()
    const reasons = new Set(outcomes.map(({ reason }) => reason))
    if (deleted?.status !== 200) expect([deleted?.reason, [...reasons]]).toEqual(['RESOURCE_IN_USE', [undefined]])
    else expect([...reasons]).toEqual(['FIELD_INVALID'])
  })

  it('an update clears the policy, the lists and the card, and leaves what is absent', async () => {
    const whole = {
      teamId: fixture.it,
      name: 'Wiki',
      customServiceName: 'Wiki',
      defaultAccessPolicyId: accessPolicies.it,
      tagIds: ['tag-1'],
      integrationIds: ['integration-1'],
      a2aAgentCard: { name: 'Librarian', lastSyncedAt: '2026-11-20T10:05:00+01:00' },
    }
    const { data } = (await call('CreateAppInstance', whole)).answer.json
    expect(data.a2aAgentCard).toMatchObject({ name: 'Librarian', lastSyncedAt: '2026-11-20T09:05:00.000Z' })
    const clearFields = ['tagIds', 'integrationIds', 'a2aAgentCard']
    const changed = await call('UpdateAppInstance', { id: data.id, defaultAccessPolicyId: '', clearFields })
    const { a2aAgentCard: _, ...others } = data
    const cleared = { defaultAccessPolicyId: '', tagIds: [], integrationIds: [] }
    expect(changed.answer.json.data).toEqual({ ...others, ...cleared })
  })

  it.each<[string, RequestJson, string]>([
    ['a moment', { lastSyncedAt: 'yesterday' }, 'a2aAgentCard.lastSyncedAt'],
    ['a name', { name: 'x'.repeat(256) }, 'a2aAgentCard.name'],
    ['a tag', { skills: [{ tags: [''] }] }, 'a2aAgentCard.skills[0].tags[0]'],
    ['a kind', { securitySchemes: [{ kind: 99 }] }, 'a2aAgentCard.securitySchemes[0].kind'],
  ])('a card is refused for %s that an import refuses', async (_, a2aAgentCard, field) => {
    const { status, fields } = await call('CreateAppInstance', { teamId: fixture.it, name: 'Wiki', a2aAgentCard })
    expect([status, fields]).toEqual([400, [field]])
    expect(await events()).toEqual([])
  })

  it('sharing shows an app instance in the list of the other team until it is unshared, and records both', async () => {
    const share = { id: appInstances.itSecond, teamId: fixture.people }
    const recorded = (action: string) => [`app_instance.${action}`, appInstances.itSecond, fixture.it]
    for (let round = 0; round < 2; round++) {
      expect((await call('ShareAppInstance', share, admin)).answer.json).toEqual({})
      expect(await listed(fixture.people)).toContain(appInstances.itSecond)
    }
    for (let round = 0; round < 2; round++) {
      expect((await call('UnshareAppInstance', share, admin)).answer.json).toEqual({})
      expect(await listed(fixture.people)).not.toContain(appInstances.itSecond)
    }
    expect(await events()).toEqual(['share', 'share', 'unshare', 'unshare'].map(recorded))
  })

  it('the teams that an app instance is shared with are listed once each, page by page, with the exact total', async () => {
    const id = appInstances.itSecond
    const third: string = (await call('CreateTeam', { name: 'Third' }, admin)).answer.json.data.id
    const teams = [fixture.people, third].toSorted()
    for (const teamId of teams) await call('ShareAppInstance', { id, teamId }, admin)
    const seen: unknown[] = []
    let pageToken = ''
    do {
      const { answer } = await call('ListAppInstanceShares', { id, pageSize: 1, pageToken, includeTotal: true })
      expect(answer.json.totalSize).toBe(2)
      seen.push(...answer.json.data)
      pageToken = answer.json.nextPageToken
    } while (pageToken !== '')
    expect(seen).toEqual(teams.map((teamId) => ({ appInstanceId: id, teamId })))
    const { nextPageToken } = (await call('ListAppInstanceShares', { id, pageSize: 1 })).answer.json
    const other = { id: appInstances.it, pageToken: nextPageToken }
    expect((await call('ListAppInstanceShares', other)).reason).toBe('PAGE_TOKEN_INVALID')
    for (const teamId of teams) await call('UnshareAppInstance', { id, teamId }, admin)
    expect((await call('ListAppInstanceShares', { id })).answer.json).toEqual({ data: [], nextPageToken: '' })
  })

  it('the shares of an app instance of another organization are not found, as those of none are', async () => {
    for (const id of [appInstances.globex, 'nowhere']) {
      expect(await call('ListAppInstanceShares', { id }, admin)).toMatchObject({
        status: 404,
        reason: 'RESOURCE_NOT_FOUND',
        metadata: { resourceType: 'app_instance', resourceId: id },
      })
    }
  })

  it('an app instance that is shared with a team cannot be read, changed or shared by that team', async () => {
    const id = appInstances.shared
    const calls: [string, RequestJson][] = [
      ['GetAppInstance', { id }],
      ['ListAppInstanceShares', { id }],
      ['UpdateAppInstance', { id, name: 'Ours' }],
      ['DeleteAppInstance', { id }],
      ['UnshareAppInstance', { id, teamId: fixture.it }],
    ]
    for (const [name, request] of calls) expect((await call(name, request)).reason).toBe('RESOURCE_NOT_FOUND')
    expect(await listed(fixture.it)).toContain(id)
  })

  it.each(['ShareAppInstance', 'UnshareAppInstance'])(
    '%s takes only another team that the caller sees',
    async (name) => {
      const own = await call(name, { id: appInstances.it, teamId: fixture.it })
      expect([own.status, own.fields]).toEqual([400, ['teamId']])
      for (const teamId of [fixture.people, fixture.globexIt, 'nowhere']) {
        expect(await call(name, { id: appInstances.it, teamId })).toMatchObject({
          reason: 'RESOURCE_NOT_FOUND',
          metadata: { resourceType: 'team' },
        })
      }
      expect(await events()).toEqual([])
    },
  )

  it('deleting a shared app instance takes it out of every list', async () => {
    const { id } = (await call('CreateAppInstance', { teamId: fixture.it, name: 'Short-lived' })).answer.json.data
    await call('ShareAppInstance', { id, teamId: fixture.people }, admin)
    expect((await call('DeleteAppInstance', { id })).status).toBe(200)
    expect(await listed(fixture.people)).not.toContain(id)
  })
})
