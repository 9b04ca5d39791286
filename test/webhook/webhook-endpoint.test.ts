import { createPublicKey, verify } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals'
import { HTTP } from 'cloudevents'
import { Webhook } from 'standardwebhooks'
import { systemTiming } from '../../src/db/retries.js'
import { eventually } from '../support/eventually.js'
import { fixture, insertApiKey, insertFixture } from '../support/fixture.js'
import { startTestService, type TestService } from '../support/service.js'
import {
  type ReceivedWebhook,
  startWebhookService,
  type WebhookReceiver,
  type WebhookService,
} from '../support/webhook-receiver.js'

const { acme, it: itTeam, people, priorities, users } = fixture

describe('webhook endpoints', () => {
  let service: TestService
  let receiver: WebhookReceiver
  let key: string
  let admin: string
  let call: WebhookService['call']
  let stop: () => Promise<void>
  beforeAll(async () => {
    // Endpoints and attempts that are due are looked for each second.
    const { sleep } = systemTiming
    jest
      .spyOn(systemTiming, 'sleep')
      .mockImplementation((millis, until) => sleep(millis === 1_000 ? 50 : millis, until))
    ;({ service, receiver, key, admin, call, stop } = await startWebhookService())
  })
  afterAll(() => stop())

  const create = (path: string, options: object = {}) =>
    call('POST', '', { url: receiver.url + path, types: ['priority.update'], ...options })
  const rename = (name: string, id: string = priorities.it) =>
    service.rest('PATCH', `/v2/priorities/${id}`, { token: admin, json: { name } })
  const deliveries = async (id: string, query = '') => (await call('GET', `/${id}/deliveries?${query}`)).data
  /** Ends the pause after the first failure of a delivery, which is five seconds, a fifth more or less. */
  const endPause = async (endpointId: string) => {
    const failed = { endpointId, status: 'PENDING', attempts: 1, responseStatus: 500 } as const
    const { webhookDelivery } = service.database.models
    const [failure] = await webhookDelivery.findMany({ where: failed })
    expect(Number(failure?.dueAt) - Number(failure?.lastAttemptAt)).toBeGreaterThan(3_900)
    await webhookDelivery.updateMany({ where: failed, data: { dueAt: service.runtime.now() } })
  }

  it('sends an event as a CloudEvent with a signature that others verify', async () => {
    const { data, secret } = await create('/signed', { hasPublicKey: true })
    expect(data).toMatchObject({
      status: 'WEBHOOK_ENDPOINT_STATUS_ENABLED',
      mode: 'WEBHOOK_MODE_UNORDERED',
      teamId: '',
    })
    await rename('Signed')
    const [got] = await receiver.arrived('/signed')
    const headers = Object.fromEntries(Object.entries(got?.headers ?? {}).map(([name, value]) => [name, String(value)]))
    new Webhook(secret).verify(got?.body ?? '', headers)
    expect(() => new Webhook(secret).verify(`${got?.body} `, headers)).toThrow('No matching signature found')
    const [, v1a = ''] = /v1a,(\S+)/.exec(headers['webhook-signature'] ?? '') ?? []
    const raw = Buffer.from(data.publicKey.replace('whpk_', ''), 'base64')
    const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw])
    const content = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${got?.body}`)
    const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' })
    expect(verify(null, content, publicKey, Buffer.from(v1a, 'base64'))).toBe(true)
    const event = HTTP.toEvent({ headers, body: got?.body ?? '' })
    const feed = await service.rest('GET', `/v2/events?targetId=${priorities.it}`, { token: key })
    const recorded = feed.json.data.at(-1)
    expect(event).toMatchObject({
      id: headers['webhook-id'],
      source: `/organizations/${acme}`,
      type: 'priority.update',
      subject: `priority/${priorities.it}`,
      time: recorded.occurredAt,
      data: recorded,
    })
    await eventually(async () =>
      expect(await deliveries(data.id)).toEqual([
        {
          id: headers['webhook-id'],
          endpointId: data.id,
          type: 'priority.update',
          position: recorded.position,
          status: 'WEBHOOK_DELIVERY_STATUS_SUCCEEDED',
          attempts: 1,
          lastAttemptAt: expect.any(String),
          responseStatus: 200,
          responseBody: '',
          error: '',
          createdAt: expect.any(String),
          subject: { type: 'priority', id: priorities.it },
        },
      ]),
    )
  })

  it('sends what the endpoint wants: its types, and the events of its team', async () => {
    const ofTeam = await create('/team', { teamId: people, types: [] })
    await create('/all', { types: ['priority.update', 'team.update'] })
    await rename('Of another team')
    await call('PATCH', `/${ofTeam.data.id}`, { description: 'Own' })
    const all = await receiver.arrived('/all')
    expect(all.map(({ json }) => json.data.teamId)).toEqual([itTeam])
    const own = await receiver.arrived('/team', 2)
    expect(own.map(({ json }) => json.type)).toEqual(['webhook_endpoint.create', 'webhook_endpoint.update'])
  })

  it('tries again under the same id, and keeps what the receiver said', async () => {
    const { data } = await create('/retried', { types: ['user.update'] })
    receiver.answer('/retried', (response) => response.writeHead(500, { 'retry-after': '1' }).end('x'.repeat(3_000)))
    await service.rest('PUT', `/v2/users/${users.viewer}`, { token: admin, json: { department: 'Retried' } })
    const [first] = await receiver.arrived('/retried')
    await eventually(async () =>
      expect(await deliveries(data.id)).toEqual([
        expect.objectContaining({
          id: first?.headers['webhook-id'],
          status: 'WEBHOOK_DELIVERY_STATUS_PENDING',
          attempts: 1,
          responseStatus: 500,
          responseBody: 'x'.repeat(1_024),
        }),
      ]),
    )
    // Recorded after the delivery, for the endpoint.
    const failingSince = async () => (await call('GET', `/${data.id}`)).data.failingSince
    await eventually(async () => expect(await failingSince()).toEqual(expect.any(String)))
    receiver.answer('/retried', 204)
    await endPause(data.id)
    const [, second] = await receiver.arrived('/retried', 2)
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(second?.body).toBe(first?.body)
    await eventually(async () => {
      const [delivery] = await deliveries(data.id, 'status=WEBHOOK_DELIVERY_STATUS_SUCCEEDED')
      expect(delivery).toMatchObject({ attempts: 2, responseStatus: 204, responseBody: '' })
      expect(delivery.nextAttemptAt).toBeUndefined()
    })
    await eventually(async () => expect(await failingSince()).toBeUndefined())
  })

  it('keeps the order of a target while another is not delayed', async () => {
    const { data } = await create('/ordered', { mode: 'WEBHOOK_MODE_BY_TARGET' })
    const target = (each: ReceivedWebhook) => each.json.data.subject.id
    receiver.answer('/ordered', (response, got) => response.writeHead(target(got) === priorities.it ? 500 : 200).end())
    await rename('Fails')
    await eventually(async () => expect(receiver.at('/ordered')).toHaveLength(1))
    await rename('Waits')
    await rename('Passes', priorities.people)
    await eventually(async () =>
      expect(receiver.at('/ordered').some((each) => target(each) === priorities.people)).toBe(true),
    )
    await eventually(async () => {
      const pending = await deliveries(data.id, 'status=WEBHOOK_DELIVERY_STATUS_PENDING')
      expect(pending.map(({ attempts }: { attempts: number }) => attempts)).toEqual([0, expect.any(Number)])
    })
    receiver.answer('/ordered', 200)
    await endPause(data.id)
    await eventually(async () => {
      const ids = receiver.at('/ordered').filter((each) => target(each) === priorities.it)
      const positions = ids.map(({ json }) => Number(json.data.position))
      expect(new Set(positions).size).toBe(2)
      expect(positions).toEqual([...positions].sort((one, other) => one - other))
    })
  })

  it('is disabled by 410, with an event, and continues where it stopped when it is enabled', async () => {
    const { data } = await create('/gone')
    receiver.answer('/gone', 410)
    await rename('Gone')
    await eventually(async () =>
      expect((await call('GET', `/${data.id}`)).data).toMatchObject({
        status: 'WEBHOOK_ENDPOINT_STATUS_DISABLED',
        disabledReason: 'WEBHOOK_DISABLED_REASON_GONE',
      }),
    )
    const audit = await service.rest('GET', `/v2/audit-events?targetId=${data.id}&action=webhook_endpoint.disable`, {
      token: key,
    })
    expect(audit.json.data).toEqual([
      expect.objectContaining({ actor: expect.objectContaining({ kind: 'ACTOR_KIND_SYSTEM' }) }),
    ])
    await rename('Meanwhile')
    receiver.answer('/gone', 200)
    const enabled = await call('POST', `/${data.id}:enable`, {})
    expect([enabled.data.status, enabled.data.disabledReason]).toEqual(['WEBHOOK_ENDPOINT_STATUS_ENABLED', undefined])
    await eventually(async () => {
      const names = receiver.at('/gone').map(({ json }) => json.data.position)
      expect(new Set(names).size).toBe(2)
    })
  })

  it('is created disabled where that is asked for, and gets what has happened since when it is enabled', async () => {
    const state = { status: 'WEBHOOK_ENDPOINT_STATUS_DISABLED', disabledReason: 'WEBHOOK_DISABLED_REASON_REQUEST' }
    const { data } = await create('/later', { status: state.status })
    expect(data).toMatchObject(state)
    await rename('Waits for the endpoint')
    expect(await deliveries(data.id)).toEqual([])
    await call('POST', `/${data.id}:enable`, {})
    const [got] = await receiver.arrived('/later')
    expect(got?.json.type).toBe('priority.update')
  })

  it('is neither enabled nor disabled by an update, which takes its state as it is', async () => {
    const { data } = await create('/state')
    const path = `/v2/webhook-endpoints/${data.id}`
    const json = { ...data, description: 'Never', status: 'WEBHOOK_ENDPOINT_STATUS_DISABLED' }
    const { status, json: refusal } = await service.rest('PATCH', path, { token: key, json })
    expect([status, refusal.message]).toEqual([400, 'status: is not the present one: call enable or disable'])
    expect((await call('GET', `/${data.id}`)).data).toEqual(data)
    expect((await call('PATCH', `/${data.id}`, { ...data, description: 'New' })).data).toMatchObject({
      status: data.status,
      description: 'New',
    })
  })

  it('is disabled after five days of nothing but failures', async () => {
    const { data } = await create('/failing')
    receiver.answer('/failing', 503)
    const { webhookEndpoint } = service.database.models
    const failingSince = new Date(service.runtime.now().getTime() - 5 * 86_400_000)
    await webhookEndpoint.updateMany({ where: { id: data.id }, data: { failingSince } })
    await rename('Failing')
    await eventually(async () =>
      expect((await call('GET', `/${data.id}`)).data.disabledReason).toBe('WEBHOOK_DISABLED_REASON_FAILURES'),
    )
  })

  it('signs with both secrets after a rotation, until a day has passed', async () => {
    const { data, secret } = await create('/rotated')
    const rotated = await call('POST', `/${data.id}:rotateSecret`, {})
    expect(rotated.secret).not.toBe(secret)
    await rename('Rotated')
    const [both] = await receiver.arrived('/rotated')
    const verified = (got: ReceivedWebhook | undefined, by: string) => {
      const headers = Object.fromEntries(
        Object.entries(got?.headers ?? {}).map(([name, value]) => [name, String(value)]),
      )
      return new Webhook(by).verify(got?.body ?? '', headers)
    }
    expect([verified(both, secret), verified(both, rotated.secret)]).toEqual([both?.json, both?.json])
    const { webhookSecret } = service.database.models
    const { count } = await webhookSecret.updateMany({
      where: { endpointId: data.id, expiresAt: { not: null } },
      data: { expiresAt: new Date(service.runtime.now().getTime() - 1) },
    })
    expect(count).toBe(1)
    await rename('Rotated again')
    const [, one] = await receiver.arrived('/rotated', 2)
    expect(verified(one, rotated.secret)).toEqual(one?.json)
    expect(() => verified(one, secret)).toThrow('No matching signature found')
  })

  it('resends, replays and recovers under the same id', async () => {
    const { data } = await create('/again')
    await rename('Once')
    const [first] = await receiver.arrived('/again')
    const id = String(first?.headers['webhook-id'])
    expect((await call('POST', `/${data.id}/deliveries/${id}:resend`, {})).data).toMatchObject({ id, attempts: 0 })
    await receiver.arrived('/again', 2)
    await rename('Twice')
    await receiver.arrived('/again', 3)
    const replay = { position: first?.json.data.position }
    expect(await call('POST', `/${data.id}:replay`, replay)).toEqual({ replayed: 2 })
    const all = await receiver.arrived('/again', 5)
    expect(new Set(all.map(({ headers }) => headers['webhook-id'])).size).toBe(2)
    const { webhookDelivery } = service.database.models
    receiver.answer('/again', 500)
    await rename('Thrice')
    await receiver.arrived('/again', 6)
    await eventually(async () => expect((await deliveries(data.id))[0]).toMatchObject({ responseStatus: 500 }))
    await webhookDelivery.updateMany({
      where: { endpointId: data.id, attempts: 1, responseStatus: 500 },
      data: { status: 'FAILED' },
    })
    receiver.answer('/again', 200)
    expect(await call('POST', `/${data.id}:recover`, { since: '2099-01-01T00:00:00Z' })).toEqual({ recovered: 0 })
    expect(await call('POST', `/${data.id}:recover`, {})).toEqual({ recovered: 1 })
    await receiver.arrived('/again', 7)
  })

  it('sends at once what waits for its next attempt, by recover and by replay, but nothing that is under way', async () => {
    const { data } = await create('/repaired')
    const { webhookDelivery } = service.database.models
    const failThenRepair = async (count: number) => {
      await eventually(async () => {
        const failed = await deliveries(data.id, 'status=WEBHOOK_DELIVERY_STATUS_PENDING')
        expect(failed.map(({ responseStatus }: { responseStatus: number }) => responseStatus)).toEqual(
          Array.from({ length: count }, () => 500),
        )
      })
      const dueAt = new Date(service.runtime.now().getTime() + 3_600_000)
      await webhookDelivery.updateMany({ where: { endpointId: data.id, status: 'PENDING' }, data: { dueAt } })
      receiver.answer('/repaired', 200)
    }
    receiver.answer('/repaired', 500)
    await rename('Lost')
    await rename('Lost too', priorities.people)
    await receiver.arrived('/repaired', 2)
    await failThenRepair(2)
    expect(await call('POST', `/${data.id}:recover`, { since: '2099-01-01T00:00:00Z' })).toEqual({ recovered: 0 })
    expect(await call('POST', `/${data.id}:recover`, {})).toEqual({ recovered: 2 })
    await receiver.arrived('/repaired', 4)
    await eventually(async () => {
      const accepted = await deliveries(data.id, 'status=WEBHOOK_DELIVERY_STATUS_SUCCEEDED')
      expect(accepted).toMatchObject([
        { attempts: 1, responseStatus: 200, error: '' },
        { attempts: 1, responseStatus: 200, error: '' },
      ])
    })
    receiver.answer('/repaired', 500)
    await rename('Lost again')
    const position = (await receiver.arrived('/repaired', 5)).at(-1)?.json.data.position
    await failThenRepair(1)
    expect(await call('POST', `/${data.id}:replay`, { position })).toEqual({ replayed: 1 })
    await receiver.arrived('/repaired', 6)
    let answer: (() => void) | undefined
    receiver.answer('/repaired', (response) => {
      answer = () => response.end()
    })
    await rename('Under way')
    await receiver.arrived('/repaired', 7)
    expect(await call('POST', `/${data.id}:recover`, {})).toEqual({ recovered: 0 })
    answer?.()
    await eventually(async () =>
      expect((await deliveries(data.id))[0]).toMatchObject({ attempts: 1, responseStatus: 200 }),
    )
    expect(receiver.at('/repaired')).toHaveLength(7)
  })

  it.each([
    ['a private address', { url: 'https://10.0.0.1/' }, 'url'],
    ['plain HTTP', { url: 'http://93.184.216.34/' }, 'url'],
    ['another port', { url: 'https://93.184.216.34:8443/' }, 'url'],
    ['a user', { url: 'https://me@93.184.216.34/' }, 'url'],
    ['no URL', { url: 'nothing' }, 'url'],
    ['an unknown type', { url: 'https://93.184.216.34/', types: ['user.updated'] }, 'types[0]'],
    ['an unknown team', { url: 'https://93.184.216.34/', teamId: 'nowhere' }, undefined],
  ])('refuses %s', async (_, json, field) => {
    const { status, json: error } = await service.rest('POST', '/v2/webhook-endpoints', { token: key, json })
    expect(status).toBe(field === undefined ? 404 : 400)
    expect(error.message.split(':')[0]).toBe(field ?? 'team not found')
  })

  it('keeps endpoints of the organization from keys of a team', async () => {
    const { token } = await insertApiKey(service.database, { organizationId: acme, teamId: people })
    const refused = await service.rest('POST', '/v2/webhook-endpoints', {
      token,
      json: { url: 'https://example.com/' },
    })
    expect(refused.status).toBe(403)
    const own = await call('POST', '', { url: `${receiver.url}/own`, teamId: people }, token)
    const listed = await call('GET', '?pageSize=1000', undefined, token)
    expect(listed.data.map(({ teamId }: { teamId: string }) => teamId)).toEqual(listed.data.map(() => people))
    expect(listed.data.at(-1).id).toBe(own.data.id)
  })

  it('stores no secret that could be read', async () => {
    const { secret } = await create('/secret')
    const rows = await service.database.models.webhookSecret.findMany()
    expect(JSON.stringify(rows)).not.toContain(secret.replace('whsec_', ''))
    expect(service.logLines.join('')).not.toContain(secret)
  })
})

describe('a server without a key to seal', () => {
  it('refuses to create an endpoint, and says what is missing', async () => {
    const service = await startTestService({ config: { sealKeys: { current: undefined, previous: undefined } } })
    await insertFixture(service.database)
    const { token } = await insertApiKey(service.database, { organizationId: acme })
    const { status, json } = await service.rest('POST', '/v2/webhook-endpoints', {
      token,
      json: { url: 'https://example.com/' },
    })
    await service.stop()
    expect([status, json.code]).toEqual([400, 'failed_precondition'])
    expect(json.message).toContain('SVC_SEAL_KEY')
  })
})
