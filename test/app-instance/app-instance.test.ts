import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import {
  fixture,
  insertApiKey,
  insertFixture,
  insertRow,
  insertUserToken,
  shareAppInstance,
} from '../support/fixture.js'
import { callMethod, formsOf, protocols, type RequestJson } from '../support/method-forms.js'
import { guardPlaces } from '../support/place-guards.js'
import { startTestService, type TestService } from '../support/service.js'

const method = formsOf('ListAppInstances')

const agentCard = {
  name: 'Helper',
  description: 'Helps',
  url: 'https://agent.example.com',
  version: '1.2.0',
  skills: [
    {
      id: 'skill-1',
      name: 'Reset',
      description: 'Resets passwords',
      tags: ['it'],
      examples: ['Reset mine'],
      inputModes: ['text/plain'],
      outputModes: ['text/plain'],
    },
  ],
  workflowId: 'workflow-1',
  lastSyncedAt: '2026-01-31T09:05:00.000Z',
  securitySchemes: [
    {
      name: 'oidc',
      kind: 'A2A_AGENT_SECURITY_SCHEME_KIND_OPEN_ID_CONNECT',
      flow: '',
      oauth2MetadataUrl: '',
      openIdConnectUrl: 'https://id.example.com/.well-known/openid-configuration',
      scopes: ['read'],
    },
  ],
}

describe('listing app instances', () => {
  let service: TestService
  let organizationKey: string
  let teamKey: string
  let globexKey: string

  beforeAll(async () => {
    service = await startTestService()
    const { database } = service
    await insertFixture(database)
    organizationKey = (await insertApiKey(database, { organizationId: fixture.acme })).token
    teamKey = (await insertApiKey(database, { organizationId: fixture.acme, teamId: fixture.it })).token
    globexKey = (await insertApiKey(database, { organizationId: fixture.globex })).token
    await insertRow(database, 'teams', { id: 'many', organization_id: fixture.acme, name: 'Many' })
    await insertRow(database, 'teams', { id: 'empty', organization_id: fixture.acme, name: 'Empty' })
    await insertRow(database, 'app_instances', {
      id: 'full',
      organization_id: fixture.acme,
      team_id: 'many',
      name: 'Full',
      a2a_agent_card: agentCard,
      custom_service_id: 'service-1',
      custom_service_name: 'Service',
      external_service_instance_id: 'external-1',
      access_requests_enabled: true,
      default_access_policy_id: fixture.accessPolicies.it,
      tag_ids: ['tag-2', 'tag-1'],
      integration_ids: ['integration-1'],
      route_direct_from_worker: true,
    })
    // Owned and shared instances in turn, so that every page has to merge both.
    for (let index = 0; index < 8; index++) {
      const isOwned = index % 2 === 0
      const id = `many-${index}`
      await insertRow(database, 'app_instances', {
        id,
        organization_id: fixture.acme,
        team_id: isOwned ? 'many' : fixture.people,
        name: id,
      })
      if (!isOwned) await shareAppInstance(database, id, 'many')
    }
    // Sharing an instance with its own team makes no second one of it.
    await shareAppInstance(database, 'many-0', 'many')
  })
  afterAll(() => service.stop())

  const allOfMany = ['full', ...Array.from({ length: 8 }, (_, index) => `many-${index}`)]

  describe.each(protocols)('over %s', (protocol) => {
    const list = (request: RequestJson, token = organizationKey) =>
      callMethod(service, method, { protocol, token, request })
    const listed = async (request: RequestJson, token = organizationKey) => {
      const { answer } = await list(request, token)
      expect([answer.status, answer.text]).toEqual([200, answer.text])
      const ids = answer.json.data.map(({ id }: { id: string }) => id)
      return { ids, nextPageToken: answer.json.nextPageToken, data: answer.json.data }
    }

    it('returns every field, wrapped in data, and an empty token on the last page', async () => {
      const { data, nextPageToken } = await listed({ teamId: 'many' })
      expect(nextPageToken).toBe('')
      expect(data[0]).toEqual({
        id: 'full',
        customServiceId: 'service-1',
        teamId: 'many',
        externalServiceInstanceId: 'external-1',
        name: 'Full',
        accessRequestsEnabled: true,
        defaultAccessPolicyId: fixture.accessPolicies.it,
        customServiceName: 'Service',
        tagIds: ['tag-2', 'tag-1'],
        integrationIds: ['integration-1'],
        a2aAgentCard: agentCard,
        routeDirectFromWorker: true,
      })
    })

    it('omits an agent card that is not set, and prints everything else', async () => {
      const { data } = await listed({ teamId: 'many' })
      expect(data[1]).toEqual({
        id: 'many-0',
        customServiceId: '',
        teamId: 'many',
        externalServiceInstanceId: '',
        name: 'many-0',
        accessRequestsEnabled: false,
        defaultAccessPolicyId: '',
        customServiceName: '',
        tagIds: [],
        integrationIds: [],
        routeDirectFromWorker: false,
      })
    })

    it('lists the instances that the team owns or shares, each once, in order of creation', async () => {
      expect((await listed({ teamId: 'many' })).ids).toEqual(allOfMany)
      const shared = (await listed({ teamId: 'many' })).data[2]
      expect(shared).toMatchObject({ id: 'many-1', teamId: fixture.people })
    })

    it('shows a shared instance in the lists of both teams and in no other', async () => {
      const { appInstances } = fixture
      expect((await listed({ teamId: fixture.it })).ids).toEqual([
        appInstances.it,
        appInstances.itSecond,
        appInstances.shared,
      ])
      expect((await listed({ teamId: fixture.people })).ids).toContain(appInstances.shared)
      expect((await listed({ teamId: 'empty' })).ids).toEqual([])
    })

    it.each([1, 2, 3, 4, 5, 8, 9, 10])('returns every instance once and in order in pages of %i', async (pageSize) => {
      const ids: string[] = []
      let pageToken = ''
      do {
        const page = await listed({ teamId: 'many', pageSize, pageToken })
        expect(page.ids.length).toBeLessThanOrEqual(pageSize)
        ids.push(...page.ids)
        pageToken = page.nextPageToken
      } while (pageToken !== '')
      expect(ids).toEqual(allOfMany)
    })

    it('treats a page size of 0 or above 10,000 as the maximum', async () => {
      for (const pageSize of [0, 10_001, 2_147_483_647]) {
        expect((await listed({ teamId: 'many', pageSize })).ids).toEqual(allOfMany)
      }
    })

    it('infers the team of callers that reach only one, and its tokens also work with the team given', async () => {
      const { nextPageToken, ids } = await listed({ pageSize: 1 }, teamKey)
      expect(ids).toEqual([fixture.appInstances.it])
      const rest = await listed({ teamId: fixture.it, pageToken: nextPageToken }, teamKey)
      expect(rest.ids).toEqual([fixture.appInstances.itSecond, fixture.appInstances.shared])
      const viewer = await insertUserToken(service.database, { userId: fixture.users.viewer })
      expect((await listed({}, viewer)).ids).toHaveLength(3)
    })

    it('infers the team of an organization key if the organization has one team', async () => {
      expect((await listed({}, globexKey)).ids).toEqual([fixture.appInstances.globex])
    })
  })

  it('lists 10,000 instances on one page and the rest on the next', async () => {
    const { database } = service
    await insertRow(database, 'teams', { id: 'huge', organization_id: fixture.acme, name: 'Huge' })
    await database.execute(
      `INSERT INTO app_instances (id, organization_id, team_id, name, tag_ids, integration_ids)
       SELECT 'huge-' || n, $1, 'huge', 'Huge', '{}', '{}' FROM generate_series(1, 10001) AS n ORDER BY n`,
      [fixture.acme],
    )
    const page = (request: RequestJson) =>
      callMethod(service, method, { protocol: 'REST', token: organizationKey, request: { teamId: 'huge', ...request } })
    const { answer } = await page({})
    expect(answer.json.data).toHaveLength(10_000)
    const last = await page({ pageToken: answer.json.nextPageToken })
    expect(last.answer.json).toMatchObject({ data: [{ id: 'huge-10001' }], nextPageToken: '' })
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
