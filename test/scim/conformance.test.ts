import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { fixture, insertFixture } from '../support/fixture.js'
import { connectDirectory, ENTERPRISE, ownersOf, type ScimClient, USER } from '../support/scim.js'
import { startTestService, type TestService } from '../support/service.js'

const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** The attributes that Microsoft Entra ID sends by default, those that are not stored here included. */
const fullUser = (name: string, manager: string) => ({
  schemas: [USER, ENTERPRISE],
  userName: `${name}@contoso.example`,
  externalId: `external-${name}`,
  active: true,
  displayName: `${name} displayed`,
  nickName: name,
  profileUrl: 'https://example.com/profile',
  title: 'Engineer',
  userType: 'Employee',
  preferredLanguage: 'en-US',
  locale: 'en-GB',
  timezone: 'America/Los_Angeles',
  name: { givenName: name, familyName: 'Tested', formatted: `${name} Tested`, honorificPrefix: 'Dr.' },
  emails: [
    { type: 'work', value: `${name}@contoso.example`, primary: true },
    { type: 'other', value: `${name}@other.example` },
  ],
  phoneNumbers: [
    { type: 'work', value: name === 'one' ? '+12065550101' : '+12065550102' },
    { type: 'mobile', value: '+12065550199' },
    { type: 'fax', value: '+12065550198' },
  ],
  addresses: [{ type: 'work', formatted: '1 Way', country: 'US', primary: true }],
  roles: [{ value: 'auditor', primary: true }],
  [ENTERPRISE]: {
    department: 'Testing',
    employeeNumber: '7',
    costCenter: 'C7',
    organization: 'Contoso',
    division: 'West',
    manager: { value: manager },
  },
})

describe('the requests of a conformance run', () => {
  let service: TestService
  let directory: ScimClient
  const manager = fixture.users.globexAdmin
  const ids: Record<string, string> = {}

  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    directory = await connectDirectory(service, fixture.globex)
  })
  afterAll(() => service.stop())

  const find = async (path: string, filter: string) =>
    (await directory.send('GET', `${path}?filter=${encodeURIComponent(filter)}`)).body

  describe('on users', () => {
    it('filter for a user who does not exist: an empty list', async () => {
      expect(await find('/Users', 'userName eq "nobody@contoso.example"')).toEqual({
        schemas: [LIST],
        totalResults: 0,
        startIndex: 1,
        itemsPerPage: 0,
        Resources: [],
      })
    })

    it.each(['one', 'two'])('create %s with all attributes', async (name) => {
      const sent = fullUser(name, manager)
      const { status, body, headers } = await directory.send('POST', '/Users', sent)
      expect(status).toBe(201)
      ids[name] = body.id
      const {
        nickName: _n,
        profileUrl: _p,
        userType: _u,
        preferredLanguage: _l,
        addresses: _a,
        roles: _r,
        ...stored
      } = sent
      const { givenName, familyName, formatted } = sent.name
      expect(body).toMatchObject({
        ...stored,
        schemas: expect.arrayContaining([USER, ENTERPRISE]),
        name: { givenName, familyName, formatted },
        [ENTERPRISE]: { department: 'Testing', manager: { value: manager } },
        meta: { resourceType: 'User', location: `${service.baseUrl}/scim/v2/Users/${body.id}` },
      })
      expect(body).not.toHaveProperty('nickName')
      expect([headers.get('location'), headers.get('etag')]).toEqual([body.meta.location, body.meta.version])
    })

    it('create a user who exists: 409 uniqueness', async () => {
      const { status, body } = await directory.send('POST', '/Users', fullUser('one', manager))
      expect([status, body.scimType, body.status, body.schemas]).toEqual([409, 'uniqueness', '409', [ERROR]])
    })

    it('read a user, and one who does not exist', async () => {
      const { status, body } = await directory.send('GET', `/Users/${ids['one']}`)
      expect([status, body.id, body.userName]).toEqual([200, ids['one'], 'one@contoso.example'])
      const missing = await directory.send('GET', '/Users/00000000-0000-0000-0000-000000000000')
      expect([missing.status, missing.body.status, missing.body.schemas]).toEqual([404, '404', [ERROR]])
    })

    it.each([
      'userName eq "ONE@contoso.example"',
      'externalId eq "external-one"',
      'emails[type eq "work"].value eq "one@contoso.example"',
      'emails[type eq "other"].value eq "one@other.example"',
      'displayName eq "one displayed" and active eq true',
      `${ENTERPRISE}:department eq "testing" and name.givenName eq "one"`,
    ])('filter by %s', async (filter) => {
      const { totalResults, Resources } = await find('/Users', filter)
      expect([totalResults, Resources[0]?.id]).toEqual([1, ids['one']])
    })

    it('replace a user under the same id: omitted values no longer belong to the provider', async () => {
      const { title: _title, ...others } = fullUser('one', manager)
      const { status, body } = await directory.send('PUT', `/Users/${ids['one']}`, {
        ...others,
        userName: 'uno@contoso.example',
        emails: [{ type: 'work', value: 'uno@contoso.example', primary: true }],
      })
      expect([status, body.id, body.userName, body.emails]).toEqual([
        200,
        ids['one'],
        'uno@contoso.example',
        [{ type: 'work', value: 'uno@contoso.example', primary: true }],
      ])
      expect(ownersOf(body)).not.toHaveProperty('title')
      expect((await find('/Users', 'userName eq "one@contoso.example"')).totalResults).toBe(0)
    })

    it('patch: replace, add and remove attributes, one after the other', async () => {
      const { status, body } = await directory.patch(
        `/Users/${ids['one']}`,
        { op: 'Replace', path: 'displayName', value: 'Uno' },
        { op: 'Replace', path: 'name.familyName', value: 'Replaced' },
        { op: 'Add', path: 'emails[type eq "other"].value', value: 'uno@added.example' },
        { op: 'Replace', path: `${ENTERPRISE}:department`, value: 'Patched' },
        { op: 'Remove', path: `${ENTERPRISE}:manager` },
        { op: 'Replace', path: 'active', value: 'False' },
      )
      expect(status).toBe(200)
      expect(body).toMatchObject({ displayName: 'Uno', active: false, name: { familyName: 'Replaced' } })
      expect(body[ENTERPRISE].department).toBe('Patched')
      // What the provider takes away is cleared, and stays the provider's.
      expect(body[ENTERPRISE]).not.toHaveProperty('manager')
      expect(ownersOf(body)).toMatchObject({ department: 'FIELD_OWNER_DIRECTORY', manager: 'FIELD_OWNER_DIRECTORY' })
      expect(body.emails).toContainEqual({ type: 'other', value: 'uno@added.example' })
      expect(
        (await directory.patch(`/Users/${ids['one']}`, { op: 'replace', value: { active: true } })).body.active,
      ).toBe(true)
    })

    it('patch an unknown user, or in an invalid form: an error, and nothing is written', async () => {
      const before = (await directory.send('GET', `/Users/${ids['one']}`)).body
      const operation = { op: 'replace', path: 'title', value: 'Changed' }
      expect((await directory.patch('/Users/nobody', operation)).status).toBe(404)
      const wrong = await directory.patch(`/Users/${ids['one']}`, operation, { op: 'rename', path: 'title' })
      expect([wrong.status, wrong.body.schemas]).toEqual([400, [ERROR]])
      expect((await directory.send('GET', `/Users/${ids['one']}`)).body).toEqual(before)
    })
  })

  describe('on groups', () => {
    it('create a group, and one with a member', async () => {
      const empty = await directory.send('POST', '/Groups', {
        schemas: [GROUP],
        displayName: 'Testers',
        externalId: 'group-1',
      })
      expect([empty.status, empty.body.displayName, empty.body.externalId]).toEqual([201, 'Testers', 'group-1'])
      ids['empty'] = empty.body.id
      const full = await directory.send('POST', '/Groups', {
        schemas: [GROUP],
        displayName: 'Readers',
        members: [{ value: ids['one'] }],
      })
      expect([full.status, full.body.members.map(({ value }: { value: string }) => value)]).toEqual([201, [ids['one']]])
      ids['full'] = full.body.id
    })

    it('read a group, with and without its members, and show it at its member', async () => {
      const path = `/Groups/${ids['full']}`
      expect((await directory.send('GET', path)).body.members).toMatchObject([{ value: ids['one'] }])
      expect((await directory.send('GET', `${path}?excludedAttributes=members`)).body).not.toHaveProperty('members')
      const { groups } = (await directory.send('GET', `/Users/${ids['one']}`)).body
      expect(groups).toMatchObject([{ value: ids['full'], display: 'Readers' }])
    })

    it.each<[filter: string, name: string]>([
      ['displayName eq "TESTERS"', 'empty'],
      ['externalId eq "group-1"', 'empty'],
      ['members[value eq "$one"]', 'full'],
      ['members.value eq "$one" and displayName sw "read"', 'full'],
      ['id eq "$empty"', 'empty'],
    ])('filter by %s', async (filter, name) => {
      const text = filter.replace(/\$(\w+)/, (_, id: string) => ids[id] ?? '')
      const { totalResults, Resources } = await find('/Groups', text)
      expect([totalResults, Resources[0]?.id]).toEqual([1, ids[name]])
      expect((await find('/Groups', 'displayName eq "Nobody"')).totalResults).toBe(0)
    })

    it('patch: rename a group, add members, remove one, and leave the others', async () => {
      const path = `/Groups/${ids['empty']}`
      const members = async () =>
        ((await directory.send('GET', path)).body.members ?? []).map(({ value }: { value: string }) => value)
      const renamed = await directory.patch(path, { op: 'Replace', path: 'displayName', value: 'Renamed' })
      expect([200, 204]).toContain(renamed.status)
      await directory.patch(path, { op: 'Add', path: 'members', value: [{ value: ids['one'] }, { value: ids['two'] }] })
      expect(await members()).toEqual([ids['one'], ids['two']])
      await directory.patch(path, { op: 'Remove', path: 'members', value: [{ value: ids['one'] }] })
      expect(await members()).toEqual([ids['two']])
      await directory.patch(path, { op: 'Remove', path: `members[value eq "${ids['two']}"]` })
      expect(await members()).toEqual([])
      expect((await directory.send('GET', path)).body.displayName).toBe('Renamed')
    })

    it('replace a group', async () => {
      const { status, body } = await directory.send('PUT', `/Groups/${ids['empty']}`, {
        schemas: [GROUP],
        displayName: 'Replaced',
        members: [{ value: ids['two'] }],
      })
      expect([status, body.displayName, body.members]).toMatchObject([200, 'Replaced', [{ value: ids['two'] }]])
    })

    it('list groups in pages and in an order', async () => {
      const { body } = await directory.send('GET', '/Groups?sortBy=displayName&startIndex=2&count=1')
      expect([body.totalResults, body.startIndex, body.itemsPerPage]).toEqual([3, 2, 1])
      expect(body.Resources[0].displayName).toBe('Readers')
    })

    it('delete a group: it is gone, for its members too', async () => {
      expect((await directory.send('DELETE', `/Groups/${ids['full']}`)).status).toBe(204)
      expect((await directory.send('GET', `/Groups/${ids['full']}`)).status).toBe(404)
      expect((await directory.send('DELETE', `/Groups/${ids['full']}`)).status).toBe(404)
      expect((await find('/Groups', 'displayName eq "Readers"')).totalResults).toBe(0)
      expect((await directory.send('GET', `/Users/${ids['one']}`)).body).not.toHaveProperty('groups')
    })
  })

  it('on users: delete one, after which every request returns 404', async () => {
    const path = `/Users/${ids['two']}`
    expect((await directory.send('DELETE', path)).status).toBe(204)
    expect((await directory.send('GET', path)).status).toBe(404)
    expect((await directory.send('DELETE', path)).status).toBe(404)
    expect((await directory.send('PUT', path, fullUser('two', manager))).status).toBe(404)
    expect((await directory.patch(path, { op: 'replace', path: 'active', value: true })).status).toBe(404)
    expect((await find('/Users', 'externalId eq "external-two"')).totalResults).toBe(0)
    const group = (await directory.send('GET', `/Groups/${ids['empty']}`)).body
    expect(group.members ?? []).toEqual([])
  })
})
