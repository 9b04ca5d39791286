import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { fixture, insertApiKey, insertFixture, insertUser, insertUserToken } from '../support/fixture.js'
import { connectDirectory, ENTERPRISE, OWNERSHIP, ownersOf, type ScimClient, USER } from '../support/scim.js'
import { startTestService, type TestService } from '../support/service.js'

const { acme, globex, users } = fixture

describe('SCIM users', () => {
  let service: TestService
  let okta: ScimClient
  let key: string
  let admin: string
  let serial = 0
  let name: string
  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    okta = await connectDirectory(service)
    key = (await insertApiKey(service.database, { organizationId: acme })).token
    admin = await insertUserToken(service.database, { userId: users.admin })
  })
  afterAll(() => service.stop())
  beforeEach(() => {
    serial += 1
    name = `person.${serial}@example.com`
  })

  const eventsOf = (id: string) =>
    service.database.query<{ action: string; actor_kind: string; actor_id: string }>(
      'SELECT action, actor_kind, actor_id FROM audit_events WHERE target_id = $1 ORDER BY occurred_at, id',
      [id],
    )
  const actionsOf = async (id: string) => (await eventsOf(id)).map(({ action }) => action)

  it('with the address of a person in another organization are separate users', async () => {
    const person = `globex-${serial}`
    await insertUser(service.database, { id: person, organizationId: globex })
    const userName = `${person}@example.com`
    const user = await okta.add({ userName, emails: [{ value: userName, primary: true }] })
    expect([user.userName, user.id === person]).toEqual([userName, false])
    const memberships = await service.database.query('SELECT FROM memberships WHERE user_id = $1', [person])
    expect(memberships).toHaveLength(1)
  })

  it('are created with every mapped attribute, locked for all others', async () => {
    const user = await okta.add({
      userName: name,
      externalId: `ext-${serial}`,
      displayName: 'Ada L.',
      title: 'Analyst',
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      locale: 'en-gb',
      timezone: 'europe/london',
      active: true,
      emails: [{ value: name, type: 'work', primary: true }],
      phoneNumbers: [
        { value: '+44 20 7946 0001', type: 'mobile' },
        { value: `tel:+1-415-555-${1000 + serial}`, type: 'work', primary: true },
      ],
      photos: [{ value: 'https://x.example/ada.png', type: 'photo' }],
      [ENTERPRISE]: { department: 'Engines', manager: { value: users.manager } },
    })
    expect(user).toMatchObject({
      schemas: [USER, ENTERPRISE, OWNERSHIP],
      userName: name,
      externalId: `ext-${serial}`,
      displayName: 'Ada L.',
      title: 'Analyst',
      locale: 'en-GB',
      timezone: 'Europe/London',
      active: true,
      name: { givenName: 'Ada', familyName: 'Lovelace', formatted: 'Ada Lovelace' },
      emails: [{ value: name, type: 'work', primary: true }],
      [ENTERPRISE]: { department: 'Engines', manager: { value: users.manager } },
      [OWNERSHIP]: { directoryManaged: true, role: 'USER_ROLE_ORG_MEMBER' },
      meta: { resourceType: 'User', location: `${service.baseUrl}/scim/v2/Users/${user.id}` },
    })
    expect(ownersOf(user)).toEqual(
      Object.fromEntries(
        ['name.givenName', 'name.familyName', 'photos', 'timezone', 'locale', 'department', 'title', 'manager']
          .concat('phoneNumbers')
          .map((attribute) => [attribute, 'FIELD_OWNER_DIRECTORY']),
      ),
    )
    const { json } = await service.rest('GET', `/v2/users/${user.id}`, { token: key })
    expect(json.data).toMatchObject({
      email: name,
      firstName: 'Ada',
      lastName: 'Lovelace',
      jobTitle: 'Analyst',
      department: 'Engines',
      primaryPhone: `+1415555${1000 + serial}`,
      avatarUrl: 'https://x.example/ada.png',
      managerUserId: users.manager,
    })
    const read = await okta.send('GET', `/Users/${user.id}`)
    expect(read.body.meta.version).toBe(user.meta.version)
    expect(read.headers.get('etag')).toBe(user.meta.version)
    expect(await eventsOf(user.id)).toEqual([{ action: 'user.create', actor_kind: 'DIRECTORY', actor_id: okta.key.id }])
  })

  it('override any pin and lock the fields, which are unlocked, with their values, when no longer supplied', async () => {
    const { id } = await okta.add({ userName: name })
    const pinned = { jobTitle: 'Mine', department: 'Mine too' }
    await service.rest('PUT', `/v2/users/${id}`, { token: admin, json: pinned })
    const replaced = await okta.send('PUT', `/Users/${id}`, { userName: name, title: 'Theirs' })
    expect([replaced.status, replaced.body.title]).toEqual([200, 'Theirs'])
    expect(ownersOf(replaced.body)).toEqual({ title: 'FIELD_OWNER_DIRECTORY', department: 'FIELD_OWNER_PINNED' })
    const skipped = await service.rest('PUT', `/v2/users/${id}`, { token: admin, json: { jobTitle: 'Mine' } })
    expect(skipped.json.skippedDirectoryLockedFields).toEqual(['USER_PROFILE_FIELD_JOB_TITLE'])
    const { body } = await okta.send('PUT', `/Users/${id}`, { userName: name })
    expect([body.title, ownersOf(body)]).toEqual(['Theirs', { department: 'FIELD_OWNER_PINNED' }])
    const taken = await service.rest('PUT', `/v2/users/${id}`, { token: key, json: { jobTitle: 'Ours' } })
    expect([taken.json.data.jobTitle, taken.json.skippedDirectoryLockedFields]).toEqual(['Ours', []])
  })

  it('have email addresses that only the provider can change', async () => {
    const { id } = await okta.add({ userName: name, emails: [{ value: name, type: 'work', primary: true }] })
    const refused = await service.rest('PUT', `/v2/users/${id}`, { token: admin, json: { email: `x.${name}` } })
    expect([refused.status, refused.json.detail.debug.reason]).toEqual([400, 'ERROR_REASON_EMAIL_MANAGED_BY_DIRECTORY'])
    const { body } = await okta.patch(`/Users/${id}`, { op: 'replace', path: 'userName', value: `new.${name}` })
    expect([body.userName, body.emails[0].value]).toEqual([`new.${name}`, `new.${name}`])
    const { json } = await service.rest('GET', `/v2/users/${id}`, { token: key })
    expect(json.data.email).toBe(`new.${name}`)
  })

  it('keep a userName that is not the work address', async () => {
    const user = await okta.add({ userName: `UPN-${serial}`, emails: [{ value: name, type: 'work' }] })
    const { json } = await service.rest('GET', `/v2/users/${user.id}`, { token: key })
    expect([user.userName, json.data.email]).toEqual([`UPN-${serial}`, name])
    const { status, body } = await okta.send('POST', '/Users', {
      userName: `upn-${serial}`,
      emails: [{ value: `b.${name}` }],
    })
    expect([status, body.scimType]).toEqual([409, 'uniqueness'])
  })

  it('have unique user names, among addresses as well', async () => {
    const { id } = await okta.add({ userName: name })
    for (const userName of [`${users.admin}@example.com`, `${users.admin.toUpperCase()}@EXAMPLE.com`]) {
      for (const emails of [[{ value: name, type: 'work' }], []]) {
        const { status, body } = await okta.send('PUT', `/Users/${id}`, { userName, emails })
        expect([status, body.scimType]).toEqual([409, 'uniqueness'])
      }
    }
    expect((await okta.send('GET', `/Users/${id}`)).body.userName).toBe(name)
  })

  it('are deactivated by active false, keep their addresses, and are reactivated by active true', async () => {
    const { id } = await okta.add({ userName: name })
    const token = await insertUserToken(service.database, { userId: id })
    const own = () => service.rest('GET', `/v2/users/${id}`, { token: admin })
    await okta.patch(`/Users/${id}`, { op: 'replace', value: { active: false } })
    expect((await own()).json.data.deactivatedAt).toBeDefined()
    expect((await service.rest('PUT', `/v2/users/${id}`, { token, json: { locale: 'de' } })).status).toBe(401)
    expect((await service.rest('POST', '/v2/users', { token: admin, json: { email: name } })).status).toBe(409)
    expect((await okta.send('GET', `/Users/${id}`)).body.active).toBe(false)
    const { body } = await okta.patch(`/Users/${id}`, { op: 'replace', value: { active: true } })
    expect([body.active, (await own()).json.data.deactivatedAt]).toEqual([true, undefined])
    expect(await actionsOf(id)).toEqual(['user.create', 'user.deactivate', 'user.reactivate'])
  })

  it('are restored in place by their externalId if deactivated or deleted, but not if active', async () => {
    const person = { userName: name, externalId: `ext-${serial}`, name: { givenName: 'Ada' } }
    const { id } = await okta.add(person)
    const again = await okta.send('POST', '/Users', person)
    expect([again.status, again.body.scimType]).toEqual([409, 'uniqueness'])
    await okta.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false })
    const back = await okta.send('POST', '/Users', { ...person, userName: `new.${name}`, title: 'Returned' })
    expect([back.status, back.body]).toMatchObject([
      201,
      { id, active: true, title: 'Returned', userName: `new.${name}` },
    ])
    expect((await okta.send('DELETE', `/Users/${id}`)).status).toBe(204)
    const gone = await okta.send('GET', `/Users/${id}`)
    expect([gone.status, gone.body.status]).toEqual([404, '404'])
    for (const method of ['PUT', 'DELETE']) expect((await okta.send(method, `/Users/${id}`, person)).status).toBe(404)
    const restored = await okta.send('POST', '/Users', { userName: `NEW.${name}` })
    expect([restored.status, restored.body]).toMatchObject([201, { id, active: true, externalId: `ext-${serial}` }])
    expect(ownersOf(restored.body)).toEqual({})
  })

  it('enforce an expected version, and return 304 for a known one', async () => {
    const { id, meta } = await okta.add({ userName: name })
    const put = (ifMatch: string) =>
      okta.send('PUT', `/Users/${id}`, { userName: name, title: 'A' }, { 'if-match': ifMatch })
    expect((await okta.send('GET', `/Users/${id}`, undefined, { 'if-none-match': meta.version })).status).toBe(304)
    expect((await put('"other"')).status).toBe(412)
    const changed = await put(`W/${meta.version}`)
    expect([changed.status, changed.body.meta.version === meta.version]).toEqual([200, false])
    expect((await put(meta.version)).status).toBe(412)
  })

  it('are neither written nor recorded if sent again unchanged', async () => {
    const person = {
      userName: name,
      externalId: `ext-${serial}`,
      title: 'Analyst',
      name: { givenName: 'Ada' },
      active: true,
      phoneNumbers: [{ value: `+1415556${1000 + serial}`, type: 'work' }],
      [ENTERPRISE]: { department: 'Engines', manager: { value: users.manager } },
    }
    const { id, meta } = await okta.add(person)
    const stored = () => service.database.query('SELECT xmin, updated_at FROM memberships WHERE user_id = $1', [id])
    const before = await stored()
    const { body } = await okta.send('PUT', `/Users/${id}`, person)
    await okta.patch(`/Users/${id}`, { op: 'Replace', path: 'title', value: 'Analyst' })
    expect([body.meta.version, await stored(), await actionsOf(id)]).toEqual([meta.version, before, ['user.create']])
  })

  it('can be created eight at a time, and sent again, without a failed request', async () => {
    const people = Array.from({ length: 40 }, (_, index) => ({
      userName: `crowd.${index}@example.com`,
      externalId: `crowd-${index}`,
      title: `Title ${index % 7}`,
      phoneNumbers: [{ value: `+1415${5_600_000 + index}`, type: 'mobile' }],
      [ENTERPRISE]: { department: `Department ${index % 5}`, manager: { value: users.manager } },
    }))
    const inTurn = async (
      send: (person: (typeof people)[number], index: number) => Promise<{ status: number; body: { id: string } }>,
    ) => {
      const answers: { status: number; body: { id: string } }[] = []
      let next = 0
      const work = async () => {
        for (let index = next++; index < people.length; index = next++) {
          const person = people[index]
          if (person !== undefined) answers[index] = await send(person, index)
        }
      }
      await Promise.all(Array.from({ length: 8 }, work))
      return answers
    }
    const added = await inTurn((person) => okta.send('POST', '/Users', person))
    expect(new Set(added.map(({ status }) => status))).toEqual(new Set([201]))
    const countEvents = async () => (await service.database.query('SELECT FROM audit_events')).length
    const before = await countEvents()
    const again = await inTurn((person, index) => okta.send('PUT', `/Users/${added[index]?.body.id}`, person))
    expect([new Set(again.map(({ status }) => status)), await countEvents()]).toEqual([new Set([200]), before])
  })

  it('of other organizations are not found', async () => {
    await insertUser(service.database, { id: `else-${serial}`, organizationId: globex })
    expect((await okta.send('GET', `/Users/else-${serial}`)).status).toBe(404)
    expect((await okta.patch(`/Users/else-${serial}`, { op: 'remove', path: 'title' })).status).toBe(404)
  })
})
