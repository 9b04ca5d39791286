import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { fixture, insertApiKey, insertFixture, insertRow } from './support/fixture.js'
import { callMethod, formsOf, protocols, type RequestJson } from './support/method-forms.js'
import { guardPlaces } from './support/place-guards.js'
import { startTestService, type TestService } from './support/service.js'

const method = formsOf('ListEntityFieldMappings')

const { it: entityTypeId } = fixture.entityTypes
const { it: config, people: hiddenConfig } = fixture.ingestionConfigs

describe('listing field mappings', () => {
  let service: TestService
  let organizationKey: string
  let teamKey: string

  beforeAll(async () => {
    service = await startTestService()
    const { database } = service
    await insertFixture(database)
    organizationKey = (await insertApiKey(database, { organizationId: fixture.acme })).token
    teamKey = (await insertApiKey(database, { organizationId: fixture.acme, teamId: fixture.it })).token
    await insertRow(database, 'entity_types', {
      id: 'empty',
      organization_id: fixture.acme,
      team_id: fixture.it,
      name: 'Empty',
    })
    const mapping = (id: string, priority: number, row: Readonly<Record<string, unknown>> = {}) =>
      insertRow(database, 'entity_field_mappings', {
        id,
        organization_id: fixture.acme,
        entity_type_id: entityTypeId,
        ingestion_config_id: config,
        priority,
        internal_field_id: 'field-1',
        ...row,
      })
    await mapping('b-high', 10)
    await mapping('low', -5)
    await mapping('a-high', 10, {
      external_field_path: '$.name',
      created_at: '2026-01-31T10:05:00+01:00',
      updated_at: '2026-02-01T00:00:00.5Z',
    })
    await mapping('of-hidden', 20, { ingestion_config_id: hiddenConfig })
  })
  afterAll(() => service.stop())

  describe.each(protocols)('over %s', (protocol) => {
    const list = (request: RequestJson, token = organizationKey) =>
      callMethod(service, method, { protocol, token, request })
    const listed = async (request: RequestJson, token = organizationKey) => {
      const { answer } = await list(request, token)
      expect([answer.status, answer.text]).toEqual([200, answer.text])
      return answer.json.data.map(({ id }: { id: string }) => id)
    }

    it('returns every field, wrapped in data, and nothing else', async () => {
      const { answer } = await list({ entityTypeId })
      expect(answer.json).toEqual({ data: expect.any(Array) })
      expect(answer.json.data[1]).toEqual({
        id: 'a-high',
        ingestionConfigId: config,
        internalFieldId: 'field-1',
        entityTypeId: fixture.entityTypes.it,
        externalFieldPath: '$.name',
        priority: 10,
        createdAt: '2026-01-31T09:05:00.000Z',
        updatedAt: '2026-02-01T00:00:00.500Z',
      })
    })

    it('orders mappings by descending priority, then by id', async () => {
      const ids = ['of-hidden', 'a-high', 'b-high', fixture.fieldMappings.it, 'low']
      expect(await listed({ entityTypeId })).toEqual(ids)
    })

    it('returns an empty list for a type without mappings', async () => {
      expect(await listed({ entityTypeId: 'empty' })).toEqual([])
      expect(await listed({ entityTypeId: 'empty', ingestionConfigId: config })).toEqual([])
    })

    it('filters the list by the source of a config', async () => {
      const ids = ['a-high', 'b-high', fixture.fieldMappings.it, 'low']
      expect(await listed({ entityTypeId, ingestionConfigId: config })).toEqual(ids)
      expect(await listed({ entityTypeId, ingestionConfigId: hiddenConfig })).toEqual(['of-hidden'])
    })

    it.each([
      ['does not exist', 'unknown'],
      ['belongs to another organization', fixture.ingestionConfigs.globex],
      ['belongs to a team that is hidden', hiddenConfig],
    ])('returns an empty list for a config that %s', async (_, ingestionConfigId) => {
      expect(await listed({ entityTypeId, ingestionConfigId }, teamKey)).toEqual([])
    })

    it.each([{}, { entityTypeId: '' }, { ingestionConfigId: config }])(
      'requires an entity type: %j',
      async (request) => {
        expect(await list(request)).toMatchObject({
          status: 400,
          code: 'invalid_argument',
          reason: 'FIELD_REQUIRED',
          fields: ['entityTypeId'],
        })
      },
    )
  })

  guardPlaces(() => service, {
    method,
    requestFor: (place) => ({ entityTypeId: place === 'nowhere' ? 'unknown' : fixture.entityTypes[place] }),
    takesKeys: true,
    allowed: ['admin', 'manager', 'builder', 'agent', 'contributor', 'viewer', 'guest', 'both'],
  })
})
