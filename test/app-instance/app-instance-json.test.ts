import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { AppInstanceService } from '../../gen/svc/v2/app_instance_pb.js'
import { fixture, insertApiKey, insertFixture, insertRow, shareAppInstance } from '../support/fixture.js'
import { awkwardTexts, pathOf, standardJson } from '../support/printed-lists.js'
import { startTestService, type TestService } from '../support/service.js'

const card = {
  name: awkwardTexts[0],
  description: awkwardTexts[1],
  url: '',
  version: '',
  workflowId: 'w',
  skills: [
    {
      id: 's',
      name: awkwardTexts[2],
      description: '',
      tags: [...awkwardTexts],
      examples: [],
      inputModes: ['a'],
      outputModes: [],
    },
  ],
  securitySchemes: [
    {
      name: 'n',
      kind: 'A2A_AGENT_SECURITY_SCHEME_KIND_OAUTH2',
      openIdConnectUrl: '',
      flow: 'f',
      oauth2MetadataUrl: '',
      scopes: ['x'],
    },
  ],
}

// Over JSON the list goes from the database to the client as text; in binary it is made of messages.
describe('the JSON of a list of app instances', () => {
  let service: TestService
  let token: string
  beforeAll(async () => {
    service = await startTestService()
    const { database: sql } = service
    await insertFixture(sql)
    token = (await insertApiKey(sql, { organizationId: fixture.acme })).token
    const owner = { organization_id: fixture.acme, team_id: fixture.it }
    for (const [index, text] of awkwardTexts.entries()) {
      await insertRow(sql, 'app_instances', {
        id: `awkward-${index}`,
        ...owner,
        name: text,
        custom_service_id: text,
        custom_service_name: text,
        external_service_instance_id: text,
        tag_ids: awkwardTexts,
        integration_ids: [],
        access_requests_enabled: true,
        default_access_policy_id: fixture.accessPolicies.it,
        route_direct_from_worker: true,
        a2a_agent_card: JSON.stringify(index === 0 ? card : { ...card, lastSyncedAt: '2026-01-31T09:05:00.000Z' }),
      })
    }
    await sql.execute(
      `INSERT INTO app_instances (id, organization_id, team_id, name, a2a_agent_card)
       SELECT 'many-' || n, $1, $2, 'Many ' || n, CASE WHEN n % 100 = 0 THEN $3::json END
         FROM generate_series(1, 700) n`,
      [fixture.acme, fixture.people, JSON.stringify({ ...card, skills: [], securitySchemes: [] })],
    )
    await shareAppInstance(sql, 'many-600', fixture.it)
    await shareAppInstance(sql, 'many-3', fixture.it)
  })
  afterAll(() => service.stop())

  const method = AppInstanceService.method.listAppInstances

  it.each([
    ['a team with awkward texts, agent cards and shared instances', fixture.it, 0],
    ['a page of one', fixture.it, 1],
    ['a page that ends after an agent card', fixture.it, 4],
    ['a list of hundreds', fixture.people, 0],
    ['a page of some of them', fixture.people, 256],
    ['a page that ends with an agent card', fixture.people, 301],
    ['a page that is the whole list', fixture.people, 702],
  ])('matches its messages: %s', async (_, teamId, pageSize) => {
    const standard = await standardJson(service, method, { token, request: { teamId, pageSize } })
    const rest = await service.rest('GET', `/v2/app-instances?teamId=${teamId}&pageSize=${pageSize}`, { token })
    // `toStrictEqual`: what is left out is no null. Agent cards come with the keys in the order in which they are stored.
    expect(JSON.parse(rest.text)).toStrictEqual(JSON.parse(standard))
    const connect = await service.rest('POST', pathOf(method), { token, json: { teamId, pageSize } })
    expect(rest.text).toBe(`${connect.text}\n`)
  })

  it('prints agent cards byte for byte as they are stored', async () => {
    const { text } = await service.rest('GET', `/v2/app-instances?teamId=${fixture.it}`, { token })
    expect(text).toContain(`"a2aAgentCard":${JSON.stringify(card)}`)
  })

  it('is an empty list for a team without instances', async () => {
    await insertRow(service.database, 'teams', { id: 'empty', organization_id: fixture.acme, name: 'Empty' })
    const { text } = await service.rest('GET', '/v2/app-instances?teamId=empty', { token })
    expect(text).toBe('{"data":[],"nextPageToken":""}\n')
    expect(await standardJson(service, method, { token, request: { teamId: 'empty' } })).toBe(text.trimEnd())
  })

  it('is complete across pages of every size', async () => {
    const ids: string[] = []
    let pageToken = ''
    do {
      const query = `teamId=${fixture.people}&pageSize=300&pageToken=${pageToken}`
      const { json } = await service.rest('GET', `/v2/app-instances?${query}`, { token })
      ids.push(...json.data.map(({ id }: { id: string }) => id))
      pageToken = json.nextPageToken
    } while (pageToken !== '')
    expect([ids.length, new Set(ids).size]).toEqual([702, 702])
    expect(ids.slice(-2)).toEqual(['many-699', 'many-700'])
  })
})
