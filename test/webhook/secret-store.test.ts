import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { Health } from '../../gen/grpc/health/v1/health_pb.js'
import { recordAuditEvents, systemActor } from '../../src/domain/audit/audit-event.js'
import { createSecretStore, type SealKeys } from '../../src/domain/webhook/secret-store.js'
import { createMeters, type Meters } from '../../src/telemetry/meters.js'
import { runInProcess } from '../support/command-line.js'
import { createTestDatabase } from '../support/database.js'
import { eventually } from '../support/eventually.js'
import { fixture, insertApiKey, insertFixture } from '../support/fixture.js'
import { metricsFromText } from '../support/metrics.js'
import { startTestService, type TestService } from '../support/service.js'
import { startWebhookReceiver, type WebhookReceiver, webhookConfig } from '../support/webhook-receiver.js'

const [old, current] = ['a first key of thirty-two letters', 'another key of thirty-two letters']
const other = 'and one more key of forty letters'

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
  expect([unset.status, unset.stderr]).toEqual([1, expect.stringContaining('SVC_SEAL_KEY is not set')])

  const forgetful = await serve({ current: other, previous: undefined }, testDatabase)
  const refused = await test(forgetful)
  expect([refused.status, refused.json.code]).toEqual([400, 'failed_precondition'])
  expect(refused.json.message).toMatch(new RegExp(`${data.id} cannot be opened by this server: .* rotate the secret$`))
  expect(receiver.at('/sealed')).toHaveLength(count)
  await forgetful.close()
  await first.stop()
  await receiver.close()
})

describe('a server with a key that sealed nothing of its database', () => {
  let right: TestService
  let wrong: TestService
  let receiver: WebhookReceiver
  let meters: Meters
  let token: string
  let endpoint: string
  beforeAll(async () => {
    receiver = await startWebhookReceiver()
    right = await startTestService({ config: { ...webhookConfig, sealKeys: { current: old, previous: undefined } } })
    await insertFixture(right.database)
    token = (await insertApiKey(right.database, { organizationId: fixture.acme })).token
    const json = { url: `${receiver.url}/late`, types: ['priority.update'] }
    endpoint = (await right.rest('POST', '/v2/webhook-endpoints', { token, json })).json.data.id
    await right.close()
    const { testDatabase } = right
    meters = createMeters({ version: '1', commit: 'c' })
    const config = { ...webhookConfig, sealKeys: { current, previous: undefined } }
    wrong = await startTestService({ config, testDatabase, meters })
  })
  afterAll(async () => {
    await wrong.close()
    meters.close()
    await right.stop()
    await receiver.close()
  })

  it('is not ready and says why, in the log and over gRPC too', async () => {
    const response = await fetch(`${wrong.baseUrl}/readyz`)
    const reasons = { sealKey: expect.stringContaining('SVC_SEAL_KEY is not the one') }
    expect([response.status, await response.json()]).toEqual([503, { status: 'unavailable', reasons }])
    expect(await wrong.client(Health, undefined, 'grpc').check({})).toMatchObject({ status: 2 })
    await eventually(() => expect(wrong.logLines.join('')).toContain('SVC_SEAL_KEY is not the one'))
  })

  it('counts no attempt that it cannot make, leaves the event due, and its metrics show for how long', async () => {
    const delivery = () =>
      wrong.database.query<{ attempts: number; due_at: Date }>('SELECT attempts, due_at FROM webhook_deliveries')
    await recordAuditEvents(
      wrong.database,
      [{ organizationId: fixture.acme, action: 'priority.update', targetId: 'p' }],
      { actor: systemActor, runtime: wrong.runtime },
    )
    await eventually(() => expect(wrong.logLines.join('')).toContain('webhooks could not be sent'))
    await eventually(async () => expect(await delivery()).toMatchObject([{ attempts: 0 }]))
    const [{ due_at: dueAt } = { due_at: undefined }] = await delivery()
    const lag = async () => metricsFromText(await meters.text()).sum('svc_webhook_lag_seconds', { endpoint })
    await eventually(async () => expect(await lag()).toBeGreaterThan(2))
    expect(await delivery()).toEqual([{ attempts: 0, due_at: dueAt }])
  })

  it('delivers what was due once the right key is back, as the first attempt', async () => {
    const { testDatabase } = right
    const config = { ...webhookConfig, sealKeys: { current: old, previous: undefined } }
    const mended = await startTestService({ config, testDatabase })
    await eventually(() => expect(receiver.at('/late')).toHaveLength(1))
    expect((await fetch(`${mended.baseUrl}/readyz`)).status).toBe(200)
    await mended.close()
  })

  it('is ready once a secret has been rotated with its key, which replaces the lost one at once', async () => {
    const rotate = `/v2/webhook-endpoints/${endpoint}:rotateSecret`
    expect((await wrong.rest('POST', rotate, { token, json: {} })).status).toBe(200)
    await eventually(async () => expect((await fetch(`${wrong.baseUrl}/readyz`)).status).toBe(200))
    const sent = await wrong.rest('POST', `/v2/webhook-endpoints/${endpoint}:test`, { token, json: {} })
    expect(sent.json).toMatchObject({ delivered: true })
  })
})

it('seals again what the previous key sealed, and the doctor says when that may go', async () => {
  const service = await startTestService({
    config: { ...webhookConfig, sealKeys: { current: old, previous: undefined } },
  })
  const { testDatabase } = service
  await insertFixture(service.database)
  const { token } = await insertApiKey(service.database, { organizationId: fixture.acme })
  const json = { url: 'http://127.0.0.1:9/sealed' }
  expect((await service.rest('POST', '/v2/webhook-endpoints', { token, json })).status).toBe(200)
  await service.close()
  const sealKeyOf = async (env: Readonly<Record<string, string>>) => {
    const { stdout } = await runInProcess(['doctor', '--json'], {
      env: { ...testDatabase.environment, PORT: '0', ...env },
    })
    const { checks }: { checks: { check: string; healthy: boolean; text: string }[] } = JSON.parse(stdout)
    return checks.find(({ check }) => check === 'seal key')
  }
  const both = { SVC_SEAL_KEY: current, SVC_SEAL_KEY_PREVIOUS: old }
  expect(await sealKeyOf({ SVC_SEAL_KEY: old })).toMatchObject({
    healthy: true,
    text: 'opens all 1 secrets of webhooks',
  })
  expect(await sealKeyOf({ SVC_SEAL_KEY: current })).toMatchObject({
    healthy: false,
    text: expect.stringContaining('SVC_SEAL_KEY is not the one that sealed'),
  })
  expect(await sealKeyOf(both)).toMatchObject({ healthy: true, text: expect.stringContaining('1 of 1 secrets') })

  const rotated = await startTestService({
    config: { ...webhookConfig, sealKeys: { current, previous: old } },
    testDatabase,
  })
  await eventually(async () => expect((await sealKeyOf(both))?.text).toContain('it can be removed'))
  await rotated.close()
  expect(await sealKeyOf({ SVC_SEAL_KEY: current })).toMatchObject({ healthy: true })
  await service.stop()
})

it('counts each secret that signs once, however many there are', async () => {
  const testDatabase = await createTestDatabase()
  const database = testDatabase.open()
  await insertFixture(database)
  await database.execute(
    `INSERT INTO webhook_endpoints (id, organization_id, url, types, position)
     SELECT 'hook-' || n, $1, 'https://hooks.invalid/', '{}', 0 FROM generate_series(1, 3) AS n`,
    [fixture.acme],
  )
  await database.execute(
    `INSERT INTO webhook_secrets (organization_id, endpoint_id, id, sealed, expires_at)
     SELECT $1, 'hook-' || (1 + n % 3), gen_random_uuid(), 'sealed by nobody', CASE WHEN n > 2100 THEN now() - interval '1 hour' END
       FROM generate_series(1, 2200) AS n`,
    [fixture.acme],
  )
  const store = createSecretStore({ current, previous: undefined })
  expect(await store.count(database, new Date())).toEqual({ current: 0, previous: 0, neither: 2_100 })
  await testDatabase.drop()
})
