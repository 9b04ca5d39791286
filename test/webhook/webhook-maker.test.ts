import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { keyPermissions, type Permission } from '../../src/domain/caller/caller.js'
import { disableEndpoint } from '../../src/store/webhook-endpoint.js'
import { eventually } from '../support/eventually.js'
import { fixture, insertApiKey, insertUser, insertUserToken } from '../support/fixture.js'
import type { TestService } from '../support/service.js'
import { startWebhookService, type WebhookReceiver } from '../support/webhook-receiver.js'

const { acme, it: team, priorities } = fixture

describe('a webhook endpoint is sent only what its maker may read', () => {
  let service: TestService
  let receiver: WebhookReceiver
  let admin: string
  let stop: () => Promise<void>
  beforeAll(async () => {
    ;({ service, receiver, admin, stop } = await startWebhookService())
  })
  afterAll(() => stop())

  let serial = 0
  const send = (method: string, path: string, token: string, json: object = {}) =>
    service.rest(method, `/v2/webhook-endpoints${path}`, { token, json: method === 'DELETE' ? undefined : json })
  const create = async (token: string, path: string, teamId = '') =>
    send('POST', '', token, { url: receiver.url + path, teamId, types: ['priority.update'] })
  const withKey = (permissions: readonly Permission[], teamId?: string, kind: 'pk' | 'wk' = 'pk') =>
    insertApiKey(service.database, { organizationId: acme, permissions, kind, ...(teamId && { teamId }) })
  const change = () =>
    service.rest('PATCH', `/v2/priorities/${priorities.it}`, { token: admin, json: { name: `Name ${++serial}` } })
  const standing = async (id: string) =>
    (await service.rest('GET', `/v2/webhook-endpoints/${id}`, { token: admin })).json.data

  it('a key that may write endpoints and not read the feed makes, changes and enables none', async () => {
    const { token } = await withKey(['webhooks:read', 'webhooks:write'])
    const made = await create(admin, '/of-the-administrator')
    const { id } = made.json.data
    const calls = [
      await create(token, '/mine'),
      await send('PATCH', `/${id}`, token, { url: `${receiver.url}/mine` }),
      ...(await Promise.all([
        ...['rotateSecret', 'enable', 'test', 'recover'].map((verb) => send('POST', `/${id}:${verb}`, token)),
        send('POST', `/${id}:replay`, token, { position: '1' }),
        send('POST', `/${id}/deliveries/0198a1c0-7d00-7000-8000-000000000000:resend`, token),
      ])),
    ]
    for (const { status, json } of calls) {
      expect([status, json.message]).toEqual([403, expect.stringContaining('the permission audit:read is required')])
    }
    const worker = await create((await withKey(keyPermissions, undefined, 'wk')).token, '/of-a-worker')
    expect([worker.status, worker.json.detail.debug.reason]).toEqual([403, 'ERROR_REASON_CREDENTIAL_KIND_UNSUPPORTED'])
    // Whatever ends the sending is still allowed.
    expect((await send('POST', `/${id}:disable`, token)).status).toBe(200)
    expect((await send('DELETE', `/${id}`, token)).status).toBe(200)
  })

  const makers: readonly [string, () => Promise<{ token: string; end: () => Promise<unknown> }>][] = [
    [
      'whose role in the team ends',
      async () => {
        const id = `member-${++serial}`
        await insertUser(service.database, { id, organizationId: acme, teamRoles: { [team]: 'MANAGER' } })
        const end = () =>
          service.database.execute('UPDATE team_members SET expires_at = now() WHERE user_id = $1', [id])
        return { token: await insertUserToken(service.database, { userId: id }), end }
      },
    ],
    [
      'who is deactivated',
      async () => {
        const id = `member-${++serial}`
        await insertUser(service.database, { id, organizationId: acme, role: 'ORG_ADMIN' })
        const end = () => service.rest('POST', `/v2/users/${id}:deactivate`, { token: admin, json: {} })
        return { token: await insertUserToken(service.database, { userId: id }), end }
      },
    ],
    [
      'that is a key, which is revoked',
      async () => {
        const { id, token } = await withKey(['webhooks:write', 'audit:read'], team)
        return { token, end: () => service.rest('POST', `/v2/api-keys/${id}:revoke`, { token: admin, json: {} }) }
      },
    ],
  ]

  it.each(makers)('an endpoint of a maker %s is disabled with the next event', async (_, make) => {
    const { token, end } = await make()
    const path = `/maker-${++serial}`
    const { id } = (await create(token, path, team)).json.data
    const first = serial + 1
    await change()
    await eventually(() => expect(receiver.at(path)).toHaveLength(1))
    await end()
    // Who makes an endpoint is asked for once a second at most.
    await eventually(async () => {
      await change()
      expect(await standing(id)).toMatchObject({ disabledReason: 'WEBHOOK_DISABLED_REASON_RIGHT_ENDED' })
    })
    await change()
    const changes = serial - first + 1
    const idsAt = () => new Set(receiver.at(path).map(({ json }) => json.id))
    expect(idsAt().size).toBeLessThan(changes)
    const { json } = await service.rest('GET', `/v2/audit-events?targetId=${id}&action=webhook_endpoint.disable`, {
      token: admin,
    })
    expect(json.data).toMatchObject([{ teamId: team, actor: { kind: 'ACTOR_KIND_SYSTEM' } }])
    // It continues where it stopped, for somebody who may read.
    expect((await send('POST', `/${id}:enable`, admin)).status).toBe(200)
    await eventually(() => expect(idsAt().size).toBe(changes))
  })

  it('an endpoint that has changed since it was judged is not disabled', async () => {
    const { id, url } = (await create(admin, '/judged')).json.data
    const tables = service.database
    const key = { organizationId: acme, id }
    const { version } = await tables.models.webhookEndpoint.findUniqueOrThrow({ where: { organizationId_id: key } })
    await send('PATCH', `/${id}`, admin, { url: `${url}/repaired` })
    for (const judged of [{ version }, { url }, { failingSince: new Date(0) }]) {
      expect(await disableEndpoint(tables, { ...key, ...judged }, 'GONE')).toBeUndefined()
    }
    expect((await standing(id)).status).toBe('WEBHOOK_ENDPOINT_STATUS_ENABLED')
    expect(await disableEndpoint(tables, { ...key, failingSince: null }, 'FAILURES')).toBeNull()
  })

  it('an endpoint of a key that has been rotated continues with its successor', async () => {
    const { id: keyId, token } = await withKey(['webhooks:write', 'audit:read'], team)
    const path = `/maker-${++serial}`
    const { id } = (await create(token, path, team)).json.data
    const rotated = await service.rest('POST', `/v2/api-keys/${keyId}:rotate`, {
      token: admin,
      json: { overlapSeconds: 0 },
    })
    expect(rotated.status).toBe(200)
    await change()
    await eventually(() => expect(receiver.at(path)).toHaveLength(1))
    expect((await standing(id)).status).toBe('WEBHOOK_ENDPOINT_STATUS_ENABLED')
  })
})
