import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { AppResourceUpdate } from '../../src/store/app-resource.js'
import { fixture, insertApiKey, insertFixture, insertRow, insertUserToken } from '../support/fixture.js'
import { callMethod, formsOf, type Outcome, protocols, type RequestJson } from '../support/method-forms.js'
import { guardPlaces, stateOf } from '../support/place-guards.js'
import { startTestService, type TestService } from '../support/service.js'

const method = formsOf('BatchUpdateAppResources')

const { it: first, itSecond: second, people, globex } = fixture.appResources
const third = 'third'

describe('updating app resources in a batch', () => {
  let service: TestService
  let builder: string
  let organizationKey: string

  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    const owners = { organization_id: fixture.acme, team_id: fixture.it, app_instance_id: fixture.appInstances.it }
    const values = { resource_type: 'group', name: 'Third', scoped_id: 'ares_third' }
    await insertRow(service.database, 'app_resources', { id: third, ...owners, ...values })
    builder = await insertUserToken(service.database, { userId: fixture.users.builder })
    organizationKey = (await insertApiKey(service.database, { organizationId: fixture.acme })).token
  })
  afterAll(() => service.stop())
  beforeEach(async () => {
    await service.database.execute('DELETE FROM audit_events')
    await service.database.execute(
      `UPDATE app_resources SET name = 'Name', description = 'As it was', resource_type = 'group',
              external_id = 'external-' || id, scoped_id = 'ares_' || id`,
    )
  })

  const stored = {
    id: first,
    appInstanceId: fixture.appInstances.it,
    resourceType: 'group',
    name: 'Name',
    description: 'As it was',
    externalId: `external-${first}`,
    tagIds: ['tag-1'],
    scopedId: `ares_${first}`,
  }

  describe.each(protocols)('over %s', (protocol) => {
    const batch = (resources: readonly RequestJson[], token = builder) =>
      callMethod(service, method, { protocol, token, request: { resources } })
    const updated = async (resources: readonly RequestJson[], token = builder) => {
      const { answer } = await batch(resources, token)
      expect([answer.status, answer.text]).toEqual([200, answer.text])
      return answer.json.data
    }
    const refused = async (
      resources: readonly RequestJson[],
      expected: Partial<Outcome>,
      token = builder,
    ): Promise<Outcome> => {
      const before = await stateOf(service)
      const outcome = await batch(resources, token)
      expect(outcome).toMatchObject(expected)
      expect(await stateOf(service)).toEqual(before)
      return outcome
    }

    it('returns the resources with every field, wrapped in data, in the order of the request', async () => {
      const changes = { resourceType: 'role', name: 'New', description: 'Else', externalId: 'x-1', scopedId: 'ares_x' }
      expect(
        await updated([
          { id: second, name: 'Other' },
          { id: first, ...changes },
        ]),
      ).toEqual([
        {
          ...stored,
          id: second,
          name: 'Other',
          externalId: `external-${second}`,
          scopedId: `ares_${second}`,
          tagIds: [],
        },
        { ...stored, ...changes },
      ])
    })

    it('leaves absent fields unchanged', async () => {
      expect(await updated([{ id: first }])).toEqual([stored])
      expect(await updated([{ id: first, name: null, externalId: null }])).toEqual([stored])
    })

    it('clears the description and the external id with an empty text', async () => {
      expect(await updated([{ id: first, description: '', externalId: '' }])).toEqual([
        { ...stored, description: '', externalId: '' },
      ])
    })

    it('allows any number of resources without an external id', async () => {
      expect(
        await updated([
          { id: first, externalId: '' },
          { id: second, externalId: '' },
        ]),
      ).toHaveLength(2)
    })

    it('updates resources of several teams that the caller reaches', async () => {
      const answer = await updated(
        [
          { id: people, name: 'Theirs' },
          { id: first, name: 'Ours' },
        ],
        organizationKey,
      )
      expect(answer).toMatchObject([
        { id: people, name: 'Theirs' },
        { id: first, name: 'Ours' },
      ])
    })

    it('allows two entries to swap their external ids and short handles', async () => {
      const answer = await updated([
        { id: first, externalId: `external-${second}`, scopedId: `ares_${second}` },
        { id: second, externalId: `external-${first}`, scopedId: `ares_${first}` },
      ])
      expect(answer).toMatchObject([
        { id: first, externalId: `external-${second}`, scopedId: `ares_${second}` },
        { id: second, externalId: `external-${first}`, scopedId: `ares_${first}` },
      ])
    })

    it('allows an entry to claim the external id that another entry gives up', async () => {
      const answer = await updated([
        { id: first, externalId: `external-${second}` },
        { id: second, externalId: '' },
      ])
      expect(answer).toMatchObject([{ externalId: `external-${second}` }, { externalId: '' }])
    })

    it('allows the same values in resources of another type, app instance or team', async () => {
      expect(
        await updated(
          [
            { id: first, externalId: 'same', resourceType: 'role', scopedId: 'same' },
            { id: second, externalId: 'same', resourceType: 'group' },
            { id: people, externalId: 'same', resourceType: 'role', scopedId: 'same' },
          ],
          organizationKey,
        ),
      ).toHaveLength(3)
    })

    it('records one audit event per resource, in the order of the batch', async () => {
      const { answer } = await batch([{ id: second }, { id: first }])
      const events = await service.database.query('SELECT * FROM audit_events ORDER BY id')
      const event = {
        organization_id: fixture.acme,
        actor_id: fixture.users.builder,
        action: 'app_resource.update',
        target_type: 'app_resource',
        team_id: fixture.it,
        request_id: answer.headers.get('x-request-id'),
      }
      expect(events).toEqual([
        expect.objectContaining({ ...event, target_id: second }),
        expect.objectContaining({ ...event, target_id: first }),
      ])
    })

    it('refuses the whole batch if a resource outside it has the external id', async () => {
      const taken = { status: 409, code: 'already_exists', reason: 'EXTERNAL_ID_TAKEN' }
      const fields = ['resources[0].externalId']
      await refused([{ id: first, name: 'New', externalId: `external-${second}` }], { ...taken, fields })
    })

    it('refuses the whole batch if another resource of the team has the short handle', async () => {
      const taken = { status: 409, code: 'already_exists', reason: 'SCOPED_ID_TAKEN' }
      const fields = ['resources[0].scopedId']
      await refused([{ id: first, name: 'New', scopedId: `ares_${second}` }], { ...taken, fields })
    })

    it('refuses two entries that claim one external id', async () => {
      const taken = { status: 409, code: 'already_exists', reason: 'EXTERNAL_ID_TAKEN' }
      await refused(
        [
          { id: first, externalId: 'same' },
          { id: second, externalId: 'same' },
        ],
        { ...taken, fields: ['resources[1].externalId'] },
      )
    })

    it('names each entry whose value is taken, and none that takes what another one gives up', async () => {
      await refused(
        [
          { id: first, externalId: `external-${second}`, scopedId: 'ares_same' },
          { id: second, externalId: `external-${first}`, scopedId: 'ares_same' },
        ],
        { reason: 'SCOPED_ID_TAKEN', fields: ['resources[1].scopedId'] },
      )
      await refused(
        [
          { id: first, externalId: `external-${third}` },
          { id: second, scopedId: `ares_${third}` },
        ],
        { reason: 'EXTERNAL_ID_TAKEN', fields: ['resources[0].externalId', 'resources[1].scopedId'] },
      )
    })

    it('names the entry at fault to callers with an idempotency key, also when it repeats the answer', async () => {
      const resources = [{ id: second }, { id: first, externalId: `external-${second}` }]
      const call = { protocol, token: builder, request: { resources }, headers: { 'idempotency-key': `k-${protocol}` } }
      for (let time = 0; time < 2; time++) {
        const expected = { status: 409, reason: 'EXTERNAL_ID_TAKEN', fields: ['resources[1].externalId'] }
        expect(await callMethod(service, method, call)).toMatchObject(expected)
      }
    })

    it.each([
      ['does not exist', 'unknown'],
      ['belongs to a team that is hidden', people],
      ['belongs to another organization', globex],
      ['has an impossible form', 'not an id / at all'],
    ])('fails as a whole for an id that %s, and reports its index', async (_, id) => {
      const resources = [
        { id: first, name: 'New' },
        { id: second, name: 'New' },
        { id, name: 'New' },
        { id: 'unknown-too' },
      ]
      const { message, metadata } = await refused(resources, {
        status: 404,
        code: 'not_found',
        reason: 'RESOURCE_NOT_FOUND',
      })
      expect(message).toBe('resources[2]: app resource not found: it does not exist, or you have no access to it')
      expect(metadata).toEqual({ resourceType: 'app_resource', resourceId: id })
    })

    it('refuses the whole batch if the caller may see but not write a resource', async () => {
      const both = await insertUserToken(service.database, { userId: fixture.users.both })
      const resources = [{ id: first, name: 'New' }, { id: people }]
      await refused(resources, { status: 403, code: 'permission_denied', reason: 'PERMISSION_MISSING' }, both)
    })

    it('reports a missing entry before a forbidden one', async () => {
      const both = await insertUserToken(service.database, { userId: fixture.users.both })
      await refused([{ id: people }, { id: 'unknown' }], { status: 404, reason: 'RESOURCE_NOT_FOUND' }, both)
    })

    it('reports a forbidden entry before a taken value', async () => {
      const both = await insertUserToken(service.database, { userId: fixture.users.both })
      const resources = [{ id: first, externalId: `external-${second}` }, { id: people }]
      await refused(resources, { status: 403, reason: 'PERMISSION_MISSING' }, both)
    })

    it('accepts between 1 and 1,000 entries', async () => {
      const outOfRange = {
        status: 400,
        code: 'invalid_argument',
        reason: 'BATCH_SIZE_OUT_OF_RANGE',
        fields: ['resources'],
      }
      const entries = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `none-${index}` }))
      await refused([], outOfRange)
      await refused(entries(1001), outOfRange)
      await refused(entries(1000), {
        status: 404,
        message: 'resources[0]: app resource not found: it does not exist, or you have no access to it',
      })
    })

    it('refuses a duplicate id and reports the second index', async () => {
      await refused([{ id: first }, { id: second }, { id: first, name: 'New' }], {
        status: 400,
        code: 'invalid_argument',
        reason: 'DUPLICATE_ID',
        fields: ['resources[2].id'],
      })
    })

    it.each([{ name: 'New' }, { id: '' }, { id: null }])('refuses an entry without an id: %j', async (entry) => {
      await refused([{ id: first, name: 'New' }, entry], {
        status: 400,
        code: 'invalid_argument',
        reason: 'FIELD_REQUIRED',
        fields: ['resources[1].id'],
      })
    })

    it.each([
      ['an empty resource type', { resourceType: '' }, 'resourceType'],
      ['an empty name', { name: '' }, 'name'],
      ['a name of 256 characters', { name: 'x'.repeat(256) }, 'name'],
      ['a description of 10,001 characters', { description: 'x'.repeat(10_001) }, 'description'],
      ['an external id of 256 characters', { externalId: 'x'.repeat(256) }, 'externalId'],
      ['an external id with U+0000', { externalId: 'a\u0000b' }, 'externalId'],
      ['an empty short handle', { scopedId: '' }, 'scopedId'],
      ['a short handle of 65 characters', { scopedId: 'x'.repeat(65) }, 'scopedId'],
      ['a short handle with a space', { scopedId: 'a b' }, 'scopedId'],
    ])('refuses %s', async (_, change, field) => {
      await refused(
        [
          { id: second, name: 'New' },
          { id: first, ...change },
        ],
        {
          status: 400,
          code: 'invalid_argument',
          reason: 'FIELD_INVALID',
          fields: [`resources[1].${field}`],
        },
      )
    })

    it('validates the content before it looks up the resources', async () => {
      await refused([{ id: 'unknown' }, { id: 'unknown' }], { status: 400, reason: 'DUPLICATE_ID' })
      await refused([{ id: 'unknown', name: '' }], { status: 400, reason: 'FIELD_INVALID' })
    })

    it('reports a limited number of violations', async () => {
      const entries = Array.from({ length: 1000 }, (_, index) => ({ id: `none-${index}`, name: '', scopedId: '' }))
      const { fields } = await refused(entries, { status: 400, reason: 'FIELD_INVALID' })
      expect(fields.length).toBeLessThanOrEqual(25)
    })

    it('refuses fields that cannot be changed', async () => {
      await refused([{ id: first, appInstanceId: 'app' }], { status: 400, code: 'invalid_argument' })
      await refused([{ id: first, tagIds: ['tag'] }], { status: 400, code: 'invalid_argument' })
    })
  })

  describe('under concurrency', () => {
    const ids = Array.from({ length: 60 }, (_, index) => `many-${String(index).padStart(2, '0')}`)

    beforeAll(async () => {
      for (const id of ids) {
        await insertRow(service.database, 'app_resources', {
          id,
          organization_id: fixture.acme,
          team_id: fixture.it,
          app_instance_id: fixture.appInstances.it,
          resource_type: 'group',
          name: id,
          external_id: id,
          scoped_id: id,
        })
      }
    })

    const send = (resources: readonly AppResourceUpdate[]) =>
      callMethod(service, method, { protocol: 'REST', token: builder, request: { resources } })

    it('all succeed in any order on the same resources, and one of them wins as a whole', async () => {
      const orders = [ids, ids.toReversed(), [...ids.slice(30), ...ids.slice(0, 30)]]
      const names = Array.from({ length: 24 }, (_, index) => `Round ${index}`)
      const outcomes = await Promise.all(
        names.map((name, index) => send((orders[index % orders.length] ?? ids).map((id) => ({ id, name })))),
      )
      expect(outcomes.map(({ status }) => status)).toEqual(names.map(() => 200))
      const left = await service.database.query<{ name: string }>(
        `SELECT DISTINCT name FROM app_resources WHERE id LIKE 'many-%'`,
      )
      expect(left).toHaveLength(1)
      expect(names).toContain(left[0]?.name)
    })

    it.each([
      ['external id', 'EXTERNAL_ID_TAKEN', { externalId: 'wanted' }],
      ['short handle', 'SCOPED_ID_TAKEN', { scopedId: 'wanted' }],
    ])('let only one of several batches have the %s that all of them claim', async (_, reason, value) => {
      await service.database.execute(`UPDATE app_resources SET name = id WHERE id LIKE 'many-%'`)
      const outcomes = await Promise.all(
        ids.slice(0, 10).map((id, index) =>
          send([
            { id, ...value, name: 'Winner' },
            { id: ids[20 + index] ?? '', name: 'Winner' },
          ]),
        ),
      )
      expect(outcomes.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(outcomes.filter((outcome) => outcome.reason === reason)).toHaveLength(9)
      const winners = await service.database.query(`SELECT id FROM app_resources WHERE name = 'Winner'`)
      expect(winners).toHaveLength(2)
    })
  })

  guardPlaces(() => service, {
    method,
    requestFor: (place) => ({
      resources: [{ id: place === 'nowhere' ? 'unknown' : fixture.appResources[place], name: 'New' }],
    }),
    takesKeys: true,
    allowed: ['admin', 'manager', 'builder', 'both'],
  })
})
