import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { fixture, insertFixture, insertUserToken } from './support/fixture.js'
import { callMethod, formsOf, type Outcome, protocols, type RequestJson } from './support/method-forms.js'
import { guardPlaces, stateOf } from './support/place-guards.js'
import { startTestService, type TestService } from './support/service.js'

const create = formsOf('CreatePriority')
const get = formsOf('GetPriority')
const remove = formsOf('DeletePriority')
const method = formsOf('UpdatePriority')

describe('updating a priority', () => {
  let service: TestService
  let token: string

  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    token = await insertUserToken(service.database, { userId: fixture.users.agent })
  })
  afterAll(() => service.stop())
  beforeEach(async () => {
    await service.database.execute(
      `UPDATE priorities SET name = 'Urgent', description = 'As it was', is_ai_selectable = true`,
    )
    await service.database.execute('DELETE FROM audit_events')
  })

  const stored = {
    id: fixture.priorities.it,
    teamId: fixture.it,
    priority: 'P1',
    description: 'As it was',
    scopedId: 'pri_it',
    name: 'Urgent',
    isAiSelectable: true,
  }

  const tooLong = 'x'.repeat(20_000)
  const everything = { name: 'Soon', description: 'New', isAiSelectable: false }
  it.each<[change: string, json: RequestJson, id?: string]>([
    ['nothing', {}],
    ['what is there already', { name: 'Urgent', description: 'As it was', isAiSelectable: true }],
    ['a name', { name: 'Soon' }],
    ['a name in other letters', { name: 'URGENT' }],
    ['no description', { description: '' }],
    ['a description', { description: 'New "quoted" \\ 🚀' }],
    ['a flag', { isAiSelectable: false }],
    ['nulls', { name: null, description: null, isAiSelectable: null }],
    ['everything', everything],
    ['one that changes and one that does not', { name: 'Soon', isAiSelectable: true }],
    ['an empty name', { name: '' }],
    ['a name that is too long', { name: tooLong }],
    ['a flag of the wrong type', { isAiSelectable: 'yes' }],
    ['a priority of a team that the caller reads', everything, fixture.priorities.people],
    ['a priority of another organization', everything, fixture.priorities.globex],
    ['a priority that does not exist', everything, 'none'],
  ])('makes the same of %s with If-Match as without', async (_, json, id = fixture.priorities.it) => {
    const path = `/v2/priorities/${id}`
    // Those that wait for the feed, and those that are in it.
    const countRecorded = async () => {
      const counts = 'SELECT event_count FROM event_outbox UNION ALL SELECT event_count FROM event_feed'
      const [row] = await service.database.query(`SELECT coalesce(sum(event_count), 0)::int AS sum FROM (${counts}) c`)
      return Number(row?.['sum'])
    }
    const outcomeOf = async (headers: Readonly<Record<string, string>>) => {
      await service.database.execute(
        `UPDATE priorities SET name = 'Urgent', description = 'As it was', is_ai_selectable = true, version = 7`,
      )
      await service.database.execute('DELETE FROM audit_events')
      const recorded = await countRecorded()
      const { status, json: body, headers: answered } = await service.rest('PATCH', path, { token, json, headers })
      const rows = await service.database.query('SELECT * FROM priorities ORDER BY organization_id, id')
      const events = await service.database.query(
        `SELECT organization_id, actor_kind, actor_id, actor_name, action, target_type, target_id, team_id, changed_fields
           FROM audit_events ORDER BY id`,
      )
      return { status, body, tag: answered.get('etag'), rows, events, recorded: (await countRecorded()) - recorded }
    }
    const without = await outcomeOf({})
    expect(without.recorded).toBe(without.status === 200 ? 1 : 0)
    expect(await outcomeOf({ 'if-match': '*' })).toEqual(without)
  })

  describe.each(protocols)('over %s', (protocol) => {
    const update = (change: RequestJson) =>
      callMethod(service, method, { protocol, token, request: { id: fixture.priorities.it, ...change } })
    const changed = async (change: RequestJson) => {
      const { answer } = await update(change)
      expect([answer.status, answer.text]).toEqual([200, answer.text])
      return answer.json
    }

    it('takes the ETag of the priority as it was read, and returns that of the next reading', async () => {
      const tagOf = (outcome: Outcome) => outcome.answer.headers.get('etag') ?? ''
      const read = () => callMethod(service, get, { protocol, token, request: { id: fixture.priorities.it } })
      const headers = { 'if-match': tagOf(await read()) }
      const request = { id: fixture.priorities.it, name: 'Soon' }
      const updated = await callMethod(service, method, { protocol, token, request, headers })
      expect([updated.status, tagOf(updated)]).toEqual([200, tagOf(await read())])
    })

    it('keeps the handle that a new priority asks for, unless another one of the team has it', async () => {
      const scopedId = `pri_${protocol.replaceAll(' ', '')}`
      const request = { teamId: fixture.it, priority: 'P5', name: 'Planned', scopedId }
      const first = await callMethod(service, create, { protocol, token, request })
      expect([first.status, first.answer.json.data.scopedId]).toEqual([200, scopedId])
      const second = await callMethod(service, create, { protocol, token, request })
      expect([second.code, second.reason]).toEqual(['already_exists', 'SCOPED_ID_TAKEN'])
      await callMethod(service, remove, { protocol, token, request: { id: first.answer.json.data.id } })
    })

    it('returns the priority with every field, wrapped in data', async () => {
      expect(await changed({ name: 'Soon', description: 'New', isAiSelectable: false })).toEqual({
        data: { ...stored, name: 'Soon', description: 'New', isAiSelectable: false },
      })
    })

    it('leaves absent fields unchanged', async () => {
      expect(await changed({})).toEqual({ data: stored })
      expect(await changed({ name: 'Soon' })).toEqual({ data: { ...stored, name: 'Soon' } })
      expect(await changed({ isAiSelectable: false })).toEqual({
        data: { ...stored, name: 'Soon', isAiSelectable: false },
      })
    })

    it('treats null as absent', async () => {
      expect(await changed({ name: null, description: null, isAiSelectable: null })).toEqual({ data: stored })
    })

    it('clears the description with an empty text', async () => {
      expect(await changed({ description: '' })).toEqual({ data: { ...stored, description: '' } })
    })

    it('stores what it returns, and changes no other row', async () => {
      await changed({ name: 'Soon 🚀' })
      const rows = await service.database.query('SELECT id, name FROM priorities ORDER BY id')
      expect(rows).toEqual([
        { id: fixture.priorities.globex, name: 'Urgent' },
        { id: fixture.priorities.it, name: 'Soon 🚀' },
        { id: fixture.priorities.people, name: 'Urgent' },
      ])
    })

    it('records an audit event with the actor and the place', async () => {
      const { answer } = await update({ name: 'Soon' })
      expect(await service.database.query('SELECT * FROM audit_events')).toEqual([
        expect.objectContaining({
          organization_id: fixture.acme,
          actor_kind: 'USER',
          actor_id: fixture.users.agent,
          action: 'priority.update',
          target_type: 'priority',
          target_id: fixture.priorities.it,
          team_id: fixture.it,
          request_id: answer.headers.get('x-request-id'),
          changes: [],
        }),
      ])
    })

    it.each([
      ['an empty name', { name: '' }, 'name'],
      ['a name of 256 characters', { name: 'x'.repeat(256) }, 'name'],
      ['a name with a line break', { name: 'a\nb' }, 'name'],
      ['a description of 10,001 characters', { description: 'x'.repeat(10_001) }, 'description'],
      ['a description with a control character', { description: 'a\u0000b' }, 'description'],
    ])('refuses %s and writes nothing', async (_, change, field) => {
      const before = await stateOf(service)
      expect(await update({ isAiSelectable: false, ...change })).toMatchObject({
        status: 400,
        code: 'invalid_argument',
        reason: 'FIELD_INVALID',
        fields: [field],
      })
      expect(await stateOf(service)).toEqual(before)
    })

    it('reports every invalid field', async () => {
      const { fields } = await update({ name: '', description: 'x'.repeat(10_001) })
      expect(fields).toEqual(['name', 'description'])
    })

    it('validates the content before it looks up the priority', async () => {
      expect(await update({ id: 'unknown', name: '' })).toMatchObject({ status: 400, reason: 'FIELD_INVALID' })
    })

    it.each([
      ['an unknown field', { nme: 'Soon' }],
      ['a field that cannot be changed', { scopedId: 'pri_x' }],
      ['a name that is not a string', { name: 1 }],
      ['a boolean as text', { isAiSelectable: 'true' }],
    ])('refuses %s', async (_, change) => {
      const before = await stateOf(service)
      expect(await update(change)).toMatchObject({ status: 400, code: 'invalid_argument' })
      expect(await stateOf(service)).toEqual(before)
    })

    it('counts characters, not bytes or surrogate pairs', async () => {
      const name = '🚀'.repeat(255)
      expect(await changed({ name })).toMatchObject({ data: { name } })
    })
  })

  guardPlaces(() => service, {
    method,
    requestFor: (place) => ({ id: place === 'nowhere' ? 'unknown' : fixture.priorities[place], name: 'Soon' }),
    takesKeys: false,
    allowed: ['admin', 'manager', 'agent', 'both'],
  })
})
