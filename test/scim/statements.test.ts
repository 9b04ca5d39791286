import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { fixture, insertFixture } from '../support/fixture.js'
import { connectDirectory, ENTERPRISE, type ScimClient } from '../support/scim.js'
import { startTestService, type TestService } from '../support/service.js'
import { createTestMeters, eventWrites } from '../support/statement-count.js'

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
  const ofRequest = () => statements.filter((name) => name !== 'apiKey.findMany')
  const put = async (changes: object) => {
    const { status } = await okta.send('PUT', `/Users/${id}`, { ...person, ...changes })
    return [status, ofRequest()]
  }
  const enterprise = (manager: string) => ({ [ENTERPRISE]: { department: 'Engines', manager: { value: manager } } })

  const lock = 'lock_directory_user'

  it('sends one statement for an unchanged user', async () => {
    expect(await put({})).toEqual([200, [lock]])
    expect(statements).toEqual(['apiKey.findMany', lock])
  })

  const write = ['change_directory_user', ...eventWrites]
  const writeInDepartment = ['change_directory_user', 'lock_department_options_for_key_share', ...eventWrites]
  const writeWithDepartment = writeInDepartment.toSpliced(2, 0, 'departmentOption.createMany')
  /** The same for a member who is new. */
  const added = (names: readonly string[]) =>
    names.map((name) => (name === 'change_directory_user' ? 'membership.create' : name)).concat('find_directory_user')

  it.each<[change: string, changes: () => object, written?: string[]]>([
    ['a title', () => ({ title: 'Countess' })],
    [
      'a new department',
      () => ({ [ENTERPRISE]: { department: 'Poetry', manager: { value: users.manager } } }),
      writeWithDepartment,
    ],
    ['all of the name', () => ({ name: { givenName: 'Augusta', familyName: 'Byron' }, displayName: 'Lady Byron' })],
    ['a deactivation', () => ({ active: false })],
    ['what is no longer supplied', () => ({ title: null, locale: null, phoneNumbers: [] })],
    ['a manager who goes', () => ({ [ENTERPRISE]: { department: 'Engines' } })],
    ['another externalId', () => ({ externalId: `other-${serial}` }), ['find_value_holders', ...write]],
  ])('locks only the user for: %s', async (_, changes, written = write) => {
    expect(await put(changes())).toEqual([200, [lock, ...written]])
  })

  const locked = ['take_locks', 'find_value_holders']

  it.each<[change: string, changes: () => object, lockedReads: string[], written: string[]]>([
    ['another manager', () => enterprise(users.admin), ['take_locks', 'read_manager_chains'], write],
    [
      'another phone number',
      () => ({ phoneNumbers: [{ type: 'work', value: `+1415558${1000 + serial}` }] }),
      locked,
      write,
    ],
    [
      'another user name',
      () => ({ ...person, emails: [{ value: person['userName'], type: 'work' }], userName: `u${serial}` }),
      locked,
      write,
    ],
    ['another email address', () => ({ userName: `moved.${serial}@example.com` }), locked, write],
    [
      'all of them at once',
      () => ({
        userName: `v${serial}`,
        emails: [{ value: `moved.${serial}@example.com`, type: 'work' }],
        phoneNumbers: [{ type: 'work', value: `+1415558${1000 + serial}` }],
        title: 'Countess',
        [ENTERPRISE]: { department: 'Poetry', manager: { value: users.admin } },
      }),
      [...locked, 'read_manager_chains'],
      writeInDepartment,
    ],
  ])('reads once, under locks, what the change depends on: %s', async (_, changes, lockedReads, written) => {
    expect(await put(changes())).toEqual([200, [lock, ...lockedReads, ...written]])
  })

  it('removes a deleted user from all groups, and changes a returning user like any other', async () => {
    expect((await okta.send('DELETE', `/Users/${id}`)).status).toBe(204)
    const leaving = 'groupMember.findMany'
    expect(ofRequest()).toEqual([lock, 'change_directory_user', ...eventWrites, leaving])
    statements.length = 0
    const back = { ...person, ...enterprise(users.admin), userName: `back.${serial}@example.com` }
    expect((await okta.send('POST', '/Users', back)).body.id).toBe(id)
    const lockedReads = [...locked, 'read_manager_chains']
    const written = ['userToken.deleteMany', ...writeInDepartment]
    expect(ofRequest()).toEqual(['find_value_holders', 'membership.findMany', lock, ...lockedReads, ...written])
  })

  it.each<[person: string, user: () => object, lockedReads: string[], written: string[]]>([
    [
      'with only a name',
      () => ({ userName: `new.${serial}@example.com` }),
      ['take_locks', 'find_value_holders'],
      added(write),
    ],
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
      ['take_locks', 'find_value_holders', 'read_manager_chains'],
      added(writeWithDepartment),
    ],
  ])('creates a user in the same way: %s', async (_, user, lockedReads, written) => {
    const { body } = await okta.send('POST', '/Users', user())
    expect(body).toMatchObject(user())
    expect(ofRequest()).toEqual(['find_value_holders', ...lockedReads, ...written])
    const { body: read } = await okta.send('GET', `/Users/${body.id}`)
    expect(read).toMatchObject(user())
  })

  it('changes a reactivated user like any other', async () => {
    expect((await put({ active: false }))[0]).toBe(200)
    statements.length = 0
    expect(await put({})).toEqual([200, [lock, 'userToken.deleteMany', ...write]])
  })

  it('sends as many statements for one member of a group as for all, and writes no existing member', async () => {
    const { body: group } = await okta.send('POST', '/Groups', { displayName: `Group ${serial}` })
    const change = async (...operations: readonly object[]) => {
      statements.length = 0
      expect((await okta.patch(`/Groups/${group.id}`, ...operations)).status).toBe(204)
      return ofRequest()
    }
    const written = ['group.update', ...eventWrites]
    const [one, all] = [[{ value: id }], [id, users.admin, users.agent].map((value) => ({ value }))]
    const read = ['lock_groups_for_no_key_update', 'membership.findMany', 'groupMember.findMany']
    const added = [...read, 'groupMember.findFirst', 'add_group_members', ...written]
    expect(await change({ op: 'add', path: 'members', value: one })).toEqual(added)
    expect(await change({ op: 'add', path: 'members', value: all })).toEqual(added)
    expect(await change({ op: 'add', path: 'members', value: one })).toEqual(read)
    const removed = ['lock_groups_for_no_key_update', 'groupMember.findMany', 'groupMember.deleteMany', ...written]
    expect(await change({ op: 'remove', path: 'members', value: all })).toEqual(removed)
  })

  it('sends as many for a PATCH', async () => {
    await okta.patch(`/Users/${id}`, { op: 'Replace', path: 'title', value: 'Countess' })
    await okta.patch(`/Users/${id}`, { op: 'Replace', path: 'title', value: 'Countess' })
    const read = ['apiKey.findMany', lock]
    expect(statements).toEqual([...read, ...write, ...read])
  })
})
