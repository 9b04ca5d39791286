import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { fixture, insertFixture } from '../support/fixture.js'
import { connectDirectory, ENTERPRISE, type ScimClient } from '../support/scim.js'
import { startTestService, type TestService } from '../support/service.js'
import { createTestMeters } from '../support/statement-count.js'

const { users } = fixture

describe('an incremental sync', () => {
  let service: TestService
  let okta: ScimClient
  let serial = 0
  let id: string
  let person: Readonly<Record<string, unknown>>
  const { meters, statements } = createTestMeters()
  beforeAll(async () => {
    service = await startTestService({ meters })
    await insertFixture(service.database)
    okta = await connectDirectory(service)
  })
  afterAll(() => service.stop())
  beforeEach(async () => {
    serial += 1
    person = {
      userName: `sync.${serial}@example.com`,
      externalId: `sync-${serial}`,
      title: 'Analyst',
      active: true,
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      locale: 'en-GB',
      timezone: 'Europe/London',
      phoneNumbers: [{ type: 'work', value: `+1415559${1000 + serial}` }],
      [ENTERPRISE]: { department: 'Engines', manager: { value: users.manager } },
    }
    id = (await okta.add(person)).id
    statements.length = 0
  })

  /** The statements of a request beside the look-up of the key, and BEGIN and COMMIT, which are none of the register. */
  const ofRequest = () => statements.filter((name) => name !== 'select_management_keys')
  const put = async (changes: object) => {
    const { status } = await okta.send('PUT', `/Users/${id}`, { ...person, ...changes })
    return [status, ofRequest()]
  }
  const enterprise = (manager: string) => ({ [ENTERPRISE]: { department: 'Engines', manager: { value: manager } } })

  it('takes one statement for a user who is sent as it is', async () => {
    expect(await put({})).toEqual([200, ['lock_scim_user']])
    expect(statements).toEqual(['select_management_keys', 'lock_scim_user'])
  })

  it.each<[change: string, changes: () => object]>([
    ['a title', () => ({ title: 'Countess' })],
    ['a new department', () => ({ [ENTERPRISE]: { department: 'Poetry', manager: { value: users.manager } } })],
    ['all of the name', () => ({ name: { givenName: 'Augusta', familyName: 'Byron' }, displayName: 'Lady Byron' })],
    ['a deactivation', () => ({ active: false })],
    ['what is no longer supplied', () => ({ title: null, locale: null, phoneNumbers: [] })],
    ['a manager who goes', () => ({ [ENTERPRISE]: { department: 'Engines' } })],
    ['another externalId', () => ({ externalId: `other-${serial}` })],
  ])('takes two statements for a user: %s', async (_, changes) => {
    expect(await put(changes())).toEqual([200, ['lock_scim_user', 'write_member_at_once']])
  })

  it.each<[change: string, changes: () => object]>([
    ['another manager', () => enterprise(users.admin)],
    ['another phone number', () => ({ phoneNumbers: [{ type: 'work', value: `+1415558${1000 + serial}` }] })],
    [
      'another user name',
      () => ({ ...person, emails: [{ value: person['userName'], type: 'work' }], userName: `u${serial}` }),
    ],
    ['another email address', () => ({ userName: `moved.${serial}@example.com` })],
    [
      'all of them at once',
      () => ({
        userName: `v${serial}`,
        emails: [{ value: `moved.${serial}@example.com`, type: 'work' }],
        phoneNumbers: [{ type: 'work', value: `+1415558${1000 + serial}` }],
        title: 'Countess',
        [ENTERPRISE]: { department: 'Poetry', manager: { value: users.admin } },
      }),
    ],
  ])('takes three statements for a user: %s', async (_, changes) => {
    expect(await put(changes())).toEqual([200, ['lock_scim_user', 'hold_member_values', 'write_member_at_once']])
  })

  it('takes three statements for a user who is deleted, and for one who comes back with other values', async () => {
    expect((await okta.send('DELETE', `/Users/${id}`)).status).toBe(204)
    expect(ofRequest()).toEqual(['lock_scim_user', 'write_member_at_once', 'leave_groups'])
    statements.length = 0
    const back = { ...person, ...enterprise(users.admin), userName: `back.${serial}@example.com` }
    expect((await okta.send('POST', '/Users', back)).body.id).toBe(id)
    expect(ofRequest()).toEqual(['find_scim_identity', 'hold_member_values', 'write_member_at_once'])
  })

  it.each<[person: string, user: () => object]>([
    ['by name alone', () => ({ userName: `new.${serial}@example.com` })],
    [
      'with everything',
      () => ({
        ...person,
        userName: `new.${serial}`,
        externalId: `new-${serial}`,
        emails: [{ value: `new.${serial}@example.com`, type: 'work' }],
        phoneNumbers: [{ type: 'work', value: `+1415557${1000 + serial}` }],
        [ENTERPRISE]: { department: `Department ${serial}`, manager: { value: users.admin } },
      }),
    ],
  ])('takes three statements for a user who is added: %s', async (_, user) => {
    const { body } = await okta.send('POST', '/Users', user())
    expect(body).toMatchObject(user())
    expect(ofRequest()).toEqual(['find_scim_identity', 'hold_new_member', 'add_member_at_once'])
    const { body: read } = await okta.send('GET', `/Users/${body.id}`)
    expect(read).toMatchObject(user())
  })

  it('takes two statements for a user who is reactivated', async () => {
    expect((await put({ active: false }))[0]).toBe(200)
    statements.length = 0
    expect(await put({})).toEqual([200, ['lock_scim_user', 'write_member_at_once']])
  })

  it('takes three statements for a member of a group as for all of them, and two for who is there already', async () => {
    const { body: group } = await okta.send('POST', '/Groups', { displayName: `Group ${serial}` })
    const change = async (...operations: readonly object[]) => {
      statements.length = 0
      expect((await okta.patch(`/Groups/${group.id}`, ...operations)).status).toBe(204)
      return ofRequest()
    }
    const written = ['write_group_at_once']
    const [one, all] = [[{ value: id }], [id, users.admin, users.agent].map((value) => ({ value }))]
    const add = ['lock_group', 'add_group_members']
    expect(await change({ op: 'add', path: 'members', value: one })).toEqual([...add, ...written])
    expect(await change({ op: 'add', path: 'members', value: all })).toEqual([...add, ...written])
    expect(await change({ op: 'add', path: 'members', value: one })).toEqual(add)
    const remove = ['lock_group', 'remove_group_members']
    expect(await change({ op: 'remove', path: 'members', value: all })).toEqual([...remove, ...written])
  })

  it('takes as many for a PATCH', async () => {
    await okta.patch(`/Users/${id}`, { op: 'Replace', path: 'title', value: 'Countess' })
    await okta.patch(`/Users/${id}`, { op: 'Replace', path: 'title', value: 'Countess' })
    expect(statements).toEqual([
      'select_management_keys',
      'lock_scim_user',
      'write_member_at_once',
      'select_management_keys',
      'lock_scim_user',
    ])
  })
})
