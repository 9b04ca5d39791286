import { describe, expect, it } from '@jest/globals'
import { keyPermissions } from '../../src/domain/caller/caller.js'
import { fixture, insertApiKey, insertUserToken } from '../support/fixture.js'
import { protocols } from '../support/method-forms.js'
import { id, newEmail, replaceUser, service, updatesOver, useUsers } from '../support/users.js'

useUsers()

const { acme, it: team, users } = fixture
const withoutAudit = keyPermissions.filter((permission) => permission !== 'audit:read')
const keyWith = async (more: Partial<Parameters<typeof insertApiKey>[1]>) =>
  (await insertApiKey(service.database, { organizationId: acme, ...more })).token
const tokenOf = (userId: string) => insertUserToken(service.database, { userId })

/** Every kind of caller: the roles that it may give and take. */
const callers: readonly (readonly [name: string, token: () => Promise<string>, may: 'all' | 'members' | 'none'])[] = [
  ['an administrator', () => tokenOf(users.admin), 'all'],
  ['a key with every permission', () => keyWith({}), 'all'],
  ['a key that lacks one', () => keyWith({ permissions: withoutAudit }), 'members'],
  ['a key with users:write alone', () => keyWith({ permissions: ['users:write'] }), 'members'],
  ['a key without users:write', () => keyWith({ permissions: ['users:read'] }), 'none'],
  ["a team's key", () => keyWith({ teamId: team }), 'none'],
  ['a worker with every permission', () => keyWith({ kind: 'wk' }), 'members'],
  ["a team's worker", () => keyWith({ kind: 'wk', teamId: team }), 'none'],
  ['the manager of a team', () => tokenOf(users.manager), 'none'],
  ['a member', () => tokenOf(users.requester), 'none'],
  ['a guest', () => tokenOf(users.guest), 'none'],
]

describe.each(protocols)('nobody gives away more than they have over %s', (protocol) => {
  const { call } = updatesOver(protocol)
  const roleOf = async (where: 'user_id' | 'email_key', value: string) => {
    const [row] = await service.database.query<{ role: string }>(`SELECT role FROM memberships WHERE ${where} = $1`, [
      value,
    ])
    return row?.role
  }
  /** Every writer of roles: gives one and returns the role of the user afterwards. */
  const writers = {
    CreateUser: async (role: string, token: string) => {
      const email = newEmail()
      await call('createUser', { email, role: `USER_ROLE_${role}` }, token)
      return roleOf('email_key', email)
    },
    UpdateUser: async (role: string, token: string) => {
      await call('updateUser', { id, role: `USER_ROLE_${role}` }, token)
      return roleOf('user_id', id)
    },
    BatchUpdateUsers: async (role: string, token: string) => {
      await call('batchUpdateUsers', { users: [{ id, role: `USER_ROLE_${role}` }] }, token)
      return roleOf('user_id', id)
    },
  }

  describe.each(callers)('%s', (_, token, may) => {
    it.each(Object.entries(writers))('by %s', async (name, write) => {
      const by = await token()
      const before = name === 'CreateUser' ? undefined : 'ORG_MEMBER'
      const given = await write('ORG_GUEST', by)
      expect(given).toBe(may === 'none' ? before : 'ORG_GUEST')
      await replaceUser({})
      expect(await write('ORG_ADMIN', by)).toBe(may === 'all' ? 'ORG_ADMIN' : before)
      if (name === 'CreateUser') return
      await replaceUser({ role: 'ORG_ADMIN' })
      expect(await write('ORG_MEMBER', by)).toBe(may === 'all' ? 'ORG_MEMBER' : 'ORG_ADMIN')
    })
  })

  it('not even by the directory, which has no say about roles', async () => {
    const directory = await insertApiKey(service.database, { organizationId: acme, kind: 'mk' })
    const roles = [{ value: 'USER_ROLE_ORG_ADMIN', primary: true }]
    const extension = 'urn:svc:params:scim:schemas:extension:ownership:2.0:User'
    const email = newEmail()
    const json = {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: email,
      roles,
      [extension]: { role: 'USER_ROLE_ORG_ADMIN' },
    }
    const headers = { 'content-type': 'application/scim+json' }
    await service.rest('POST', '/scim/v2/Users', { token: directory.secret, json, headers })
    expect(['ORG_MEMBER', undefined]).toContain(await roleOf('email_key', email))
    for (const [method, body] of [
      ['PUT', json],
      [
        'PATCH',
        {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
          Operations: [{ op: 'replace', value: { roles } }],
        },
      ],
    ] as const) {
      await service.rest(method, `/scim/v2/Users/${id}`, { token: directory.secret, json: body, headers })
      expect(await roleOf('user_id', id)).toBe('ORG_MEMBER')
    }
  })
})
