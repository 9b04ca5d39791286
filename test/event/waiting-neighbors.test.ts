import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { recordAuditEvents, systemActor } from '../../src/domain/audit/audit-event.js'
import { createMeters } from '../../src/telemetry/meters.js'
import { eventually } from '../support/eventually.js'
import { fixture, insertApiKey, insertFixture } from '../support/fixture.js'
import { metricsFromText } from '../support/metrics.js'
import { startTestService, type TestService } from '../support/service.js'

const { acme, globex } = fixture

/** As many as may wait. */
const WAITING = 1_000
/** How many calls are begun at a time, fewer than an organization may have running. */
const AT_ONCE = 50

const meters = createMeters({ version: '1.2.3', commit: 'abc' })
let service: TestService
const tokens = new Map<string, string>()
beforeAll(async () => {
  service = await startTestService({ meters })
  await insertFixture(service.database)
  for (const organizationId of [acme, globex]) {
    tokens.set(organizationId, (await insertApiKey(service.database, { organizationId })).token)
  }
})
afterAll(() => service.stop())

const get = async (organizationId: string, query: string) => {
  const headers = { authorization: `Bearer ${tokens.get(organizationId)}` }
  const response = await fetch(`${service.baseUrl}/v2/events?${query}`, { headers })
  return { status: response.status, headers: response.headers, json: JSON.parse(await response.text()) }
}
const write = (organizationId: string) =>
  recordAuditEvents(service.database, [{ organizationId, action: 'organization.update', targetId: '' }], {
    actor: systemActor,
    runtime: service.runtime,
  })

it('a thousand calls of an organization that wait for events are all it may have, and delay no other', async () => {
  const cursors = new Map<string, string>()
  for (const organizationId of [acme, globex]) {
    await write(organizationId)
    await eventually(async () => {
      const { data, nextCursor } = (await get(organizationId, '')).json
      expect(data.length).toBeGreaterThan(0)
      cursors.set(organizationId, nextCursor)
    })
  }
  const waiting = (organizationId: string) =>
    get(organizationId, `waitSeconds=30&cursor=${cursors.get(organizationId)}`)
  const answered: string[] = []
  const begin = async (organizationId: string) => {
    let answer = await waiting(organizationId)
    // However long it takes to begin all of them: whoever has waited in vain asks again.
    while (answer.status === 200 && answer.json.data.length === 0) answer = await waiting(organizationId)
    answered.push(organizationId)
    return answer
  }
  const calls: ReturnType<typeof begin>[] = []
  const waiters = async () => metricsFromText(await meters.text()).sum('svc_event_waiters')
  for (let begun = 0; begun < WAITING; begun += AT_ONCE) {
    for (let count = 0; count < AT_ONCE; count++) calls.push(begin(acme))
    await eventually(async () => expect(await waiters()).toBe(begun + AT_ONCE))
  }
  const refused = await waiting(acme)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
  expect(refused.json).toMatchObject({
    code: 'resource_exhausted',
    message: 'the organization has 1000 calls that wait for events: end some, or try again',
  })
  // It waits for nothing, and so may be made.
  expect((await get(acme, `cursor=${cursors.get(acme)}`)).status).toBe(200)
  const other = begin(globex)
  await eventually(async () => expect(await waiters()).toBe(WAITING + 1))
  await write(acme)
  await write(globex)
  expect((await other).json.data).toHaveLength(1)
  // Without a share, it is the last one.
  expect(answered.indexOf(globex)).toBeLessThan(WAITING / 2)
  const answers = await Promise.all(calls)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
})
