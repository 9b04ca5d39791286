import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { fixture, insertFixture, insertUserToken } from '../support/fixture.js'
import { connectDirectory, ENTERPRISE, ownersOf, type ScimClient } from '../support/scim.js'
import { startTestService, type TestService } from '../support/service.js'

const { users } = fixture
const MANAGER = `${ENTERPRISE}:manager`
const WORK_PHONE = 'phoneNumbers[type eq "work"].value'

describe('what a directory takes away', () => {
  let service: TestService
  let provider: ScimClient
  let admin: string
  let serial = 0
  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    provider = await connectDirectory(service)
    admin = await insertUserToken(service.database, { userId: users.admin })
  })
  afterAll(() => service.stop())

  const newPerson = () => {
    serial += 1
    const userName = `leaver.${serial}@example.com`
    return {
      userName,
      externalId: `leaver-${serial}`,
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      title: 'Analyst',
      locale: 'en-GB',
      timezone: 'Europe/London',
      photos: [{ value: 'https://example.com/a.png', type: 'photo' }],
      phoneNumbers: [{ value: `+1415557${2000 + serial}`, type: 'work' }],
      [ENTERPRISE]: { department: 'Engines', manager: { value: users.manager } },
    }
  }
  const own = async (id: string) => (await service.rest('GET', `/v2/users/${id}`, { token: admin })).json.data

  const fields: readonly [attribute: string, field: string][] = [
    [MANAGER, 'managerUserId'],
    [`${ENTERPRISE}:department`, 'department'],
    ['title', 'jobTitle'],
    ['name.familyName', 'lastName'],
    ['name.givenName', 'firstName'],
    ['locale', 'locale'],
    ['timezone', 'timezone'],
    ['photos', 'avatarUrl'],
    ['phoneNumbers', 'primaryPhone'],
  ]
  const ways: readonly [way: string, operation: object][] = [
    ['Remove', { op: 'Remove' }],
    ['Replace with null', { op: 'Replace', value: null }],
    ['Replace with ""', { op: 'Replace', value: '' }],
    ['Replace with blanks', { op: 'replace', value: '  ' }],
    ['Replace with []', { op: 'Replace', value: [] }],
    ['Replace with {"value":""}', { op: 'Replace', value: { value: '' } }],
    ['Replace with [{"value":null}]', { op: 'Replace', value: [{ value: null }] }],
  ]
  it.each(fields)('is cleared, stays locked, and is gone from what it reads: %s', async (path, field) => {
    for (const [way, operation] of ways) {
      const person = newPerson()
      const { id } = await provider.add(person)
      expect((await own(id))[field]).toBeTruthy()
      const { status, body } = await provider.patch(`/Users/${id}`, { ...operation, path })
      const name = path.replace(`${ENTERPRISE}:`, '')
      const shown = path === name ? body : body[ENTERPRISE]
      const [outer = '', inner] = name.split('.')
      expect([way, status, inner === undefined ? shown[outer] : shown[outer]?.[inner]]).toEqual([way, 200, undefined])
      expect([way, ownersOf(body)[name], (await own(id))[field] ?? '']).toEqual([way, 'FIELD_OWNER_DIRECTORY', ''])
      expect((await provider.send('GET', `/Users/${id}`)).body).toEqual(body)
      // A later change of something else leaves it so.
      const later = await provider.patch(`/Users/${id}`, { op: 'replace', path: 'displayName', value: 'Later' })
      expect([way, ownersOf(later.body)[name], (await own(id))[field] ?? '']).toEqual([
        way,
        'FIELD_OWNER_DIRECTORY',
        '',
      ])
      const { userName } = person
      const put = await provider.send('PUT', `/Users/${id}`, { userName })
      expect([way, ownersOf(put.body)[name]]).toEqual([way, undefined])
    }
  })

  it.each<[way: string, body: (person: ReturnType<typeof newPerson>) => object]>([
    ['null', (person) => ({ ...person, title: null, phoneNumbers: null, [ENTERPRISE]: { manager: null } })],
    [
      'an empty text, list or object',
      (person) => ({ ...person, title: '', phoneNumbers: [], [ENTERPRISE]: { manager: {} } }),
    ],
    ['an extension that is null', (person) => ({ ...person, title: ' ', phoneNumbers: [{}], [ENTERPRISE]: null })],
    [
      'an entry without a value',
      (person) => ({
        ...person,
        title: [],
        phoneNumbers: [{ type: 'work', value: '' }],
        [ENTERPRISE]: { manager: { value: '' } },
      }),
    ],
  ])('is cleared by PUT as well, with %s', async (_, bodyOf) => {
    const person = newPerson()
    const { id } = await provider.add(person)
    const { status, body } = await provider.send('PUT', `/Users/${id}`, bodyOf(person))
    expect([status, body.title, body.phoneNumbers, body[ENTERPRISE]?.manager]).toEqual([
      200,
      undefined,
      undefined,
      undefined,
    ])
    expect(ownersOf(body)).toMatchObject({
      title: 'FIELD_OWNER_DIRECTORY',
      phoneNumbers: 'FIELD_OWNER_DIRECTORY',
      manager: 'FIELD_OWNER_DIRECTORY',
    })
    const again = await provider.send('PUT', `/Users/${id}`, bodyOf(person))
    expect(again.body.meta.version).toBe(body.meta.version)
  })

  it('is cleared even if somebody else had set it', async () => {
    const { id } = await provider.add({ userName: `other.${serial++}@example.com` })
    const json = { userId: id, relatedUserId: users.manager }
    expect((await service.rest('POST', '/v2/user-relationships', { token: admin, json })).status).toBe(200)
    const phone = `+1415558${3000 + serial}`
    await service.rest('PUT', `/v2/users/${id}`, { token: admin, json: { primaryPhone: phone, jobTitle: 'Mine' } })
    await provider.patch(`/Users/${id}`, { op: 'Remove', path: 'phoneNumbers[type eq "fax"]' })
    expect(await own(id)).toMatchObject({ primaryPhone: phone, managerUserId: users.manager })
    const { body } = await provider.patch(
      `/Users/${id}`,
      { op: 'Remove', path: MANAGER },
      { op: 'Remove', path: 'phoneNumbers[type eq "work"]' },
      { op: 'Remove', path: 'title' },
    )
    expect([body.phoneNumbers, body.title, body[ENTERPRISE]]).toEqual([undefined, undefined, undefined])
    expect(Object.keys(ownersOf(body)).sort()).toEqual(['manager', 'phoneNumbers', 'title'])
  })

  it('is the field of the entry that a list has lost', async () => {
    const person = newPerson()
    const home = { value: '+1 415 555 0188', type: 'home' }
    const { id } = await provider.add({ ...person, phoneNumbers: [...person.phoneNumbers, home] })
    const { body } = await provider.patch(`/Users/${id}`, { op: 'remove', path: 'phoneNumbers[type eq "work"]' })
    expect([body.phoneNumbers, ownersOf(body)['phoneNumbers']]).toEqual([[home], 'FIELD_OWNER_DIRECTORY'])
    expect((await own(id)).primaryPhone ?? '').toBe('')
  })

  it.each<[how: string, take: (id: string, userName: string) => Promise<{ status: number }>]>([
    ['removed by PATCH', (id) => provider.patch(`/Users/${id}`, { op: 'Remove', path: 'phoneNumbers' })],
    ['replaced by ""', (id) => provider.patch(`/Users/${id}`, { op: 'Replace', path: WORK_PHONE, value: '' })],
    ['an empty list of a PUT', (id, userName) => provider.send('PUT', `/Users/${id}`, { userName, phoneNumbers: [] })],
    ['that of a deleted user', (id) => provider.send('DELETE', `/Users/${id}`)],
  ])('is free for others at once: a phone number, %s', async (_, take) => {
    const [person, successor] = [newPerson(), newPerson()]
    const { id } = await provider.add(person)
    const { id: next } = await provider.add({ ...successor, phoneNumbers: [] })
    expect((await take(id, person.userName)).status).toBeLessThan(300)
    const value = person.phoneNumbers[0]?.value
    const { body } = await provider.patch(`/Users/${next}`, { op: 'Add', path: WORK_PHONE, value })
    expect([body.phoneNumbers?.[0].value, (await own(next)).primaryPhone]).toEqual([value, value])
  })
})
