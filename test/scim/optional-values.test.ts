import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { registerDirectoryCommand } from '../../src/cli/directory.js'
import { runCommandBeside } from '../support/command-beside.js'
import { eventually } from '../support/eventually.js'
import { fixture, insertFixture } from '../support/fixture.js'
import { connectDirectory, ownersOf, type ScimClient } from '../support/scim.js'
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
  const newUser = (values: object = {}) => {
    const name = `person.${names++}@example.com`
    return { userName: name, externalId: `ext-${name}`, title: 'Analyst', ...values }
  }
  /** What administrators see about a person. */
  const refusalsOf = async (userName: string, count: number) => {
    const line = ['directory', 'status', '--org', fixture.acme, '--json']
    let told: Record<string, unknown>[] = []
    await eventually(async () => {
      const { stdout } = await runCommandBeside(service, [registerDirectoryCommand], line)
      told = JSON.parse(stdout).refusals.filter((refusal: { userName: string }) => refusal.userName === userName)
      expect(told.length).toBe(count)
    })
    return told.map(({ externalId, method, status, attribute, detail }) => [
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

  it.each(['PUT', 'PATCH'])('leaves the previous value in place, unlocked, by %s', async (method) => {
    const before = { locale: 'de-DE', phoneNumbers: [{ value: `+1415555020${names}`, type: 'work' }] }
    const user = newUser(before)
    const { id } = await provider.add(user)
    const bad = { locale: 'of nowhere', phoneNumbers: [{ value: TAKEN, type: 'work' }] }
    const { status, body } =
      method === 'PUT'
        ? await provider.send('PUT', `/Users/${id}`, { ...user, ...bad })
        : await provider.patch(`/Users/${id}`, { op: 'replace', value: bad })
    expect([status, body.locale, body.phoneNumbers[0].value]).toEqual([200, 'de-DE', before.phoneNumbers[0]?.value])
    expect(Object.keys(ownersOf(body))).toEqual(['title'])
    const told = await refusalsOf(user.userName, 2)
    expect(told.map(([, ...refusal]) => refusal.slice(0, 3))).toEqual(
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
