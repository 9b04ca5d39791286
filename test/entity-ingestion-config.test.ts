import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { fixture, insertApiKey, insertFixture, insertRow, shareAppInstance } from './support/fixture.js'
import { callMethod, formsOf, protocols, type RequestJson } from './support/method-forms.js'
import { guardPlaces } from './support/place-guards.js'
import { startTestService, type TestService } from './support/service.js'

const method = formsOf('ListEntityIngestionConfigs')

const { it: teamId } = fixture

describe('listing ingestion configs', () => {
  let service: TestService
  let organizationKey: string
  let teamKey: string

  beforeAll(async () => {
    service = await startTestService()
    const { database } = service
    await insertFixture(database)
    organizationKey = (await insertApiKey(database, { organizationId: fixture.acme })).token
    teamKey = (await insertApiKey(database, { organizationId: fixture.acme, teamId })).token
    await insertRow(database, 'teams', { id: 'empty', organization_id: fixture.acme, name: 'Empty' })
    const owner = { organization_id: fixture.acme, team_id: teamId, internal_entity_type_id: fixture.entityTypes.it }
    await insertRow(database, 'entity_ingestion_configs', {
      id: 'a-later',
      ...owner,
      app_instance_id: fixture.appInstances.itSecond,
      workflow_id: 'workflow-1',
      service_name: 'Directory',
      workflow_name: 'Sync',
      enabled: true,
      is_workflow_published: true,
      has_ingestion_context: true,
      sync_deletions: true,
      sync_interval_seconds: 3600,
      created_at: '2026-01-31T10:05:00+01:00',
      updated_at: '2026-02-01T00:00:00.5Z',
    })
    await insertRow(database, 'entity_ingestion_configs', {
      id: 'of-shared',
      ...owner,
      app_instance_id: fixture.appInstances.shared,
    })
    await insertRow(database, 'entity_ingestion_configs', {
      id: 'of-hidden',
      ...owner,
      app_instance_id: fixture.appInstances.people,
    })
  })
  afterAll(() => service.stop())

  const all = [fixture.ingestionConfigs.it, 'a-later', 'of-shared', 'of-hidden']

  describe.each(protocols)('over %s', (protocol) => {
    const list = (request: RequestJson, token = organizationKey) =>
      callMethod(service, method, { protocol, token, request })
    const listed = async (request: RequestJson, token = organizationKey) => {
      const { answer } = await list(request, token)
      expect([answer.status, answer.text]).toEqual([200, answer.text])
      return answer.json.data.map(({ id }: { id: string }) => id)
    }

    it('returns every field, wrapped in data', async () => {
      const { answer } = await list({ teamId, appInstanceId: fixture.appInstances.itSecond })
      expect(answer.json).toEqual({
        data: [
          {
            id: 'a-later',
            appInstanceId: fixture.appInstances.itSecond,
            workflowId: 'workflow-1',
            teamId,
            serviceName: 'Directory',
            workflowName: 'Sync',
            internalEntityTypeId: fixture.entityTypes.it,
            enabled: true,
            isWorkflowPublished: true,
            hasIngestionContext: true,
            syncDeletions: true,
            createdAt: '2026-01-31T09:05:00.000Z',
            updatedAt: '2026-02-01T00:00:00.500Z',
            syncIntervalSeconds: 3600,
          },
        ],
      })
    })

    it('prints unset fields', async () => {
      const { answer } = await list({ teamId: fixture.people })
      expect(answer.json.data).toEqual([
        expect.objectContaining({
          workflowId: '',
          serviceName: '',
          workflowName: '',
          enabled: false,
          isWorkflowPublished: false,
          hasIngestionContext: false,
          syncDeletions: false,
          syncIntervalSeconds: 0,
        }),
      ])
    })

    it('lists the configs of the team in order of creation, and an empty list for a team without any', async () => {
      expect(await listed({ teamId })).toEqual(all)
      expect(await listed({ teamId: fixture.people })).toEqual([fixture.ingestionConfigs.people])
      expect(await listed({ teamId: 'empty' })).toEqual([])
    })

    it('filters by app instance', async () => {
      expect(await listed({ teamId, appInstanceId: fixture.appInstances.it })).toEqual([fixture.ingestionConfigs.it])
      expect(await listed({ teamId: 'empty', appInstanceId: fixture.appInstances.it })).toEqual([])
      expect(await listed({ teamId, appInstanceId: fixture.appInstances.people })).toEqual(['of-hidden'])
    })

    it.each([
      ['does not exist', 'unknown'],
      ['belongs to another organization', fixture.appInstances.globex],
      ['belongs to a team that is hidden', fixture.appInstances.people],
    ])('returns an empty list for an app instance that %s', async (_, appInstanceId) => {
      expect(await listed({ teamId, appInstanceId }, teamKey)).toEqual([])
    })

    it('treats an app instance that is shared with the team as visible', async () => {
      expect(await listed({ teamId, appInstanceId: fixture.appInstances.shared }, teamKey)).toEqual(['of-shared'])
    })

    it('grants no access to the team with which an app instance is shared', async () => {
      await shareAppInstance(service.database, fixture.appInstances.it, fixture.people)
      const request = { teamId: fixture.people, appInstanceId: fixture.appInstances.it }
      const ids = await listed(request)
      await service.database.execute('DELETE FROM app_instance_shares WHERE app_instance_id = $1', [
        fixture.appInstances.it,
      ])
      expect(ids).toEqual([])
    })

    it('checks the team whatever the filter is', async () => {
      const { it: appInstanceId } = fixture.appInstances
      const hidden = await list({ teamId: fixture.people, appInstanceId }, teamKey)
      expect([hidden.status, hidden.reason]).toEqual([404, 'RESOURCE_NOT_FOUND'])
      expect((await list({ appInstanceId })).reason).toBe('TEAM_REQUIRED')
    })

    it('refuses an unknown parameter', async () => {
      expect(await list({ teamId, appInstance: 'x' })).toMatchObject({ status: 400, code: 'invalid_argument' })
    })
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
