import { describe, expect, it } from '@jest/globals'
import { fixture, insertApiKey, insertUser, insertUserToken } from '../support/fixture.js'
import { protocols, type RequestJson } from '../support/method-forms.js'
import { ownersOf, userMethodCaller } from '../support/user-methods.js'
import {
  admin,
  eventsOf,
  field,
  id,
  key,
  newEmail,
  newUser,
  phoneOf,
  replaceUser,
  serial,
  service,
  stateOf,
  updatesOver,
  useUsers,
  worker,
} from '../support/users.js'

const { acme, globex, users } = fixture

useUsers()

const administratorsOnly = {
  status: 403,
  code: 'permission_denied',
  reason: 'PERMISSION_MISSING',
  metadata: { permission: 'USER_ROLE_ORG_ADMIN' },
}

/** A token that may write users, and is not above an administrator. */
async function limitedToken(what: string): Promise<string> {
  if (what === 'is a worker’s') return worker
  const permissions = ['users:write'] as const
  return (await insertApiKey(service.database, { organizationId: acme, permissions })).token
}

describe.each(protocols)('users over %s', (protocol) => {
  const { call, update, updated, refused } = updatesOver(protocol)

  describe('a person', () => {
    const ownToken = () => insertUserToken(service.database, { userId: id })

    it.each(['ORG_MEMBER', 'ORG_GUEST'])(
      'with the role %s and no permission may update their own profile',
      async (role) => {
        await replaceUser({ role })
        const { data } = await updated({ jobTitle: 'A' }, await ownToken())
        expect([data.jobTitle, ownersOf(data)]).toEqual(['A', ['JOB_TITLE: PINNED']])
      },
    )

    it('cannot change their own role, not even as an administrator', async () => {
      for (const role of ['ORG_MEMBER', 'ORG_ADMIN']) {
        await replaceUser({ role })
        expect(await refused({ role: 'USER_ROLE_ORG_GUEST', jobTitle: 'A' }, await ownToken())).toMatchObject({
          status: 403,
          code: 'permission_denied',
          reason: 'OWN_ROLE',
        })
      }
    })

    it('cannot change their own email address without users:write, but an administrator can', async () => {
      const email = `own.${id}.${protocol}@example.com`
      expect(await refused({ email }, await ownToken())).toMatchObject({
        status: 403,
        code: 'permission_denied',
        reason: 'PERMISSION_MISSING',
        metadata: { permission: 'users:write' },
      })
      expect((await updated({ email: `${id}@EXAMPLE.com` }, await ownToken())).data.email).toBe(`${id}@example.com`)
      await replaceUser({ role: 'ORG_ADMIN' })
      expect((await updated({ email: `own.${id}.${protocol}@example.com` }, await ownToken())).data.role).toBe(
        'USER_ROLE_ORG_ADMIN',
      )
    })

    it.each(['lacks a permission', 'is a worker’s'])(
      'cannot become, stop being or be reached as an administrator through a credential that %s',
      async (what) => {
        const token = await limitedToken(what)
        expect(await refused({ role: 'USER_ROLE_ORG_ADMIN' }, token)).toMatchObject(administratorsOnly)
        await replaceUser({ role: 'ORG_ADMIN' })
        expect(await refused({ role: 'USER_ROLE_ORG_MEMBER' }, token)).toMatchObject(administratorsOnly)
        expect(await refused({ email: `taken.${id}@example.com` }, token)).toMatchObject(administratorsOnly)
        expect((await updated({ role: 'USER_ROLE_ORG_ADMIN', jobTitle: 'A' }, token)).data.jobTitle).toBe('A')
        expect((await updated({ role: 'USER_ROLE_ORG_MEMBER' }, key)).data.role).toBe('USER_ROLE_ORG_MEMBER')
      },
    )

    it("who administers the organization may change another user's role", async () => {
      expect((await updated({ role: 'USER_ROLE_ORG_GUEST' }, admin)).data.role).toBe('USER_ROLE_ORG_GUEST')
      expect((await eventsOf(id)).map(({ action }) => action)).toEqual(['user.update_role'])
    })

    it.each([users.requester, users.guest, users.viewer, users.manager])(
      'such as %s cannot update another user',
      async (userId) => {
        const token = await insertUserToken(service.database, { userId })
        expect(await refused({ jobTitle: 'A' }, token)).toMatchObject({
          status: 403,
          code: 'permission_denied',
          reason: 'PERMISSION_MISSING',
        })
      },
    )

    it.each([users.requester, users.guest, users.viewer])(
      'such as %s, without users:write anywhere, cannot tell who is a member',
      async (userId) => {
        const token = await insertUserToken(service.database, { userId })
        const answers = await Promise.all(
          [id, users.globexAdmin, 'nobody'].map((other) => update({ jobTitle: 'A' }, token, other)),
        )
        const recorded = answers.map(({ status, reason, message }) => `${status} ${reason} ${message}`)
        expect(new Set(recorded)).toEqual(
          new Set(['403 PERMISSION_MISSING the permission users:write is required: use a credential that has it here']),
        )
      },
    )

    it.each([users.manager, users.admin])(
      'such as %s gets the same 404 for a foreign and an unknown user',
      async (userId) => {
        const token = await insertUserToken(service.database, { userId })
        const answers = await Promise.all(
          [users.globexAdmin, 'nobody'].map((strange) => update({ jobTitle: 'A' }, token, strange)),
        )
        const recorded = answers.map(({ status, reason, message }) => `${status} ${reason} ${message}`)
        expect(recorded).toEqual(
          Array.from(
            recorded,
            () => '404 RESOURCE_NOT_FOUND user not found: it does not exist, or you have no access to it',
          ),
        )
      },
    )
  })

  describe('a new user', () => {
    const created = async (user: RequestJson, token?: string) => {
      const { answer } = await call('createUser', user, token)
      expect([answer.status, answer.text]).toEqual([200, answer.text])
      expect(Object.keys(answer.json)).toEqual(['data'])
      return answer.json.data
    }

    it('has the given values, the default role, and an event', async () => {
      const email = newEmail()
      const user = await created({ email, firstName: 'Ada', department: `New ${email}`, timezone: 'UTC' })
      expect(user).toMatchObject({
        email,
        firstName: 'Ada',
        name: 'Ada',
        role: 'USER_ROLE_ORG_MEMBER',
        timezone: 'UTC',
      })
      expect(ownersOf(user)).toEqual([])
      expect(await call('getUser', { id: user.id })).toMatchObject({ answer: { json: { data: user } } })
      expect((await eventsOf(user.id)).map(({ action }) => action)).toEqual(['user.create'])
      const options = (await call('listDepartmentOptions', {})).answer.json.data
      expect(options.map((option: { name: string }) => option.name)).toContain(`New ${email}`)
    })

    it('is pinned as a key requests, and wherever a user token sets a value', async () => {
      const names = { firstName: 'Ada', lastName: 'Lovelace', jobTitle: 'A' }
      const byKey = await created({ email: newEmail(), ...names, pinFields: [field('LAST_NAME')] })
      expect(ownersOf(byKey)).toEqual(['LAST_NAME: PINNED'])
      const byUser = await created({ email: newEmail(), ...names }, admin)
      expect(ownersOf(byUser)).toEqual(['FIRST_NAME: PINNED', 'LAST_NAME: PINNED', 'JOB_TITLE: PINNED'])
    })

    it.each([
      [{ email: '' }, 'FIELD_REQUIRED', 'email'],
      [{ jobTitle: 'A', pinFields: [field('JOB_TITLE')] }, 'PIN_FIELD_NOT_ALLOWED', 'pinFields[0]'],
      [{ pinFields: [field('FIRST_NAME')] }, 'PIN_FIELD_NOT_SET', 'pinFields[0]'],
      [{ role: 77 }, 'FIELD_INVALID', 'role'],
    ])('with %j is refused', async (given, reason, at) => {
      const outcome = await call('createUser', { email: newEmail(), ...given })
      expect(outcome).toMatchObject({ status: 400, code: 'invalid_argument', reason, fields: [at] })
    })

    it("with a member's address, in any case, is refused and names the holder", async () => {
      const outcome = await call('createUser', { email: `${id.toUpperCase()}@EXAMPLE.COM` })
      expect(outcome).toMatchObject({ status: 409, reason: 'EMAIL_TAKEN', metadata: { holderId: id } })
    })

    it("with a member's phone number is refused and not created", async () => {
      const phone = phoneOf(serial)
      await newUser({ primary_phone: phone })
      const email = newEmail()
      expect(await call('createUser', { email, primaryPhone: phone })).toMatchObject({
        status: 409,
        code: 'already_exists',
        reason: 'PHONE_TAKEN',
      })
      expect(await service.database.query('SELECT FROM memberships WHERE email = $1', [email])).toEqual([])
    })

    it('with the address of a person in another organization is a separate user, and that organization sees nothing of it', async () => {
      const person = await newUser({ first_name: 'Grace', job_title: 'Admiral' }, globex)
      const before = await stateOf(person)
      const email = `${person.toUpperCase()}@example.com`
      const user = await created({ email, firstName: 'G.' })
      expect(user).toMatchObject({ email, firstName: 'G.', jobTitle: '' })
      expect(user.id).not.toBe(person)
      expect(await stateOf(person)).toEqual(before)
      for (const [userId, organizationId] of [
        [user.id, acme],
        [person, globex],
      ] as const) {
        const { token } = await insertApiKey(service.database, { organizationId })
        const moved = await update({ email: `${serial}.${organizationId}.${protocol}@example.com` }, token, userId)
        expect(moved.status).toBe(200)
      }
    })

    it.each(['lacks a permission', 'is a worker’s'])(
      'cannot be an administrator if the credential %s',
      async (what) => {
        const token = await limitedToken(what)
        const outcome = await call('createUser', { email: newEmail(), role: 'USER_ROLE_ORG_ADMIN' }, token)
        expect(outcome).toMatchObject(administratorsOnly)
        expect(await call('createUser', { email: newEmail(), role: 'USER_ROLE_ORG_GUEST' }, token)).toMatchObject({
          status: 200,
        })
      },
    )

    it('can be an administrator if an administrator or a key with every permission creates it', async () => {
      for (const token of [admin, key]) {
        const user = await created({ email: newEmail(), role: 'USER_ROLE_ORG_ADMIN' }, token)
        expect(user.role).toBe('USER_ROLE_ORG_ADMIN')
      }
    })

    it.each([users.manager, users.viewer])('cannot be created by %s, who only has a role in a team', async (userId) => {
      const token = await insertUserToken(service.database, { userId })
      expect(await call('createUser', { email: newEmail() }, token)).toMatchObject({ status: 403 })
    })
  })

  describe('reading users', () => {
    it('is open to anyone with users:read in any team', async () => {
      for (const userId of [users.viewer, users.guest]) {
        const token = await insertUserToken(service.database, { userId })
        expect((await call('getUser', { id }, token)).status).toBe(200)
        expect((await call('listUsers', { pageSize: 1 }, token)).status).toBe(200)
      }
    })

    it('is open to users about themselves, and without users:read says nothing of who else there is', async () => {
      const self = await newUser()
      const token = await insertUserToken(service.database, { userId: self })
      expect((await call('getUser', { id: self }, token)).answer.json.data.id).toBe(self)
      const [other, nobody] = [await call('getUser', { id }, token), await call('getUser', { id: 'nobody' }, token)]
      expect(other).toMatchObject({ status: 403, reason: 'PERMISSION_MISSING', message: nobody.message })
      expect(nobody).toMatchObject({ status: 403, reason: 'PERMISSION_MISSING' })
    })

    it('returns the same 404 for a member of another organization as for an unknown user', async () => {
      const strange = await call('getUser', { id: users.globexAdmin })
      const nobody = await call('getUser', { id: 'nobody' })
      expect(strange).toMatchObject({ status: 404, reason: 'RESOURCE_NOT_FOUND', message: nobody.message })
    })

    it('lists every active member exactly once, page by page, in order of creation', async () => {
      await newUser({ deactivated_at: new Date() })
      const idsOf = async (query: RequestJson) => {
        const ids: string[] = []
        let pageToken = ''
        do {
          const { answer } = await call('listUsers', { ...query, pageSize: 3, pageToken })
          expect([answer.status, answer.text]).toEqual([200, answer.text])
          ids.push(...answer.json.data.map((user: { id: string }) => user.id))
          pageToken = answer.json.nextPageToken
        } while (pageToken !== '')
        return ids
      }
      const stored = (condition: string) =>
        service.database
          .query<{ user_id: string }>(
            `SELECT user_id FROM memberships WHERE organization_id = $1 AND ${condition} ORDER BY ordinal`,
            [acme],
          )
          .then((rows) => rows.map((row) => row.user_id))
      expect(await idsOf({})).toEqual(await stored('deactivated_at IS NULL'))
      expect(await idsOf({ includeDeactivated: true })).toEqual(await stored('true'))
    })

    it('finds the user with an email address in any case, and nobody from another organization', async () => {
      const elsewhere = await newUser({}, globex)
      const gone = await newUser({ deactivated_at: new Date() })
      const idsOf = async (query: RequestJson) =>
        (await call('listUsers', query)).answer.json.data.map((user: { id: string }) => user.id)
      expect(await idsOf({ email: `${id.toUpperCase()}@Example.com` })).toEqual([id])
      expect(await idsOf({ email: `${elsewhere}@example.com` })).toEqual([])
      expect(await idsOf({ email: `${gone}@example.com` })).toEqual([])
      expect(await idsOf({ email: `${gone}@example.com`, includeDeactivated: true })).toEqual([gone])
      expect(await idsOf({ email: 'no-address' })).toEqual([])
    })

    it('refuses a page token from a different query', async () => {
      const { answer } = await call('listUsers', { pageSize: 1 })
      const pageToken = answer.json.nextPageToken
      expect(await call('listUsers', { pageToken, email: `${id}@example.com` })).toMatchObject({
        status: 400,
        reason: 'PAGE_TOKEN_INVALID',
      })
      expect(await call('listUsers', { pageToken, includeDeactivated: true })).toMatchObject({
        status: 400,
        reason: 'PAGE_TOKEN_INVALID',
      })
      expect(await call('listUsers', { pageSize: -1 })).toMatchObject({ status: 400, fields: ['pageSize'] })
    })
  })
})

it('two organizations share nothing about a person: each sees and changes its own profile', async () => {
  await insertUser(service.database, { id, organizationId: globex, columns: { job_title: 'Globex title' } })
  const foreign = (await insertApiKey(service.database, { organizationId: globex })).token
  const call = userMethodCaller(
    () => service,
    'REST',
    () => key,
  )
  await call('updateUser', { id, jobTitle: 'Acme title', pinFields: [field('JOB_TITLE')] })
  const there = (await call('updateUser', { id, jobTitle: 'Changed' }, foreign)).answer.json
  expect(there.skippedPinnedFields).toEqual([])
  expect(there.data.jobTitle).toBe('Changed')
  expect((await call('getUser', { id })).answer.json.data.jobTitle).toBe('Acme title')
})
