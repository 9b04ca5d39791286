import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { fixture, insertApiKey, insertFixture, insertRow } from '../support/fixture.js'
import { startTestService, type TestService } from '../support/service.js'

const { acme, people: teamId } = fixture

let service: TestService
let token: string
beforeAll(async () => {
  service = await startTestService()
  await insertFixture(service.database)
  token = (await insertApiKey(service.database, { organizationId: acme, teamId })).token
})
afterAll(() => service.stop())

const list = async (query: string) => {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${service.baseUrl}/v2/app-instances?teamId=${teamId}${query}`, { headers })
  const text = await response.text()
  const { data, nextPageToken } = JSON.parse(text)
  return { bytes: text.length, ids: data.map(({ id }: { id: string }) => id), nextPageToken }
}

it('a page of a list ends after 8 MiB, and the next one begins behind it', async () => {
  const before = (await list('')).ids
  // Stored before cards had a limit.
  const card = JSON.stringify({ name: 'Agent', description: 'a'.repeat(3 * 1024 * 1024) })
  const large = ['large-0', 'large-1', 'large-2', 'large-3', 'large-4']
  for (const id of large) {
    const owner = { organization_id: acme, team_id: teamId }
    await insertRow(service.database, 'app_instances', { id, ...owner, name: id, a2a_agent_card: card })
  }
  for (const query of ['', '&q=large']) {
    const first = await list(query)
    const second = await list(`${query}&pageToken=${first.nextPageToken}`)
    expect(first.bytes).toBeLessThan(12 * 1024 * 1024)
    expect(second.nextPageToken).toBe('')
    expect([...first.ids, ...second.ids]).toEqual(query === '' ? [...before, ...large] : large)
    expect(first.ids.slice(-3)).toEqual(['large-0', 'large-1', 'large-2'])
    // One that is full ends as before.
    expect((await list(`${query}&pageSize=1&pageToken=${first.nextPageToken}`)).ids).toEqual(['large-3'])
  }
})
