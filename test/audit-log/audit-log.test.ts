import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import pg from 'pg'
import { recordAuditEvents, systemActor } from '../../src/domain/audit/audit-event.js'
import { auditActions } from '../../src/store/audit-action.js'
import { idBeside } from '../../src/store/audit-log.js'
import { createTestDatabase } from '../support/database.js'
import { fixture, insertApiKey, insertFixture, insertUserToken } from '../support/fixture.js'
import { protocols, type RequestJson } from '../support/method-forms.js'
import { startTestService, type TestService } from '../support/service.js'
import { userMethodCaller } from '../support/user-methods.js'

const { acme, globex, users, it: itTeam, people } = fixture

describe('the audit log', () => {
  let service: TestService
  let key: string

  beforeAll(async () => {
    service = await startTestService()
    const { database, runtime } = service
    await insertFixture(database)
    key = (await insertApiKey(database, { organizationId: acme })).token
    const actor = { kind: 'API_KEY', id: 'key-1', name: 'Key' } as const
    const event = { organizationId: acme, action: 'user.update', targetId: 'ada' } as const
    const skipped = { field: 'JOB_TITLE', outcome: 'SKIPPED_PINNED', oldOwner: 'PINNED', newOwner: 'PINNED' } as const
    await recordAuditEvents(database, [{ ...event, changes: [skipped] }], { actor, requestId: 'request-1', runtime })
    const second = { ...actor, id: 'key-2' }
    await recordAuditEvents(database, [{ ...event, targetId: 'bob' }], {
      actor: second,
      requestId: 'request-1',
      runtime,
    })
    await recordAuditEvents(
      database,
      [
        { ...event, action: 'priority.update', targetId: 'pri', teamId: itTeam },
        { ...event, action: 'priority.update', targetId: 'pri-2', teamId: people },
        { ...event, organizationId: globex },
      ],
      { actor, runtime },
    )
    for (const [index, targetId] of ['ada', 'bob', 'pri', 'pri-2'].entries()) {
      const time = new Date(`2026-03-0${index + 1}T00:00:00.000Z`)
      // They have the ids of that time.
      const id = idBeside(new Date(time.getTime() - 86_400_000), 'after')
      await database.execute(`UPDATE audit_events SET occurred_at = $2, id = $3 WHERE target_id = $1`, [
        targetId,
        time,
        id,
      ])
    }
  })
  afterAll(() => service.stop())

  describe.each(protocols)('over %s', (protocol) => {
    const call = userMethodCaller(
      () => service,
      protocol,
      () => key,
    )
    const targetsOf = async (query: RequestJson, token?: string) => {
      const { answer } = await call('listAuditEvents', query, token)
      expect([answer.status, answer.text]).toEqual([200, answer.text])
      return answer.json.data.map((event: { targetId: string }) => event.targetId)
    }

    it('lists the events of the organization with all fields, newest first', async () => {
      const { answer } = await call('listAuditEvents', {})
      expect(answer.json.nextPageToken).toBe('')
      expect(answer.json.data).toHaveLength(4)
      expect(answer.json.data[3]).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        occurredAt: '2026-03-01T00:00:00.000Z',
        actor: { kind: 'ACTOR_KIND_API_KEY', id: 'key-1', name: 'Key' },
        action: 'user.update',
        targetType: 'user',
        targetId: 'ada',
        teamId: '',
        requestId: 'request-1',
        changedFields: [],
        changes: [
          {
            field: 'USER_PROFILE_FIELD_JOB_TITLE',
            outcome: 'FIELD_WRITE_OUTCOME_SKIPPED_PINNED',
            oldOwner: 'FIELD_OWNER_PINNED',
            newOwner: 'FIELD_OWNER_PINNED',
          },
        ],
      })
    })

    it.each<[RequestJson, string[]]>([
      [{}, ['pri-2', 'pri', 'bob', 'ada']],
      [{ targetId: 'ada' }, ['ada']],
      [{ action: 'priority.update' }, ['pri-2', 'pri']],
      [{ action: 'priority.update', targetId: 'ada' }, []],
      [{ actorId: 'key-1' }, ['pri-2', 'pri', 'ada']],
      [{ actorId: 'key-2', action: 'user.update' }, ['bob']],
      [{ actorId: 'key' }, []],
      [{ requestId: 'request-1' }, ['bob', 'ada']],
      [{ requestId: 'request-1', actorId: 'key-1' }, ['ada']],
      [{ actorKind: 'ACTOR_KIND_API_KEY', targetId: 'bob' }, ['bob']],
      [{ actorKind: 'ACTOR_KIND_USER' }, []],
      [{ targetType: 'priority' }, ['pri-2', 'pri']],
      [{ teamId: itTeam }, ['pri']],
      [{ teamId: 'nowhere' }, []],
      [{ actions: ['priority.update'] }, ['pri-2', 'pri']],
      [{ actions: ['user.update', 'priority.update', 'user.update'] }, ['pri-2', 'pri', 'bob', 'ada']],
      [{ actions: ['priority.create'], action: 'user.update' }, ['bob', 'ada']],
      [{ since: '2026-03-02T00:00:00Z' }, ['pri-2', 'pri', 'bob']],
      [{ until: '2026-03-02T00:00:00.000Z' }, ['ada']],
      [{ since: '2026-03-02T01:00:00+01:00', until: '2026-03-03T00:00:00Z' }, ['bob']],
    ])('with the filters %j returns %j', async (query, targets) => {
      expect(await targetsOf(query)).toEqual(targets)
    })

    it('returns every event once, page by page', async () => {
      const targets: string[] = []
      let pageToken = ''
      do {
        const { answer } = await call('listAuditEvents', { pageSize: 1, pageToken })
        targets.push(...answer.json.data.map((event: { targetId: string }) => event.targetId))
        pageToken = answer.json.nextPageToken
      } while (pageToken !== '')
      expect(targets).toEqual(['pri-2', 'pri', 'bob', 'ada'])
    })

    it('returns every event once, page by page, while others are added', async () => {
      const { database, runtime } = service
      const organizationId = `paged-${protocol}`
      await database.execute('INSERT INTO organizations (id, name) VALUES ($1, $1)', [organizationId])
      const { token } = await insertApiKey(database, { organizationId })
      const add = (targetId: string) =>
        recordAuditEvents(database, [{ organizationId, action: 'user.update', targetId }], {
          actor: systemActor,
          runtime,
        })
      for (const targetId of ['1', '2', '3', '4', '5']) await add(targetId)
      const targets: string[] = []
      let pageToken = ''
      do {
        const { answer } = await call('listAuditEvents', { pageSize: 2, pageToken }, token)
        targets.push(...answer.json.data.map((event: { targetId: string }) => event.targetId))
        pageToken = answer.json.nextPageToken
        await add('later')
      } while (pageToken !== '')
      expect(targets).toEqual(['5', '4', '3', '2', '1'])
    })

    it.each([
      [{ since: 'yesterday' }, 'FIELD_INVALID', 'since'],
      [{ until: '2026-02-30T00:00:00Z' }, 'FIELD_INVALID', 'until'],
      [{ pageSize: -1 }, 'FIELD_INVALID', 'pageSize'],
      [{ pageToken: 'x' }, 'PAGE_TOKEN_INVALID', 'pageToken'],
    ])('refuses %j', async (query, reason, field) => {
      expect(await call('listAuditEvents', query)).toMatchObject({ status: 400, reason, fields: [field] })
    })

    it('refuses an action that is never recorded, and suggests the nearest', async () => {
      const { answer, ...refusal } = await call('listAuditEvents', { action: 'user.updated' })
      expect(refusal).toMatchObject({ status: 400, reason: 'FIELD_INVALID', fields: ['action'] })
      expect(answer.text).toContain('did you mean \\"user.update\\"?')
    })

    it('refuses an unknown kind of target, of which there would be no event', async () => {
      const { status, fields, answer } = await call('listAuditEvents', { targetType: 'User' })
      expect([status, fields]).toEqual([400, ['targetType']])
      expect(answer.json.message).toBe('targetType: is unknown: did you mean "user"?')
    })

    it('refuses an unknown action of several by its place, and lists those that are known', async () => {
      const refusal = await call('listAuditEvents', { actions: ['user.update', 'user.updated'] })
      expect(refusal).toMatchObject({ status: 400, reason: 'FIELD_INVALID', fields: ['actions[1]'] })
      expect((await call('listAuditActions', {})).answer.json).toEqual({ data: auditActions })
    })

    it('returns every event of several actions once, page by page', async () => {
      const targets: string[] = []
      let pageToken = ''
      do {
        const query = { actions: ['user.update', 'priority.update'], pageSize: 1, pageToken }
        const { answer } = await call('listAuditEvents', query)
        targets.push(...answer.json.data.map((event: { targetId: string }) => event.targetId))
        pageToken = answer.json.nextPageToken
      } while (pageToken !== '')
      expect(targets).toEqual(['pri-2', 'pri', 'bob', 'ada'])
    })

    it.each(['actorId', 'requestId'])('refuses a page token issued for another %s', async (filter) => {
      const value = { actorId: 'key-1', requestId: 'request-1' }[filter]
      const { answer } = await call('listAuditEvents', { pageSize: 1, [filter]: value })
      const { nextPageToken: pageToken } = answer.json
      expect(await call('listAuditEvents', { pageSize: 1, [filter]: value, pageToken })).toMatchObject({ status: 200 })
      const other = await call('listAuditEvents', { pageSize: 1, [filter]: 'other', pageToken })
      expect(other).toMatchObject({ status: 400, reason: 'PAGE_TOKEN_INVALID' })
    })

    it('shows callers with audit:read in some teams the events of only these teams', async () => {
      const tokenOf = (userId: string) => insertUserToken(service.database, { userId })
      expect(await targetsOf({}, await tokenOf(users.admin))).toHaveLength(4)
      expect(await targetsOf({}, await tokenOf(users.viewer))).toEqual(['pri'])
      expect(await targetsOf({}, await tokenOf(users.peopleManager))).toEqual(['pri-2'])
      expect(await targetsOf({}, await tokenOf(users.both))).toEqual(['pri-2', 'pri'])
    })

    it('shows nothing of another organization', async () => {
      const foreign = (await insertApiKey(service.database, { organizationId: globex })).token
      expect(await targetsOf({}, foreign)).toEqual(['ada'])
      expect(await targetsOf({ targetId: 'bob' }, foreign)).toEqual([])
    })
  })
})

it('says how to narrow a filter that takes too long to read', async () => {
  const testDatabase = await createTestDatabase()
  const impatient = { ...testDatabase, open: () => testDatabase.open({ limits: { statement_timeout: 200 } }) }
  const service = await startTestService({ testDatabase: impatient })
  await insertFixture(service.database)
  const { token } = await insertApiKey(service.database, { organizationId: acme })
  const other = new pg.Client({ connectionString: testDatabase.directUrl })
  await other.connect()
  // In place of millions of events.
  await other.query('BEGIN; LOCK TABLE audit_events IN ACCESS EXCLUSIVE MODE')
  const { status, json } = await service.rest('GET', '/v2/audit-events?actorId=rare', { token })
  expect([status, json.code, json.message]).toEqual([
    504,
    'deadline_exceeded',
    expect.stringContaining('narrow it by since or targetId'),
  ])
  await other.end()
  await service.stop()
  await testDatabase.drop()
})
