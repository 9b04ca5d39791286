import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { fixture, insertFixture, insertUserToken } from '../support/fixture.js'
import { connectDirectory, type ScimClient } from '../support/scim.js'
import { startTestService, type TestService } from '../support/service.js'

describe('a person who comes back', () => {
  let service: TestService
  let provider: ScimClient
  let admin: string
  let serial = 0
  let name: string
  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    provider = await connectDirectory(service)
    admin = await insertUserToken(service.database, { userId: fixture.users.admin })
  })
  afterAll(() => service.stop())
  beforeEach(() => {
    serial += 1
    name = `back.${serial}@example.com`
  })

  const addressOf = async (id: string) =>
    (await service.rest('GET', `/v2/users/${id}`, { token: admin })).json.data.email as string
  const work = (value: string) => [{ value, type: 'work', primary: true }]

  it.each<[by: string, before: () => object, after: () => object]>([
    ['the userName', () => ({ userName: name }), () => ({ userName: name, externalId: 'new' })],
    [
      'the userName in capitals',
      () => ({ userName: name }),
      () => ({ userName: name.toUpperCase(), externalId: 'new' }),
    ],
    [
      'a userName that is no address, in another case',
      () => ({ userName: `Äda${serial}`, emails: work(name) }),
      () => ({ userName: `äDA${serial}`, externalId: 'new', emails: work(`x.${name}`) }),
    ],
    [
      'the address',
      () => ({ userName: `upn${serial}`, emails: work(name) }),
      () => ({ userName: `other${serial}`, externalId: 'new', emails: work(name) }),
    ],
    [
      'the address as userName',
      () => ({ userName: `upn${serial}`, emails: work(name) }),
      () => ({ userName: name, externalId: 'new' }),
    ],
    [
      'the externalId',
      () => ({ userName: name }),
      () => ({ userName: `new.${name}`, externalId: `ext-${serial}`, emails: work(`new.${name}`) }),
    ],
  ])('after a deletion has the same id, and the externalId of the request: %s', async (_, before, after) => {
    const { id } = await provider.add({ externalId: `ext-${serial}`, ...before() })
    await provider.send('DELETE', `/Users/${id}`)
    const wanted = after() as { userName: string; externalId: string }
    const externalId = wanted.externalId === 'new' ? `new-${serial}` : wanted.externalId
    const { status, body } = await provider.send('POST', '/Users', { ...wanted, externalId })
    expect([status, body.id, body.externalId, body.userName, body.active]).toEqual([
      201,
      id,
      externalId,
      wanted.userName,
      true,
    ])
    expect((await provider.send('POST', '/Users', { ...wanted, externalId })).status).toBe(409)
  })

  it('after a deactivation needs the same externalId, or none', async () => {
    const { id } = await provider.add({ userName: name, externalId: `ext-${serial}`, active: false })
    const other = await provider.send('POST', '/Users', { userName: name, externalId: 'of-another-provider' })
    expect([other.status, other.body.scimType]).toEqual([409, 'uniqueness'])
    const { status, body } = await provider.send('POST', '/Users', { userName: name })
    expect([status, body.id, body.externalId]).toEqual([201, id, `ext-${serial}`])
  })

  it.each<[how: string, take: (id: string) => Promise<{ status: number }>]>([
    ['PATCH of userName', (id) => provider.patch(`/Users/${id}`, { op: 'replace', path: 'userName', value: name })],
    [
      'PATCH of the address',
      (id) => provider.patch(`/Users/${id}`, { op: 'replace', path: 'emails[type eq "work"].value', value: name }),
    ],
    [
      'PUT with the externalId as well',
      (id) => provider.send('PUT', `/Users/${id}`, { userName: name, externalId: `gone-${serial}` }),
    ],
  ])('gives up the names that another user gets meanwhile: %s', async (_, take) => {
    const { id: gone } = await provider.add({ userName: name, externalId: `gone-${serial}` })
    await provider.send('DELETE', `/Users/${gone}`)
    const { id } = await provider.add({ userName: `heir.${name}`, emails: work(`heir.${name}`) })
    expect((await take(id)).status).toBe(200)
    expect([await addressOf(id), await addressOf(gone)]).toEqual([name, expect.stringMatching(/@deleted\.invalid$/)])
    expect((await provider.send('GET', `/Users/${gone}`)).status).toBe(404)
    const heir = await provider.send('GET', `/Users/${id}`)
    const again = { userName: `again.${name}`, externalId: heir.body.externalId ? `other-${serial}` : `gone-${serial}` }
    const { status, body } = await provider.send('POST', '/Users', again)
    expect([status, body.id === gone]).toEqual([201, heir.body.externalId === undefined])
  })

  it('is one of several who had the names, of whom the others give them up', async () => {
    const { id: first } = await provider.add({ userName: name, externalId: `a-${serial}` })
    const { id: second } = await provider.add({ userName: `b.${name}`, externalId: `b-${serial}` })
    for (const id of [first, second]) await provider.send('DELETE', `/Users/${id}`)
    const { status, body } = await provider.send('POST', '/Users', { userName: name, externalId: `b-${serial}` })
    expect([status, body.id, await addressOf(second)]).toEqual([201, second, name])
  })

  it('does not take the names of an active or a deactivated user', async () => {
    const { id } = await provider.add({ userName: name, active: false })
    const { id: other } = await provider.add({ userName: `other.${name}` })
    const answer = await provider.patch(`/Users/${other}`, { op: 'replace', path: 'userName', value: name })
    expect([answer.status, answer.body.scimType, await addressOf(id)]).toEqual([409, 'uniqueness', name])
  })

  describe('of whom Microsoft Entra changes the name when it deletes', () => {
    const renamed = () => `283405f5${serial}${name}`
    it.each<[what: string, emails: () => object, operations: () => object[]]>([
      [
        'in one request',
        () => ({}),
        () => [
          { path: 'active', value: 'False' },
          { path: 'userName', value: renamed() },
        ],
      ],
      [
        'the name first',
        () => ({}),
        () => [
          { path: 'userName', value: renamed() },
          { path: 'active', value: 'False' },
        ],
      ],
      [
        'with an address beside it',
        () => ({ emails: work(name) }),
        () => [
          { path: 'userName', value: renamed() },
          { path: 'active', value: false },
        ],
      ],
    ])('keeps the address: %s', async (_, emails, operations) => {
      const { id } = await provider.add({ userName: name, externalId: `oid-${serial}`, ...emails() })
      const deleted = operations().map((operation) => ({ op: 'Replace', ...operation }))
      const { status, body } = await provider.patch(`/Users/${id}`, ...deleted)
      expect([status, body.userName, body.active, await addressOf(id)]).toEqual([200, renamed(), false, name])
      const restored = await provider.patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'True' })
      expect([restored.status, await addressOf(id)]).toEqual([200, name])
      const named = await provider.patch(`/Users/${id}`, { op: 'Replace', path: 'userName', value: name })
      expect([named.status, named.body.userName, await addressOf(id)]).toEqual([200, name, name])
    })

    it('keeps the address while deactivated, and by PUT', async () => {
      const { id } = await provider.add({ userName: name, externalId: `oid-${serial}` })
      await provider.send('PUT', `/Users/${id}`, { userName: renamed(), active: false })
      await provider.patch(`/Users/${id}`, { op: 'Replace', path: 'userName', value: `2.${renamed()}` })
      expect(await addressOf(id)).toBe(name)
      await provider.send('DELETE', `/Users/${id}`)
      const { status, body } = await provider.send('POST', '/Users', { userName: name, externalId: `new-${serial}` })
      expect([status, body.id, body.userName, await addressOf(id)]).toEqual([201, id, name, name])
    })
  })
})
