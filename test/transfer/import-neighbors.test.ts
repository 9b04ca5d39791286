import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { fixture, insertApiKey, insertFixture } from '../support/fixture.js'
import { untilLockWaits } from '../support/lock-wait.js'
import { startTestService, type TestService } from '../support/service.js'

const { acme, globex, it: team } = fixture

let service: TestService
const tokens = new Map<string, string>()
beforeAll(async () => {
  service = await startTestService()
  await insertFixture(service.database)
  for (const organizationId of [acme, globex]) {
    tokens.set(organizationId, (await insertApiKey(service.database, { organizationId })).token)
  }
})
afterAll(() => service.stop())

const send = (organizationId: string, records: readonly object[], query = '') =>
  service.rest('POST', `/v2/imports${query}`, { token: tokens.get(organizationId) ?? '', json: records })
const personOf = (organizationId: string) => ({
  user: { id: 'newcomer', organizationId, email: 'newcomer@example.com' },
})

describe('imports of several organizations', () => {
  it.each(['', '?validateOnly=true'])('wait for none of another one (%s)', async (query) => {
    const records = [{ team: { id: team, organizationId: acme, name: `renamed ${query}` } }]
    let blocked: ReturnType<typeof send> | undefined
    await service.database.transaction(async (sql) => {
      await sql.query('SELECT FROM teams WHERE organization_id = $1 AND id = $2 FOR UPDATE', [acme, team])
      blocked = send(acme, records, query)
      await untilLockWaits(service.testDatabase, 1)
      const other = await send(globex, [{ team: { id: 'beside', organizationId: globex, name: `beside ${query}` } }])
      expect(other.status).toBe(200)
    })
    expect((await blocked)?.status).toBe(200)
  })

  it('that have the same new person at once: one of them gets it', async () => {
    let imports: Promise<Awaited<ReturnType<typeof send>>[]> | undefined
    await service.database.transaction(async (sql) => {
      // So that each has looked for the person and found nobody before the other one ends.
      await sql.query(`SELECT pg_advisory_xact_lock(hashtextextended('newcomers/', 0))`)
      imports = Promise.all([acme, globex].map((organizationId) => send(organizationId, [personOf(organizationId)])))
      await untilLockWaits(service.testDatabase, 2, 'advisory')
    })
    const answers = (await imports) ?? []
    expect(answers.map(({ status }) => status).sort((one, other) => one - other)).toEqual([200, 400])
    const refused = answers.find(({ status }) => status === 400)
    expect(refused?.json.message).toBe('records[0].user.id: is not available: choose another one (line 1)')
    expect(await service.database.query(`SELECT FROM memberships WHERE user_id = 'newcomer'`)).toHaveLength(1)
  })
})
