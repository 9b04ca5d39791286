import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { eventually } from '../support/eventually.js'
import { fixture, insertApiKey } from '../support/fixture.js'
import type { TestService } from '../support/service.js'
import { startWebhookService, type WebhookReceiver, type WebhookService } from '../support/webhook-receiver.js'

const { acme, people, priorities } = fixture

describe('a test of a webhook endpoint', () => {
  let service: TestService
  let receiver: WebhookReceiver
  let key: string
  let admin: string
  let call: WebhookService['call']
  let stop: () => Promise<void>
  beforeAll(async () => {
    ;({ service, receiver, key, admin, call, stop } = await startWebhookService())
  })
  afterAll(() => stop())

  const create = async (path: string, options: object = {}, token = key): Promise<string> =>
    (await call('POST', '', { url: receiver.url + path, types: ['priority.update'], ...options }, token)).data.id
  const deliveries = async (id: string, token = key) => (await call('GET', `/${id}/deliveries`, undefined, token)).data
  /** Has a path answer only once the function that this returns is called. */
  const answerLater = (path: string): (() => void) => {
    let answer = () => {}
    receiver.answer(path, (response) => {
      answer = () => response.end()
    })
    return () => answer()
  }

  it('says what the endpoint answered, disabled or not', async () => {
    const id = await create('/tested')
    await call('POST', `/${id}:disable`, {})
    receiver.answer('/tested', (response) => response.writeHead(302, { location: '/elsewhere' }).end('moved'))
    const moved = { responseStatus: 302, responseBody: 'moved', error: '' }
    expect(await call('POST', `/${id}:test`, {})).toEqual({ delivered: false, ...moved })
    expect(receiver.at('/elsewhere')).toEqual([])
    expect(receiver.at('/tested')[0]?.json.type).toBe('webhook_endpoint.test')
    const failed = { status: 'WEBHOOK_DELIVERY_STATUS_FAILED', attempts: 1 }
    expect(await deliveries(id)).toMatchObject([{ ...failed, ...moved }])
    await call('PATCH', `/${id}`, { url: 'http://127.0.0.1:1/' })
    const error = expect.stringContaining('ECONNREFUSED')
    expect(await call('POST', `/${id}:test`, {})).toEqual({ delivered: false, responseBody: '', error })
    expect((await deliveries(id))[0]).toMatchObject({ ...failed, error })
  })

  it('is the event of its own, sent once, listed in its place and resent under the same id', async () => {
    const id = await create('/listed', { types: ['priority.update', 'webhook_endpoint.test'] })
    await call('POST', `/${id}:test`, {})
    await service.rest('PATCH', `/v2/priorities/${priorities.it}`, { token: admin, json: { name: 'After the test' } })
    const [test] = await receiver.arrived('/listed', 2)
    const [later, sent] = await deliveries(id)
    const feed = await service.rest('GET', `/v2/events?targetId=${id}&types=webhook_endpoint.test`, { token: key })
    expect(feed.json.data).toEqual([test?.json.data])
    expect(sent).toEqual({
      id: test?.headers['webhook-id'],
      endpointId: id,
      type: 'webhook_endpoint.test',
      position: test?.json.data.position,
      status: 'WEBHOOK_DELIVERY_STATUS_SUCCEEDED',
      attempts: 1,
      lastAttemptAt: expect.any(String),
      responseStatus: 200,
      responseBody: '',
      error: '',
      createdAt: expect.any(String),
      subject: { type: 'webhook_endpoint', id },
    })
    const page = async (token = '') => {
      const path = `/v2/webhook-endpoints/${id}/deliveries?pageSize=1&pageToken=${token}`
      return (await service.rest('GET', path, { token: key })).json
    }
    const first = await page()
    const second = await page(first.nextPageToken)
    expect([first.data[0].id, second.data, second.nextPageToken]).toEqual([later.id, [sent], ''])
    await call('POST', `/${id}/deliveries/${sent.id}:resend`, {})
    const received = await receiver.arrived('/listed', 3)
    expect(received.at(-1)?.json).toEqual(test?.json)
    await eventually(async () =>
      expect((await deliveries(id))[1]).toMatchObject({ ...sent, lastAttemptAt: expect.any(String) }),
    )
  })

  it('reaches an endpoint of a team through its key', async () => {
    const { token } = await insertApiKey(service.database, { organizationId: acme, teamId: people })
    const id = await create('/of-a-team', { teamId: people }, token)
    expect(await call('POST', `/${id}:test`, {}, token)).toMatchObject({ delivered: true })
    expect(await deliveries(id, token)).toMatchObject([{ type: 'webhook_endpoint.test', responseStatus: 200 }])
  })

  it('leaves the endpoint alone while a receiver takes its time, and sends once for an Idempotency-Key', async () => {
    const id = await create('/slow')
    const answer = answerLater('/slow')
    const headers = { 'Idempotency-Key': 'slow' }
    const test = () => service.rest('POST', `/v2/webhook-endpoints/${id}:test`, { token: key, json: {}, headers })
    const testing = [test(), test()]
    await receiver.arrived('/slow')
    await call('PATCH', `/${id}`, { description: 'Changed meanwhile' })
    answer()
    const answers = await Promise.all(testing)
    for (const { json } of [...answers, await test()]) expect(json).toMatchObject({ delivered: true })
    expect(await deliveries(id)).toHaveLength(1)
  })

  it('is forgotten with an endpoint that is deleted meanwhile', async () => {
    const id = await create('/deleted')
    const answer = answerLater('/deleted')
    const testing = service.rest('POST', `/v2/webhook-endpoints/${id}:test`, { token: key, json: {} })
    await receiver.arrived('/deleted')
    await call('DELETE', `/${id}`)
    answer()
    expect((await testing).json).toMatchObject({ delivered: true })
  })
})
