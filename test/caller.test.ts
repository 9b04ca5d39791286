import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { permissions } from '../src/domain/caller/caller.js'
import { fixture, insertApiKey, insertFixture, insertUserToken } from './support/fixture.js'
import { callMethod, formsOf, protocols } from './support/method-forms.js'
import { startTestService, type TestService } from './support/service.js'

const { acme, it: itTeam, people, users } = fixture

const getCaller = formsOf('GetCaller')

const reads = permissions.filter((each) => each.endsWith(':read'))
const soon = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const noRole = { role: 'TEAM_USER_ROLE_UNSPECIFIED' }

describe.each(protocols)('the caller over %s', (protocol) => {
  let service: TestService

  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
  })
  afterAll(() => service.stop())

  const callerOf = async (token: string) => {
    const { status, answer } = await callMethod(service, getCaller, { protocol, request: {}, token })
    expect(status).toBe(200)
    return answer.json.data
  }
  const user = async (userId: string) => callerOf(await insertUserToken(service.database, { userId }))

  it('is an organization key with its permissions everywhere', async () => {
    const key = await insertApiKey(service.database, { organizationId: acme, permissions: ['users:read', 'apps:read'] })
    expect(await callerOf(key.token)).toEqual({
      kind: 'CREDENTIAL_KIND_ORGANIZATION_API_KEY',
      id: key.id,
      name: expect.any(String),
      organizationId: acme,
      role: 'USER_ROLE_UNSPECIFIED',
      permissions: ['apps:read', 'users:read'],
      teams: [],
      expiresAt: soon,
    })
  })

  it.each([
    ['a team key', 'pk', 'CREDENTIAL_KIND_TEAM_API_KEY'],
    ['a worker of a team', 'wk', 'CREDENTIAL_KIND_WORKER_TOKEN'],
  ] as const)('is %s with its permissions in its team', async (_, kind, named) => {
    const granted = ['tickets:read'] as const
    const { token } = await insertApiKey(service.database, {
      organizationId: acme,
      teamId: itTeam,
      kind,
      permissions: [...granted],
    })
    const teams = [{ teamId: itTeam, name: 'IT', ...noRole, permissions: granted }]
    expect(await callerOf(token)).toMatchObject({ kind: named, permissions: [], teams })
  })

  it('is an administrator with every permission everywhere', async () => {
    expect(await user(users.admin)).toMatchObject({
      kind: 'CREDENTIAL_KIND_USER_TOKEN',
      id: users.admin,
      role: 'USER_ROLE_ORG_ADMIN',
      permissions,
      teams: [],
    })
  })

  it('is a member with the roles and permissions of each team', async () => {
    expect(await user(users.both)).toMatchObject({
      role: 'USER_ROLE_ORG_MEMBER',
      permissions: [],
      teams: [
        { teamId: itTeam, role: 'TEAM_USER_ROLE_MANAGER', permissions },
        { teamId: people, role: 'TEAM_USER_ROLE_VIEWER', permissions: reads },
      ],
    })
  })

  it('is a guest who can only read in the team', async () => {
    expect(await user(users.guest)).toMatchObject({
      role: 'USER_ROLE_ORG_GUEST',
      teams: [{ teamId: itTeam, role: 'TEAM_USER_ROLE_AGENT', permissions: reads }],
    })
  })

  it('has no role that has ended, an administrator no less', async () => {
    const { database } = service
    for (const userId of [users.viewer, users.admin]) {
      await database.execute(
        `INSERT INTO team_members (organization_id, team_id, user_id, role, expires_at)
         VALUES ($1, $2, $3, 'VIEWER', now() - interval '1 second')
         ON CONFLICT (organization_id, team_id, user_id) DO UPDATE SET expires_at = excluded.expires_at`,
        [acme, itTeam, userId],
      )
      expect((await user(userId)).teams).toEqual([])
    }
  })

  it('expires when the token does, and with the key', async () => {
    const key = await insertApiKey(service.database, { organizationId: acme })
    await service.database.execute(`UPDATE api_keys SET expires_at = '2100-01-01T00:00:00Z' WHERE id = $1`, [key.id])
    await service.database.execute(
      `UPDATE api_key_sessions SET expires_at = '2100-01-02T00:00:00Z' WHERE api_key_id = $1`,
      [key.id],
    )
    expect((await callerOf(key.token)).expiresAt).toBe('2100-01-01T00:00:00.000Z')
  })
})
