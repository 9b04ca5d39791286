import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { fixture, insertFixture, insertUserToken } from '../support/fixture.js'
import { connectDirectory, type ScimClient } from '../support/scim.js'
import { startTestService, type TestService } from '../support/service.js'

describe('the addresses and names that a directory gives', () => {
  let service: TestService
  let provider: ScimClient
  let admin: string
  let serial = 0
  let a: string
  let b: string
  let upn: string
  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    provider = await connectDirectory(service)
    admin = await insertUserToken(service.database, { userId: fixture.users.admin })
  })
  afterAll(() => service.stop())
  beforeEach(() => {
    serial += 1
    a = `a.${serial}@example.com`
    b = `b.${serial}@example.com`
    upn = `upn.${serial}@example.com`
  })

  const userOf = async (id: string) => (await service.rest('GET', `/v2/users/${id}`, { token: admin })).json.data
  const found = async (filter: string) => {
    const { status, body } = await provider.send('GET', `/Users?filter=${encodeURIComponent(filter)}`)
    expect(status).toBe(200)
    return (body.Resources as { id: string }[]).map(({ id }) => id)
  }

  it.each<[what: string, emails: () => unknown, address: () => string, shown?: () => unknown]>([
    [
      'the primary of two with the same type',
      () => [
        { value: a, type: 'work', primary: false },
        { value: b, type: 'work', primary: true },
      ],
      () => b,
    ],
    [
      'the primary one, whatever its type',
      () => [
        { value: a, type: 'work' },
        { value: b, type: 'other', primary: true },
      ],
      () => b,
    ],
    [
      'without a primary one, the first of type work',
      () => [
        { value: a, type: 'home' },
        { value: b, type: 'Work' },
      ],
      () => b,
    ],
    ['an address without a type', () => [{ value: a }], () => a],
    ['an address of type other', () => [{ value: a, type: 'other', primary: true }], () => a],
    [
      'the first of other types',
      () => [
        { value: a, type: 'home' },
        { value: b, type: 'other' },
      ],
      () => a,
    ],
    ['a list of texts', () => [a, b], () => a, () => [{ value: a }, { value: b }]],
    ['a text alone', () => a, () => a, () => [{ value: a }]],
    ['without any, the userName', () => [], () => upn, () => [{ value: upn, type: 'work', primary: true }]],
  ])('are kept as they are sent, and one signs in: %s', async (_, emails, address, shown = emails) => {
    const { id, ...created } = await provider.add({ userName: upn, emails: emails() })
    expect([created.emails, created.userName, (await userOf(id)).email]).toEqual([shown(), upn, address()])
    const { body } = await provider.send('GET', `/Users/${id}`)
    const put = await provider.send('PUT', `/Users/${id}`, body)
    expect([put.body.emails, put.body.userName, (await userOf(id)).email]).toEqual([shown(), upn, address()])
    for (const { value, type } of body.emails as { value: string; type?: string }[]) {
      expect(await found(`emails.value eq "${value}"`)).toEqual([id])
      if (type !== undefined) expect(await found(`emails[type eq "${type}"].value eq "${value}"`)).toEqual([id])
    }
  })

  it('are added to the address that the userName is', async () => {
    const { id } = await provider.add({ userName: upn })
    const { body } = await provider.patch(`/Users/${id}`, {
      op: 'add',
      path: 'emails',
      value: [{ value: b, type: 'home' }],
    })
    expect([body.emails, (await userOf(id)).email]).toEqual([
      [
        { value: upn, type: 'work', primary: true },
        { value: b, type: 'home' },
      ],
      upn,
    ])
    const moved = await provider.patch(`/Users/${id}`, { op: 'replace', path: 'userName', value: a })
    expect([moved.body.emails[0].value, (await userOf(id)).email]).toEqual([a, a])
  })

  it('have the number that is primary', async () => {
    const [one, two, three] = [1, 2, 3].map((digit) => `+1415550${digit}${200 + serial}`)
    const phoneNumbers = [
      { value: one, type: 'work', primary: false },
      { value: two, type: 'work', primary: true },
      { value: three, type: 'mobile' },
    ]
    const user = await provider.add({ userName: upn, phoneNumbers })
    expect([user.phoneNumbers, (await userOf(user.id)).primaryPhone]).toEqual([phoneNumbers, two])
    await provider.patch(`/Users/${user.id}`, {
      op: 'replace',
      path: 'phoneNumbers[type eq "mobile"].primary',
      value: 'True',
    })
    expect((await userOf(user.id)).primaryPhone).toBe(three)
  })

  it.each<[what: string, change: () => object]>([
    ['the userName', () => ({ userName: upn.toUpperCase(), emails: [{ value: a, type: 'work' }] })],
    ['an address', () => ({ userName: upn, emails: [{ value: a.replace('a.', 'A.'), type: 'work' }] })],
    ['both', () => ({ userName: a.toUpperCase(), emails: [{ value: a.toUpperCase(), type: 'work' }] })],
  ])('come back in the case in which they were sent last: %s', async (_, change) => {
    const { id } = await provider.add({ userName: upn, emails: [{ value: a, type: 'work' }] })
    const wanted = change() as { userName: string; emails: { value: string }[] }
    const { body } = await provider.send('PUT', `/Users/${id}`, wanted)
    expect(body).toMatchObject(wanted)
    expect((await userOf(id)).email).toBe(wanted.emails[0]?.value)
    expect(await found(`userName eq "${wanted.userName.toLowerCase()}"`)).toEqual([id])
    const again = await provider.send('PUT', `/Users/${id}`, wanted)
    expect(again.body.meta.version).toBe(body.meta.version)
  })

  it.each<[what: string, given: (name: string) => string, asked: (name: string) => string]>([
    ['a blank at the end', (name) => `${name} `, (name) => `${name} `],
    ['a blank at the beginning', (name) => ` ${name}`, (name) => name],
    ['a no-break space and a line break', (name) => `\u00a0${name}\n`, (name) => `${name}\t`],
    ['capitals outside ASCII', (name) => `Äda ${name}`, (name) => `äDA ${name}`],
    ['Greek and Cyrillic capitals', (name) => `ΩΖΣ Ж${name}`, (name) => `ωζσ ж${name}`],
  ])('are found, and taken, whatever their edges and case: %s', async (_, given, asked) => {
    const userName = `login ${serial}`
    const emails = [{ value: a, type: 'work' }]
    const { id } = await provider.add({ userName: given(userName), emails })
    expect(await found(`userName eq "${JSON.stringify(asked(userName)).slice(1, -1)}"`)).toEqual([id])
    const again = await provider.send('POST', '/Users', { userName: asked(userName), emails: [{ value: b }] })
    expect([again.status, again.body.scimType]).toEqual([409, 'uniqueness'])
    const { id: other } = await provider.add({ userName: upn })
    const taken = await provider.patch(`/Users/${other}`, { op: 'replace', path: 'userName', value: asked(userName) })
    expect([taken.status, taken.body.scimType]).toEqual([409, 'uniqueness'])
    const displayName = `Group ${userName}`
    const { body: group } = await provider.send('POST', '/Groups', { displayName: given(displayName) })
    const filter = `displayName eq "${JSON.stringify(asked(displayName)).slice(1, -1)}"`
    const { body } = await provider.send('GET', `/Groups?filter=${encodeURIComponent(filter)}`)
    expect(body.Resources.map((each: { id: string }) => each.id)).toEqual([group.id])
    expect((await provider.send('POST', '/Groups', { displayName: asked(displayName) })).status).toBe(409)
  })

  it.each<[what: string, query: (address: string) => string, isFound: boolean]>([
    ['a plus beside %20', (address) => `filter=userName%20eq%20"${address}"`, true],
    ['the quotes encoded as well', (address) => `count=5&filter=userName%20eq%20%22${address}%22`, true],
    ['in one of two texts', (address) => `filter=active%20eq%20true%20and%20userName%20eq%20%22${address}%22`, true],
    ['encoded as %2B', (address) => `filter=userName+eq+"${address.replace('+', '%2B')}"`, true],
    ['plus signs for blanks', (address) => `filter=userName+eq+"${address}"`, false],
  ])('are found by a query with a plus sign: %s', async (_, query, isFound) => {
    const address = `a+${serial}@example.com`
    const { id } = await provider.add({ userName: address })
    const { body } = await provider.send('GET', `/Users?${query(address)}`)
    expect(body.Resources.map((user: { id: string }) => user.id)).toEqual(isFound ? [id] : [])
  })
})
