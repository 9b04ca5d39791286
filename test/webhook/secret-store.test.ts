import { expect, it } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import type { SealKeys } from '../../src/domain/webhook/secret-store.js'
import { runInProcess } from '../support/command-line.js'
import { eventually } from '../support/eventually.js'
import { fixture, insertApiKey, insertFixture } from '../support/fixture.js'
import { startTestService, type TestService } from '../support/service.js'
import { startWebhookReceiver, webhookConfig } from '../support/webhook-receiver.js'

const [old, current] = ['a first key of thirty-two letters', 'another key of thirty-two letters']

it('opens the secrets that were sealed with the previous key, and no others', async () => {
  const receiver = await startWebhookReceiver()
  const serve = (sealKeys: SealKeys, testDatabase?: TestService['testDatabase']) =>
    startTestService({ config: { ...webhookConfig, sealKeys }, ...(testDatabase && { testDatabase }) })
  const first = await serve({ current: old, previous: undefined })
  const { testDatabase } = first
  await insertFixture(first.database)
  const { token } = await insertApiKey(first.database, { organizationId: fixture.acme })
  const created = await first.rest('POST', '/v2/webhook-endpoints', { token, json: { url: `${receiver.url}/sealed` } })
  const { data, secret } = created.json
  await first.close()

  const test = (service: TestService) =>
    service.rest('POST', `/v2/webhook-endpoints/${data.id}:test`, { token, json: {} })
  const rotated = await serve({ current, previous: old }, testDatabase)
  expect((await test(rotated)).json).toMatchObject({ delivered: true })
  await rotated.close()
  const got = receiver.at('/sealed').at(-1)
  const headers = Object.fromEntries(Object.entries(got?.headers ?? {}).map(([name, value]) => [name, String(value)]))
  expect(new Webhook(secret).verify(got?.body ?? '', headers)).toEqual(got?.json)

  const count = receiver.at('/sealed').length
  const unset = await runInProcess(['serve'], { env: { ...testDatabase.environment, PORT: '0' } })
  expect([unset.status, unset.stderr]).toEqual([1, expect.stringContaining('set SVC_SEAL_KEY')])

  const forgetful = await serve({ current, previous: undefined }, testDatabase)
  expect((await test(forgetful)).status).toBe(500)
  await eventually(() => expect(forgetful.logLines.join('')).toContain(`${data.id} cannot be opened`))
  expect(receiver.at('/sealed')).toHaveLength(count)
  await forgetful.close()
  await first.stop()
  await receiver.close()
})
