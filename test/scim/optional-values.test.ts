import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { registerDirectoryCommand } from '../../src/cli/directory.js'
import { runCommandBeside } from '../support/command-beside.js'
import { eventually } from '../support/eventually.js'
import { fixture, insertFixture } from '../support/fixture.js'
import { connectDirectory, ENTERPRISE, ownersOf, type ScimClient } from '../support/scim.js'
import { startTestService, type TestService } from '../support/service.js'

const TAKEN = '+14155550100'

describe('an optional value that cannot be stored', () => {
  let service: TestService
  let provider: ScimClient
  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    provider = await connectDirectory(service)
    await provider.add({ userName: 'holder@example.com', phoneNumbers: [{ value: TAKEN, type: 'work' }] })
  })
  afterAll(() => service.stop())

  let names = 0
  let reportId = ''
  const newUser = (values: object = {}) => {
    const name = `person.${names++}@example.com`
    return { userName: name, externalId: `ext-${name}`, title: 'Analyst', ...values }
  }
  /** What administrators see about a person. */
  const refusalsOf = async (userName: string, count: number) => {
    const line = ['directory', 'status', '--org', fixture.acme, '--json']
    let refusals: Record<string, unknown>[] = []
    await eventually(async () => {
      const { stdout } = await runCommandBeside(service, [registerDirectoryCommand], line)
      refusals = JSON.parse(stdout).refusals.filter((refusal: { userName: string }) => refusal.userName === userName)
      expect(refusals.length).toBe(count)
    })
    return refusals.map(({ externalId, method, status, attribute, detail }) => [
      externalId,
      method,
      status,
      attribute,
      detail,
    ])
  }

  it.each([
    ['a phone number that is not international', 'phoneNumbers', [{ value: '415-555-2671', type: 'work' }], '.value'],
    ['a phone number that a colleague has', 'phoneNumbers', [{ value: TAKEN, type: 'work' }], '.value'],
    ['a phone number that is not a string', 'phoneNumbers', [{ value: { of: 'work' }, type: 'work' }], ''],
    ['a locale that is no language tag', 'locale', 'of nowhere', ''],
    ['a locale that is not a string', 'locale', { language: 'en' }, ''],
    ['an unknown time zone', 'timezone', 'Middle-earth/Shire', ''],
    ['a time zone that is too long', 'timezone', 'x'.repeat(3_000), ''],
    ['a photo that is not at an https URL', 'photos', [{ value: 'http://example.com/a.png', type: 'photo' }], '.value'],
  ])('is omitted from a new user and reported with the user: %s', async (_, name, value, part) => {
    const user = newUser({ [name]: value })
    const { status, body } = await provider.send('POST', '/Users', user)
    expect([status, body.title, body[name]]).toEqual([201, 'Analyst', undefined])
    expect(Object.keys(ownersOf(body))).toEqual(['title'])
    expect((await provider.send('GET', `/Users/${body.id}`)).body).toEqual(body)
    expect(await refusalsOf(user.userName, 1)).toEqual([
      [user.externalId, 'POST', 201, `${name}${part}`, expect.stringMatching(/./)],
    ])
  })

  it.each<[what: string, attribute: string, value: (id: string) => object]>([
    ['an employee number as manager', 'manager.value', () => ({ [ENTERPRISE]: { manager: { value: '701984' } } })],
    ['a number as manager', 'manager', () => ({ [ENTERPRISE]: { manager: 701984 } })],
    ['the name of a manager', 'manager.value', () => ({ [ENTERPRISE]: { manager: 'Grace Hopper' } })],
    ['a manager by display name', 'manager', () => ({ [ENTERPRISE]: { manager: { displayName: 'Grace' } } })],
    ['the address of a manager', 'manager.value', () => ({ [ENTERPRISE]: { manager: { value: 'g@example.com' } } })],
    ['a distinguished name as manager', 'manager.value', () => ({ [ENTERPRISE]: { manager: 'CN=G,OU=X,DC=y' } })],
    ['a user as their own manager', 'manager.value', (id) => ({ [ENTERPRISE]: { manager: { value: id } } })],
    ['a manager who reports to the user', 'manager.value', () => ({ [ENTERPRISE]: { manager: { value: reportId } } })],
    ['a title that is too long', 'title', () => ({ title: 'x'.repeat(256) })],
    ['a title that is far too long', 'title', () => ({ title: 'x'.repeat(5_000) })],
    ['a title with a control character', 'title', () => ({ title: 'a\u0000b' })],
    ['an object as title', 'title', () => ({ title: { de: 'Leiterin' } })],
    ['a department that is too long', 'department', () => ({ [ENTERPRISE]: { department: 'x'.repeat(300) } })],
    [
      'a name that is too long',
      'name.familyName',
      () => ({ name: { givenName: 'Ada', familyName: 'x'.repeat(3_000) } }),
    ],
    ['a display name that is too long', 'displayName', () => ({ displayName: 'x'.repeat(5_000) })],
    [
      'a picture in the request',
      'photos',
      () => ({ photos: [{ value: `data:image/png;base64,${'A'.repeat(9_000)}` }] }),
    ],
    ['an extension that is no object', ENTERPRISE, () => ({ [ENTERPRISE]: 'Engines' })],
    ['a phone that no entry is', 'phoneNumbers.value', () => ({ 'phoneNumbers[value eq "1"].value': '+14155550123' })],
  ])('neither keeps a person out nor in: %s', async (_, attribute, given) => {
    const leaver = newUser({ name: { givenName: 'Ada' } })
    const { id } = await provider.add(leaver)
    const { id: other } = await provider.add(newUser({ [ENTERPRISE]: { manager: { value: id } } }))
    reportId = other
    const values = given(id)
    const { status, body } = await provider.patch(
      `/Users/${id}`,
      { op: 'Add', value: values },
      { op: 'Replace', path: 'name.givenName', value: 'Augusta' },
      { op: 'Replace', path: 'active', value: 'False' },
    )
    expect([status, body.active, body.name.givenName]).toEqual([200, false, 'Augusta'])
    expect((await refusalsOf(leaver.userName, 1)).map((refusal) => refusal.slice(2, 4))).toEqual([[200, attribute]])
    const joiner = newUser(values)
    const created = await provider.send('POST', '/Users', joiner)
    expect([created.status, created.body.userName]).toEqual([201, joiner.userName])
  })

  const LARGE = Array.from({ length: 40 }, (_, n) => ({ value: `https://example.com/${n}/${'x'.repeat(1_900)}` }))
  it.each<[what: string, operations: object[], reason: RegExp]>([
    [
      'a path that cannot be parsed',
      [{ op: 'Replace', path: 'emails[type eq "work"', value: 'a' }],
      /not a valid path/,
    ],
    ['a filter that cannot be parsed', [{ op: 'Replace', path: 'emails[type eq].value', value: 'a' }], /filter/],
    ['a path that is no text', [{ op: 'Add', path: 7, value: 'a' }], /path must be a string/],
    ['an unknown operation', [{ op: 'Move', path: 'title', value: 'a' }], /op must be/],
    ['an operation that is none', ['Replace'], /must be an object/],
    ['a removal of nothing in particular', [{ op: 'Remove' }], /must have a path/],
    ['an attribute that is read-only', [{ op: 'Replace', path: 'id', value: 'a' }], /read-only/],
    ['an address that is none', [{ op: 'Replace', path: 'emails', value: [{ value: 'nobody' }] }], /email address/],
    ['the address of a colleague', [{ op: 'Add', value: { userName: 'holder@example.com' } }], /already|taken/],
    ['no userName', [{ op: 'Replace', path: 'userName', value: '' }], /userName is required/],
    ['attributes beyond 64 KiB', [{ op: 'Replace', path: 'photos', value: LARGE }], /65536 bytes/],
    ['too many attributes', Array(1_001).fill({ op: 'Add', path: 'title', value: 'a' }), /at most 1000/],
  ])('nor a value that has to be right keeps a leaver in: %s', async (_, operations, reason) => {
    const { id } = await provider.add(newUser())
    expect((await provider.patch(`/Users/${id}`, ...operations)).status).toBeGreaterThanOrEqual(400)
    const leaver = newUser()
    const before = await provider.add(leaver)
    const off = { op: 'Replace', path: 'active', value: 'False' }
    const { status, body } = await provider.patch(`/Users/${before.id}`, off, ...operations)
    expect([status, body]).toEqual([200, { ...before, active: false, meta: expect.anything() }])
    expect((await refusalsOf(leaver.userName, 1)).map((refusal) => refusal.slice(2))).toEqual([
      [200, 'all but active', expect.stringMatching(reason)],
    ])
  })

  it.each([
    [
      'at the URN of the attribute',
      { op: 'add', path: 'urn:ietf:params:scim:schemas:core:2.0:User:Active', value: false },
    ],
    ['in a value without a path', { op: 'replace', value: { Active: ['False'] } }],
    [
      'below the URN of the schema',
      { op: 'Add', value: { 'urn:ietf:params:scim:schemas:core:2.0:User': { active: false } } },
    ],
  ])('nor does it if the leaver is deactivated %s', async (_, off) => {
    const { id } = await provider.add(newUser())
    const { status, body } = await provider.patch(`/Users/${id}`, { op: 'Remove' }, off)
    expect([status, body.active]).toEqual([200, false])
  })

  it('nor keeps a leaver in who is replaced as a whole', async () => {
    const { id, title } = await provider.add(newUser())
    const { status, body } = await provider.send('PUT', `/Users/${id}`, { userName: '', active: 'False', title: 'No' })
    expect([status, body.active, body.title]).toEqual([200, false, title])
  })

  it('is refused with the operations around it if none of them deactivates in the end', async () => {
    const { id } = await provider.add(newUser())
    const states = [false, true].map((value) => ({ op: 'replace', path: 'active', value }))
    const bad = { op: 'replace', path: 'emails[', value: 'a' }
    expect((await provider.patch(`/Users/${id}`, ...states, bad)).status).toBe(400)
    expect((await provider.send('GET', `/Users/${id}`)).body.active).toBe(true)
  })

  it('is put on one line instead, if it only has line breaks', async () => {
    const texts = { title: 'Chief\r\nOfficer', displayName: '\tAda\u2028L. ', [ENTERPRISE]: { department: 'R&D\n' } }
    const { title, displayName, [ENTERPRISE]: enterprise } = await provider.add(newUser(texts))
    expect([title, displayName, enterprise.department]).toEqual(['Chief Officer', 'Ada L.', 'R&D'])
  })

  it.each(['PUT', 'PATCH'])('leaves the previous value in place, unlocked, by %s', async (method) => {
    const before = { locale: 'de-DE', phoneNumbers: [{ value: `+1415555${2000 + names}`, type: 'work' }] }
    const user = newUser(before)
    const { id } = await provider.add(user)
    const bad = { locale: 'of nowhere', phoneNumbers: [{ value: TAKEN, type: 'work' }] }
    const { status, body } =
      method === 'PUT'
        ? await provider.send('PUT', `/Users/${id}`, { ...user, ...bad })
        : await provider.patch(`/Users/${id}`, { op: 'replace', value: bad })
    expect([status, body.locale, body.phoneNumbers[0].value]).toEqual([200, 'de-DE', before.phoneNumbers[0]?.value])
    expect(Object.keys(ownersOf(body))).toEqual(['title'])
    const refusals = await refusalsOf(user.userName, 2)
    expect(refusals.map(([, ...refusal]) => refusal.slice(0, 3))).toEqual(
      expect.arrayContaining([
        [method, 200, 'locale'],
        [method, 200, 'phoneNumbers.value'],
      ]),
    )
  })

  it('such as a number that several new users claim goes to one of them, and all are created', async () => {
    const phoneNumbers = [{ value: '+14155550399', type: 'work' }]
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => provider.send('POST', '/Users', newUser({ phoneNumbers }))),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
    expect(answers.filter(({ body }) => body.phoneNumbers !== undefined).length).toBe(1)
  })

  it('does not relax the strict checks', async () => {
    const refused = [{ active: 'perhaps' }, { userName: '' }, { emails: [{ value: 'nobody', type: 'work' }] }]
    for (const values of refused) expect((await provider.send('POST', '/Users', newUser(values))).status).toBe(400)
  })

  it('is reported with the user if the whole request is refused', async () => {
    const user = newUser({ active: 'perhaps' })
    expect((await provider.send('POST', '/Users', user)).status).toBe(400)
    expect(await refusalsOf(user.userName, 1)).toEqual([
      [user.externalId, 'POST', 400, '', 'active must be true or false'],
    ])
    const { stdout } = await runCommandBeside(
      service,
      [registerDirectoryCommand],
      ['directory', 'status', '--org', fixture.acme],
    )
    expect(stdout).toContain(`${user.userName}, ${user.externalId}: active must be true or false`)
  })
})
