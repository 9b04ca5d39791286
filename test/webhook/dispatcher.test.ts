import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { recordAuditEvents, systemActor } from '../../src/domain/audit/audit-event.js'
import type { AuditAction } from '../../src/store/audit-action.js'
import { eventually } from '../support/eventually.js'
import { fixture, insertApiKey } from '../support/fixture.js'
import type { TestService } from '../support/service.js'
import { startWebhookService, type WebhookReceiver } from '../support/webhook-receiver.js'

const { acme, globex } = fixture

describe('the dispatcher of webhooks', () => {
  let service: TestService
  let receiver: WebhookReceiver
  let token: string
  let stop: () => Promise<void>
  beforeAll(async () => {
    ;({ service, receiver, key: token, stop } = await startWebhookService())
  })
  afterAll(() => stop())

  const create = async (path: string, types = ['priority.update']): Promise<string> => {
    const json = { url: receiver.url + path, types }
    return (await service.rest('POST', '/v2/webhook-endpoints', { token, json })).json.data.id
  }
  const record = (action: AuditAction, count: number, organizationId: string = acme) =>
    recordAuditEvents(
      service.database,
      Array.from({ length: count }, (_, index) => ({
        organizationId,
        action,
        targetId: `${index}`,
      })),
      { actor: systemActor, runtime: service.runtime },
    )
  /**
   * Lets the receiver of a path answer nothing until so many requests are open, and each a moment later from then on;
   * returns the most that were open at once.
   */
  const answerSlowly = (path: string, status: number, awaited: number) => {
    const requests = { open: 0, most: 0 }
    const waiting: (() => void)[] = []
    receiver.answer(path, (response) => {
      requests.most = Math.max(requests.most, ++requests.open)
      waiting.push(() => {
        requests.open--
        response.writeHead(status).end()
      })
      if (requests.most >= awaited) for (const answer of waiting.splice(0)) setTimeout(answer, 100)
    })
    return requests
  }

  it('gets an endpoint through what is far behind, ten requests at a time', async () => {
    await create('/behind')
    const requests = answerSlowly('/behind', 200, 10)
    await record('organization.update', 2_500)
    await record('priority.update', 40)
    await eventually(() => expect(receiver.at('/behind')).toHaveLength(40))
    await wait(200)
    expect(new Set(receiver.at('/behind').map(({ json }) => json.id)).size).toBe(40)
    expect([receiver.at('/behind').length, requests.most]).toEqual([40, 10])
  })

  it('sends to other organizations, and tests their endpoints, while the receivers of one never answer', async () => {
    // Those that are open: an attempt without an answer ends after 15 s.
    const unanswered = new Set<ServerResponse>()
    for (let index = 0; index < 12; index++) {
      const path = `/silent-${index}`
      receiver.answer(path, (response) => {
        unanswered.add(response)
        response.once('close', () => unanswered.delete(response))
      })
      await create(path)
    }
    await record('priority.update', 10)
    await eventually(() => expect(unanswered.size).toBe(50))
    const other = await insertApiKey(service.database, { organizationId: globex })
    const json = { url: `${receiver.url}/other`, types: ['priority.update'] }
    const { data } = (await service.rest('POST', '/v2/webhook-endpoints', { token: other.token, json })).json
    const path = `/v2/webhook-endpoints/${data.id}`
    const tested = await service.rest('POST', `${path}:test`, { token: other.token, json: {} })
    expect(tested.json).toMatchObject({ delivered: true })
    await record('priority.update', 20, globex)
    await eventually(() => expect(receiver.at('/other')).toHaveLength(21))
    expect(unanswered.size).toBeLessThanOrEqual(50)
    for (let index = 0; index < 12; index++) receiver.answer(`/silent-${index}`, 200)
    for (const response of unanswered) response.end()
    await eventually(() => {
      for (let index = 0; index < 12; index++) {
        expect(new Set(receiver.at(`/silent-${index}`).map(({ json }) => json.id)).size).toBe(10)
      }
    })
  })

  it('sends one request at a time to an endpoint that has failed for a minute', async () => {
    const id = await create('/failing')
    const requests = answerSlowly('/failing', 500, 1)
    const failingSince = new Date(service.runtime.now().getTime() - 61_000)
    await service.database.models.webhookEndpoint.updateMany({ where: { id }, data: { failingSince } })
    // The dispatcher looks at the endpoints once a second: once a new one is sent to, it has read them again.
    await create('/new', ['organization.update'])
    await eventually(async () => {
      await record('organization.update', 1)
      expect(receiver.at('/new').length).toBeGreaterThan(0)
    })
    await record('priority.update', 5)
    await eventually(() => expect(receiver.at('/failing')).toHaveLength(5))
    expect(requests.most).toBe(1)
  })
})
