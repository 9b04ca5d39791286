import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { fixture, insertFixture, insertRow, insertUserToken } from '../support/fixture.js'
import { startTestService, type TestService } from '../support/service.js'

const { acme, it: teamId, users } = fixture

let service: TestService
let token: string
beforeAll(async () => {
  service = await startTestService()
  await insertFixture(service.database)
  token = await insertUserToken(service.database, { userId: users.admin })
})
afterAll(() => service.stop())

/** A card of so many bytes in its list of skills, as clients may lay it out. */
const cardOf = (bytes: number) => ({
  name: 'Agent',
  description: '',
  url: '',
  version: '',
  workflowId: '',
  securitySchemes: [],
  skills: Array.from({ length: 100 }, (_, index) => ({
    id: `${index}`,
    name: 'Skill',
    description: 'é'.repeat(Math.floor((bytes - 8_000) / 200)),
    tags: [],
    examples: [],
    inputModes: [],
    outputModes: [],
  })),
})
const fault = 'must have at most 131072 bytes as JSON'
const call = (method: 'POST' | 'PATCH' | 'GET', path: string, json?: object) =>
  service.rest(method, path, { token, ...(json && { json }) })

it('a card of more than 128 KiB is refused in a new app instance, an update and an import, and one of less is not', async () => {
  const [large, small] = [cardOf(140_000), cardOf(128_000)]
  const created = await call('POST', '/v2/app-instances', { teamId, name: 'Small', a2aAgentCard: small })
  expect(created.status).toBe(200)
  const path = `/v2/app-instances/${created.json.data.id}`
  for (const refused of [
    await call('POST', '/v2/app-instances', { teamId, name: 'Large', a2aAgentCard: large }),
    await call('PATCH', path, { a2aAgentCard: large }),
  ]) {
    expect([refused.status, refused.json.message]).toEqual([400, `a2aAgentCard: ${fault}`])
  }
  const records = [large, small].map((a2aAgentCard, index) => ({
    appInstance: { id: `imported-${index}`, teamId, name: 'Imported', a2aAgentCard },
  }))
  const plan = await call('POST', '/v2/imports?validateOnly=true', records)
  expect(plan.json.data.map(({ outcome, faults }: Record<string, unknown>) => [outcome, faults])).toEqual([
    ['RECORD_OUTCOME_REFUSED', [`appInstance.a2aAgentCard: ${fault}`]],
    ['RECORD_OUTCOME_CREATED', []],
  ])
})

it('a larger one that is stored already goes on', async () => {
  const a2aAgentCard = cardOf(140_000)
  const row = { id: 'stored', organization_id: acme, team_id: teamId, name: 'Stored' }
  await insertRow(service.database, 'app_instances', { ...row, a2a_agent_card: JSON.stringify(a2aAgentCard) })
  const renamed = await call('PATCH', '/v2/app-instances/stored', { name: 'Renamed' })
  expect(renamed.json.data).toMatchObject({ name: 'Renamed', a2aAgentCard })
})
