import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { SlaDefinitionService } from '../gen/svc/v2/sla_definition_pb.js'
import { eventually } from './support/eventually.js'
import { fixture, insertApiKey, insertFixture, insertRow } from './support/fixture.js'
import { countLockWaits } from './support/lock-wait.js'
import { callMethod, formsOf, type MethodForms, protocols, type RequestJson } from './support/method-forms.js'
import { guardPlaces } from './support/place-guards.js'
import { expectAsInSchema, pathOf, standardJson } from './support/printed-lists.js'
import { startTestService, type TestService } from './support/service.js'

const method = formsOf('ListSlaDefinitions')

const get = formsOf('GetSlaDefinition')
const create = formsOf('CreateSlaDefinition')
const update = formsOf('UpdateSlaDefinition')
const action = (name: 'Archive' | 'Unarchive') => formsOf(`${name}SlaDefinition`)

const rule = { type: 'FIELD', field: 'priority', op: 'IN', value: '', values: ['P1', 'P2'], logicOp: 'AND' }
const times = { created_at: '2026-01-31T10:05:00+01:00', updated_at: '2026-02-01T00:00:00.5Z' }
const answeredTimes = { createdAt: '2026-01-31T09:05:00.000Z', updatedAt: '2026-02-01T00:00:00.500Z' }

describe('listing SLA definitions', () => {
  let service: TestService
  let token: string

  beforeAll(async () => {
    service = await startTestService()
    const { database } = service
    await insertFixture(database)
    token = (await insertApiKey(database, { organizationId: fixture.acme })).token
    await insertRow(database, 'teams', { id: 'empty', organization_id: fixture.acme, name: 'Empty' })
    await insertRow(database, 'sla_definitions', {
      id: 'a-full',
      organization_id: fixture.acme,
      team_id: fixture.it,
      name: 'Full',
      description: 'All of it',
      schedule_id: 'schedule-1',
      policy_group: 'group-1',
      target_duration_seconds: 14_400,
      use_calendar_time: true,
      use_assigned_group_schedule: true,
      attachment_criteria: JSON.stringify([rule]),
      starting_point: 'GROUP_ASSIGNED',
      metric: 'FIRST_HUMAN_RESPONSE',
      archived_at: '2026-03-01T00:00:00Z',
      ...times,
    })
    const definition = { organization_id: fixture.acme, sla_definition_id: 'a-full' }
    await insertRow(database, 'sla_conditions', {
      ...definition,
      id: 'a-second',
      position: 1,
      condition_type: 'STOP',
    })
    await insertRow(database, 'sla_conditions', {
      ...definition,
      id: 'b-first',
      position: 0,
      condition_type: 'PAUSE',
      condition_rule: rule,
      resume_policy: 'CONTINUE',
      priority: 7,
    })
    await insertRow(database, 'sla_actions', { ...definition, id: 'a-second', position: 1, ...times })
    await insertRow(database, 'sla_actions', {
      ...definition,
      id: 'b-first',
      position: 0,
      workflow_id: 'workflow-1',
      offset_seconds: -600,
      ...times,
    })
  })
  afterAll(() => service.stop())

  it('prints each rule compactly, in the order of the schema', async () => {
    const { listSlaDefinitions } = SlaDefinitionService.method
    const standard = await standardJson(service, listSlaDefinitions, { token, request: { teamId: fixture.it } })
    const rest = await service.rest('GET', `/v2/teams/${fixture.it}/sla-definitions`, { token })
    const connect = await service.rest('POST', pathOf(listSlaDefinitions), { token, json: { teamId: fixture.it } })
    expectAsInSchema(rest.text, standard)
    expect(rest.text).toBe(`${connect.text}\n`)
  })

  describe.each(protocols)('over %s', (protocol) => {
    const listed = async (teamId: string) => {
      const { answer } = await callMethod(service, method, { protocol, token, request: { teamId } })
      expect([answer.status, answer.text]).toEqual([200, answer.text])
      return answer.json
    }

    it('returns every field, wrapped in data, including archived definitions, in order of creation', async () => {
      const { data } = await listed(fixture.it)
      expect(data.map(({ id }: { id: string }) => id)).toEqual([fixture.slaDefinitions.it, 'a-full'])
      expect(data[1]).toEqual({
        id: 'a-full',
        teamId: fixture.it,
        name: 'Full',
        description: 'All of it',
        scheduleId: 'schedule-1',
        policyGroup: 'group-1',
        targetDurationSeconds: 14_400,
        useCalendarTime: true,
        useAssignedGroupSchedule: true,
        attachmentCriteria: [rule],
        ...answeredTimes,
        conditions: [
          {
            id: 'b-first',
            slaDefinitionId: 'a-full',
            conditionType: 'SLA_CONDITION_TYPE_PAUSE',
            conditionRule: rule,
            resumePolicy: 'CONTINUE',
            priority: 7,
          },
          {
            id: 'a-second',
            slaDefinitionId: 'a-full',
            conditionType: 'SLA_CONDITION_TYPE_STOP',
            resumePolicy: '',
            priority: 0,
          },
        ],
        actionDefinitions: [
          {
            id: 'b-first',
            slaDefinitionId: 'a-full',
            workflowId: 'workflow-1',
            offsetSeconds: -600,
            ...answeredTimes,
          },
          { id: 'a-second', slaDefinitionId: 'a-full', workflowId: '', offsetSeconds: 0, ...answeredTimes },
        ],
        startingPoint: 'SLA_STARTING_POINT_GROUP_ASSIGNED',
        metric: 'SLA_METRIC_FIRST_HUMAN_RESPONSE',
        archivedAt: '2026-03-01T00:00:00.000Z',
      })
    })

    it('omits the time of archiving for an active definition, and prints everything else', async () => {
      const { data } = await listed(fixture.people)
      expect(data).toEqual([
        {
          id: fixture.slaDefinitions.people,
          teamId: fixture.people,
          name: 'SLA people',
          description: '',
          scheduleId: '',
          policyGroup: '',
          targetDurationSeconds: 3600,
          useCalendarTime: false,
          useAssignedGroupSchedule: false,
          conditions: [],
          attachmentCriteria: [],
          actionDefinitions: [],
          startingPoint: 'SLA_STARTING_POINT_TICKET_CREATED',
          metric: 'SLA_METRIC_RESOLUTION',
          createdAt: expect.any(String),
          updatedAt: expect.any(String),
        },
      ])
    })

    it('returns an empty list for a team without definitions', async () => {
      expect(await listed('empty')).toEqual({ data: [] })
    })
  })

  it('refuses query parameters that it does not have', async () => {
    const answer = await service.rest('GET', `/v2/teams/${fixture.it}/sla-definitions?isArchived=true`, { token })
    expect([answer.status, answer.json.code]).toEqual([400, 'invalid_argument'])
  })

  guardPlaces(() => service, {
    method,
    requestFor: (place) => ({
      teamId: { it: fixture.it, people: fixture.people, globex: fixture.globexIt, nowhere: 'unknown' }[place],
    }),
    takesKeys: true,
    allowed: ['admin', 'manager', 'builder', 'agent', 'contributor', 'viewer', 'guest', 'both'],
  })
})

describe('writing SLA definitions', () => {
  let service: TestService
  let token: string

  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    token = (await insertApiKey(service.database, { organizationId: fixture.acme })).token
  })
  afterAll(() => service.stop())

  describe.each(protocols)('over %s', (protocol) => {
    const call = (of: MethodForms, request: RequestJson, headers = {}) =>
      callMethod(service, of, { protocol, token, request, headers })
    const condition = { id: 'start', conditionType: 'SLA_CONDITION_TYPE_START', conditionRule: rule }
    const lists = {
      conditions: [condition, { id: 'stop', conditionType: 'SLA_CONDITION_TYPE_STOP', priority: 1 }],
      attachmentCriteria: [rule],
      actionDefinitions: [
        { id: 'warn', workflowId: 'workflow-1', offsetSeconds: -600 },
        { id: 'breach', workflowId: 'workflow-2' },
      ],
    }
    const made = async () => {
      const { status, answer } = await call(create, {
        teamId: fixture.it,
        name: 'Response',
        ...lists,
        startingPoint: 'SLA_STARTING_POINT_SLA_ATTACHED',
        metric: 'SLA_METRIC_RESOLUTION',
      })
      expect(status).toBe(200)
      return answer.json.data
    }

    it('stores the lists in their order, and sets what belongs to the server', async () => {
      const data = await made()
      const { id: slaDefinitionId, createdAt } = data
      const times = { createdAt, updatedAt: createdAt }
      expect(data).toMatchObject({
        targetDurationSeconds: 0,
        conditions: [
          { ...condition, slaDefinitionId, resumePolicy: '', priority: 0 },
          { id: 'stop', slaDefinitionId, conditionType: 'SLA_CONDITION_TYPE_STOP', resumePolicy: '', priority: 1 },
        ],
        attachmentCriteria: [rule],
        actionDefinitions: [
          { id: 'warn', slaDefinitionId, workflowId: 'workflow-1', offsetSeconds: -600, ...times },
          { id: 'breach', slaDefinitionId, workflowId: 'workflow-2', offsetSeconds: 0, ...times },
        ],
        ...times,
      })
      expect(data.conditions[1]).not.toHaveProperty('conditionRule')
    })

    it('makes the ids of conditions and actions that have none, and keeps those that are given', async () => {
      const request = {
        teamId: fixture.it,
        name: 'Response',
        conditions: [{ priority: 1 }, { id: 'given', priority: 2 }, { id: '', priority: 3 }],
        actionDefinitions: [{ workflowId: 'a' }, { workflowId: 'b' }],
        startingPoint: 'SLA_STARTING_POINT_SLA_ATTACHED',
        metric: 'SLA_METRIC_RESOLUTION',
      }
      const { data } = (await call(create, request)).answer.json
      const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
      const idsOf = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id)
      expect(idsOf(data.conditions)).toEqual([uuid, 'given', uuid])
      expect(idsOf(data.actionDefinitions)).toEqual([uuid, uuid])
      expect(new Set([...idsOf(data.conditions), ...idsOf(data.actionDefinitions)]).size).toBe(5)
      const changes = { id: data.id, conditions: [...data.conditions, { priority: 4 }] }
      const after = (await call(update, changes)).answer.json.data
      expect(idsOf(after.conditions)).toEqual([...idsOf(data.conditions), uuid])
      expect((await call(get, { id: data.id })).answer.json.data).toEqual(after)
    })

    it('replaces the lists that are given, empties those to clear, and leaves the others', async () => {
      const before = await made()
      const { id, actionDefinitions } = before
      const [, breach] = actionDefinitions
      const request = { id, actionDefinitions: [breach, { id: 'late' }], clearFields: ['conditions'] }
      const { data } = (await call(update, request)).answer.json
      const { updatedAt } = data
      expect(data).toEqual({
        ...before,
        updatedAt,
        conditions: [],
        actionDefinitions: [
          { ...breach, updatedAt },
          {
            id: 'late',
            slaDefinitionId: id,
            workflowId: '',
            offsetSeconds: 0,
            createdAt: updatedAt,
            updatedAt,
          },
        ],
      })
      expect((await call(get, { id })).answer.json).toEqual({ data })
    })

    it('names no changes of the one for which it waited', async () => {
      const { id } = await made()
      await service.database.execute('DELETE FROM audit_events')
      const waiting = await service.database.transaction(async (sql) => {
        const text = 'SELECT FROM sla_definitions WHERE organization_id = $1 AND id = $2 FOR UPDATE'
        await sql.execute(text, [fixture.acme, id])
        const renamed = call(update, { id, name: 'Waited' })
        await eventually(async () => {
          expect(await countLockWaits(service.testDatabase)).toBeGreaterThan(0)
        })
        await sql.execute('DELETE FROM sla_conditions WHERE sla_definition_id = $1', [id])
        return { renamed }
      })
      expect((await waiting.renamed).answer.json.data).toMatchObject({ name: 'Waited', conditions: [] })
      const [event] = await service.database.query<{ fields: string[] }>(
        'SELECT changed_fields AS fields FROM audit_events',
      )
      expect(event?.fields).not.toContain('conditions')
    })

    it('refuses two items with one id, lists that it cannot clear, and unknown types, and changes nothing', async () => {
      const { id } = await made()
      const before = (await call(get, { id })).answer.text
      const twice = await call(update, { id, name: 'New', conditions: [condition, condition] })
      expect([twice.status, twice.reason, twice.fields]).toEqual([400, 'FIELD_INVALID', ['conditions[1].id']])
      const unknown = await call(update, { id, clearFields: ['name'] })
      expect([unknown.status, unknown.fields]).toEqual([400, ['clearFields[0]']])
      const unnamed = await call(update, { id, conditions: [{ ...condition, conditionType: 99 }] })
      expect([unnamed.status, unnamed.fields]).toEqual([400, ['conditions[0].conditionType']])
      expect((await call(get, { id })).answer.text).toBe(before)
    })

    it('archives a definition once, puts it back in use, and records both', async () => {
      const { id, ...before } = await made()
      await service.database.execute('DELETE FROM audit_events')
      const archived = await call(action('Archive'), { id })
      const { data } = archived.answer.json
      expect(data.archivedAt).toBe(data.updatedAt)
      const again = await call(action('Archive'), { id })
      expect(again.answer.text).toBe(archived.answer.text)
      expect(again.answer.headers.get('etag')).toBe(archived.answer.headers.get('etag'))
      const stale = await call(action('Unarchive'), { id }, { 'if-match': '"another"' })
      expect(stale.reason).toBe('ETAG_MISMATCH')
      const { data: restored } = (await call(action('Unarchive'), { id })).answer.json
      expect(restored).toEqual({ ...before, id, updatedAt: restored.updatedAt })
      const events = await service.database.query(
        'SELECT action, changed_fields AS fields FROM audit_events ORDER BY id',
      )
      expect(events).toEqual([
        { action: 'sla_definition.archive', fields: expect.arrayContaining(['archivedAt']) },
        { action: 'sla_definition.archive', fields: [] },
        { action: 'sla_definition.unarchive', fields: expect.arrayContaining(['archivedAt']) },
      ])
    })
  })
})
