import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { fixture, insertApiKey, insertFixture } from '../support/fixture.js'
import { startTestService, type TestService } from '../support/service.js'
import { webhookConfig } from '../support/webhook-receiver.js'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ config: webhookConfig })
  await insertFixture(service.database)
})
afterAll(() => service.stop())

it('an organization has at most a hundred webhook endpoints, however many are created at once', async () => {
  const { token } = await insertApiKey(service.database, { organizationId: fixture.acme })
  const json = { url: 'http://127.0.0.1:1/', types: ['priority.update'] }
  const create = () => service.rest('POST', '/v2/webhook-endpoints', { token, json })
  const first = await create()
  const { webhookEndpoint } = service.database.models
  const { ordinal: _, ...row } = await webhookEndpoint.findFirstOrThrow()
  const before = await webhookEndpoint.count({ where: { organizationId: fixture.acme } })
  await webhookEndpoint.createMany({ data: Array.from({ length: 98 - before }, () => ({ ...row, id: randomUUID() })) })
  const last = await Promise.all([create(), create(), create(), create()])
  expect(last.map(({ status }) => status).sort((one, other) => one - other)).toEqual([200, 200, 400, 400])
  expect(last.find(({ status }) => status === 400)?.json).toMatchObject({
    code: 'failed_precondition',
    message: 'the organization has 100 webhook endpoints: delete one',
    detail: { debug: { reason: 'ERROR_REASON_TOO_MANY_OBJECTS', metadata: { limit: '100' } } },
  })
  await service.rest('DELETE', `/v2/webhook-endpoints/${first.json.data.id}`, { token })
  expect((await create()).status).toBe(200)
})
