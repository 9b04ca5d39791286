import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { freePort } from '../../harness/free-port.js'
import { eventually } from '../support/eventually.js'
import { fixture, insertApiKey, insertFixture, insertUserToken } from '../support/fixture.js'
import { startTestService, type TestService } from '../support/service.js'
import { webhookConfig } from '../support/webhook-receiver.js'

const root = join(import.meta.dirname, '../..')
const { acme, priorities, users } = fixture

let service: TestService
let receiver: ChildProcess | undefined
beforeAll(async () => {
  service = await startTestService({ config: webhookConfig })
  await insertFixture(service.database)
})
afterAll(async () => {
  receiver?.kill()
  await service.stop()
})

it('the receiver of the guide refuses what is not signed, and handles an event once', async () => {
  const { token } = await insertApiKey(service.database, { organizationId: acme })
  const admin = await insertUserToken(service.database, { userId: users.admin })
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/`
  const created = await service.rest('POST', '/v2/webhook-endpoints', {
    token,
    json: { url, types: ['priority.update'] },
  })
  const { data, secret } = created.json
  const environment = { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret }
  receiver = spawn(process.execPath, ['examples/receive-webhooks.mjs'], { cwd: root, env: environment })
  let output = ''
  receiver.stdout?.on('data', (chunk) => {
    output += chunk
  })
  const test = () => service.rest('POST', `/v2/webhook-endpoints/${data.id}:test`, { token, json: {} })
  await eventually(async () => expect((await test()).json).toMatchObject({ delivered: true }))
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401)

  await service.rest('PATCH', `/v2/priorities/${priorities.it}`, { token: admin, json: { name: 'Renamed' } })
  await eventually(() => expect(output).toContain('priority.update'))
  const [line = ''] = output.split('\n').filter((each) => each.includes('priority.update'))
  expect(line).toMatch(new RegExp(`^\\d+ priority.update ${priorities.it}$`))
  const feed = await service.rest('GET', '/v2/events?types=priority.update', { token })
  const resend = `/v2/webhook-endpoints/${data.id}/deliveries/${feed.json.data.at(-1).id}:resend`
  expect((await service.rest('POST', resend, { token, json: {} })).status).toBe(200)
  const { webhookDelivery } = service.database.models
  await eventually(async () => expect(await webhookDelivery.count({ where: { status: 'PENDING' } })).toBe(0))
  expect(output.split('\n').filter((each) => each.includes('priority.update'))).toEqual([line])
})
