import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { keyPermissions, type Permission } from '../src/domain/caller/caller.js'
import { fixture, insertApiKey, insertFixture, insertUser, insertUserToken } from './support/fixture.js'
import type { RequestJson } from './support/method-forms.js'
import { startTestService, type TestService } from './support/service.js'

const { acme, it: team, people, users } = fixture
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString()
const teamPermissions = keyPermissions.filter((each) => !/^(?:users|ingestion)/.test(each))
const writes = keyPermissions.filter((each) => each.endsWith(':write'))

let service: TestService
let admin: string
beforeAll(async () => {
  service = await startTestService()
  await insertFixture(service.database)
  admin = await insertUserToken(service.database, { userId: users.admin })
})
afterAll(() => service.stop())

const send = (method: string, path: string, token: string, json?: unknown) =>
  service.rest(method, path, { token, json })
let serial = 0
async function newMember(row: RequestJson = {}): Promise<string> {
  const id = `member-${++serial}`
  await insertUser(service.database, { id, organizationId: acme, ...row })
  return id
}
const setRole = (token: string, userId: string, json: RequestJson, teamId = team) =>
  send('PUT', `/v2/teams/${teamId}/members/${userId}`, token, json)
const manager = 'TEAM_USER_ROLE_MANAGER'
/** A token of a key that ends at a time. */
async function keyUntil(expiresAt: string, teamId: string | undefined, permissions: readonly Permission[]) {
  const key = await insertApiKey(service.database, { organizationId: acme, permissions, ...(teamId && { teamId }) })
  await service.database.execute('UPDATE api_keys SET expires_at = $2 WHERE id = $1', [key.id, expiresAt])
  return key.token
}

describe('what a right gives that ends, ends with it', () => {
  let end: string
  let temporary: string
  let token: string
  beforeEach(async () => {
    end = inSeconds(600)
    temporary = await newMember()
    token = await insertUserToken(service.database, { userId: temporary })
    expect((await setRole(admin, temporary, { role: manager, expiresAt: end })).status).toBe(200)
  })
  const createKey = async (as: string, json: RequestJson = {}) =>
    (await send('POST', '/v2/api-keys', as, { teamId: team, permissions: teamPermissions, ...json })).json
  const tokenOf = async ({ data, secret }: { data: { id: string }; secret: string }) => {
    const form = { grant_type: 'client_credentials', client_id: data.id, client_secret: secret }
    return (await service.rest('POST', '/v2/auth/token', { form })).json.access_token
  }

  it('a key that is created: without an end or with a later one, it has that of the role', async () => {
    expect((await createKey(token)).data.expiresAt).toBe(end)
    expect((await createKey(token, { lifetimeSeconds: 315_360_000 })).data.expiresAt).toBe(end)
    const { expiresAt } = (await createKey(token, { lifetimeSeconds: 60 })).data
    expect(expiresAt < inSeconds(61)).toBe(true)
    expect((await createKey(admin)).data).not.toHaveProperty('expiresAt')
  })

  it('a key that is rotated', async () => {
    const rotate = async (id: string, as: string) => (await send('POST', `/v2/api-keys/${id}:rotate`, as, {})).json.data
    const lasting = await createKey(admin)
    const first = await rotate(lasting.data.id, token)
    expect(first.expiresAt).toBe(end)
    const second = await rotate(first.id, token)
    expect(second.expiresAt).toBe(end)
    // Only somebody whose right lasts can let it last longer.
    expect((await rotate(second.id, admin)).expiresAt > end).toBe(true)
  })

  it('a role that such a person gives, or such a key, which the person has made', async () => {
    const key = await tokenOf(await createKey(token))
    for (const giver of [token, key]) {
      for (const given of [{}, { expiresAt: inSeconds(601) }]) {
        const refused = await setRole(giver, temporary, { role: manager, ...given })
        expect([refused.status, refused.json.message]).toEqual([403, expect.stringContaining(`ends at ${end}`)])
      }
      expect((await setRole(giver, temporary, { role: manager, expiresAt: end })).status).toBe(200)
    }
    expect((await setRole(admin, temporary, { role: manager })).status).toBe(200)
  })

  it('a role that a key gives which ends itself, by an import too', async () => {
    const userId = await newMember()
    const key = await keyUntil(end, undefined, keyPermissions)
    const imported = (teamRole: RequestJson) =>
      send('POST', '/v2/imports', key, [
        { user: { id: userId, organizationId: acme, email: `${userId}@example.com`, teamRoles: [teamRole] } },
      ])
    expect((await setRole(key, userId, { role: manager })).status).toBe(403)
    const refused = await imported({ teamId: people, role: manager })
    expect([refused.status, refused.json.message]).toEqual([403, expect.stringContaining(`ends at ${end}`)])
    expect((await imported({ teamId: people, role: manager, expiresAt: end })).status).toBe(200)
  })

  it('an administrator, or the address of one, of which neither ends', async () => {
    const key = await keyUntil(end, undefined, keyPermissions)
    const lasting = (await insertApiKey(service.database, { organizationId: acme })).token
    const calls = [
      ['POST', '/v2/users', { email: 'new-1@example.com', role: 'USER_ROLE_ORG_ADMIN' }],
      ['PUT', `/v2/users/${await newMember()}`, { role: 'USER_ROLE_ORG_ADMIN' }],
      ['PUT', `/v2/users/${await newMember({ role: 'ORG_ADMIN' })}`, { email: 'new-2@example.com' }],
    ] as const
    for (const [method, path, json] of calls) {
      const refused = await send(method, path, key, json)
      expect([refused.status, refused.json.message]).toEqual([403, expect.stringContaining(`ends at ${end}`)])
      expect((await send(method, path, lasting, json)).status).toBe(200)
    }
  })
})

describe('nobody changes the address of somebody who has a right that the caller lacks', () => {
  const reads = keyPermissions.filter((each) => each.endsWith(':read'))
  const rows: [string, string | undefined, readonly Permission[], boolean][] = [
    ['a manager, by a key that writes users', 'MANAGER', ['users:read', 'users:write'], false],
    ['a viewer, by a key that writes users', 'VIEWER', ['users:read', 'users:write'], false],
    ['a manager, by a key that writes everything', 'MANAGER', writes, false],
    ['an agent, by a key that reads and writes users', 'AGENT', [...reads, 'users:write'], false],
    ['a viewer, by a key that reads everything', 'VIEWER', [...reads, 'users:write'], true],
    ['a manager, by a key with everything', 'MANAGER', keyPermissions, true],
    ['a member without a role', undefined, ['users:read', 'users:write'], true],
  ]

  it.each(rows)('%s', async (_, role, permissions, isAllowed) => {
    const { token } = await insertApiKey(service.database, { organizationId: acme, permissions })
    const person = () => newMember(role === undefined ? {} : { teamRoles: { [team]: role } })
    const address = () => `mine-${++serial}@example.com`
    const put = await send('PUT', `/v2/users/${await person()}`, token, { email: address() })
    expect(put.status).toBe(isAllowed ? 200 : 403)
    if (!isAllowed) expect(put.json.message).toContain(`has the role ${role} in team ${team}`)
    const batch = await send('PUT', '/v2/users/batch', token, { users: [{ id: await person(), email: address() }] })
    expect(batch.text.includes('_REFUSED')).toBe(!isAllowed)
    if (!writes.every((each) => permissions.includes(each))) return
    const id = await person()
    const records = [{ user: { id, organizationId: acme, email: address() } }]
    expect((await send('POST', '/v2/imports', token, records)).status).toBe(isAllowed ? 200 : 403)
  })

  it('a role that ends later than the key', async () => {
    const end = inSeconds(600)
    const token = await keyUntil(end, undefined, keyPermissions)
    const [shorter, longer] = [await newMember(), await newMember()]
    await setRole(admin, shorter, { role: manager, expiresAt: inSeconds(300) })
    await setRole(admin, longer, { role: manager, expiresAt: inSeconds(900) })
    const move = (id: string) => send('PUT', `/v2/users/${id}`, token, { email: `${id}@elsewhere.example` })
    expect([(await move(shorter)).status, (await move(longer)).status]).toEqual([200, 403])
  })
})
