import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { takeLocks } from '../../src/store/lock.js'
import { fixture, insertFixture } from '../support/fixture.js'
import { untilLockWaits } from '../support/lock-wait.js'
import { connectDirectory, ENTERPRISE, type ScimClient } from '../support/scim.js'
import { startTestService, type TestService } from '../support/service.js'

const { acme } = fixture

describe('concurrent changes by a directory', () => {
  let service: TestService
  let okta: ScimClient
  let serial = 0
  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    okta = await connectDirectory(service)
  })
  afterAll(() => service.stop())

  const add = async (count: number): Promise<{ id: string; userName: string }[]> => {
    serial += 1
    const names = Array.from({ length: count }, (_, index) => `at.once.${serial}.${index}@example.com`)
    return Promise.all(names.map(async (userName) => ({ id: (await okta.add({ userName })).id, userName })))
  }
  const manage = (id: string, manager: string) =>
    okta.patch(`/Users/${id}`, { op: 'replace', path: `${ENTERPRISE}:manager`, value: { value: manager } })
  const statusesOf = (answers: readonly { status: number }[]) =>
    answers.map(({ status }) => status).sort((one, two) => one - two)

  it('never create a management cycle', async () => {
    for (let round = 0; round < 5; round++) {
      const ring = await add(4)
      const answers = await Promise.all(ring.map(({ id }, index) => manage(id, ring[(index + 1) % 4]?.id ?? '')))
      expect(statusesOf(answers)).toEqual([200, 200, 200, 200])
      expect(answers.filter(({ body }) => body[ENTERPRISE]?.manager !== undefined).length).toBe(3)
    }
  })

  it('give an email address and a phone number to one of many, and refuse the others', async () => {
    const users = await add(6)
    const moved = await Promise.all(
      users.map(({ id }) =>
        okta.patch(`/Users/${id}`, { op: 'replace', path: 'userName', value: `one.${serial}@example.com` }),
      ),
    )
    expect(statusesOf(moved)).toEqual([200, 409, 409, 409, 409, 409])
    const phones = await Promise.all(
      users.map(({ id }) =>
        okta.patch(`/Users/${id}`, { op: 'add', path: 'phoneNumbers[type eq "work"].value', value: '+14155551234' }),
      ),
    )
    expect(statusesOf(phones)).toEqual([200, 200, 200, 200, 200, 200])
    expect(phones.filter(({ body }) => body.phoneNumbers !== undefined).length).toBe(1)
    for (const { body } of moved) expect(body.scimType ?? 'none').toMatch(/^(uniqueness|none)$/)
  })

  it('lose no change to a user, whatever each changes', async () => {
    const [user, one, other] = await add(3)
    const id = user?.id ?? ''
    const changes = [
      ...Array.from({ length: 4 }, (_, index) => ({ op: 'replace', path: 'title', value: `Title ${index}` })),
      { op: 'replace', path: 'userName', value: `kept.${serial}@example.com` },
      { op: 'add', path: 'phoneNumbers[type eq "work"].value', value: '+14155554321' },
      { op: 'replace', path: `${ENTERPRISE}:manager`, value: { value: one?.id } },
      { op: 'replace', path: `${ENTERPRISE}:department`, value: 'Kept' },
      { op: 'replace', path: 'name.givenName', value: 'Kept' },
    ]
    const answers = await Promise.all(changes.map((change) => okta.patch(`/Users/${id}`, change)))
    expect(new Set(statusesOf(answers))).toEqual(new Set([200]))
    expect((await manage(id, other?.id ?? '')).status).toBe(200)
    const { body } = await okta.send('GET', `/Users/${id}`)
    expect(body).toMatchObject({
      userName: `kept.${serial}@example.com`,
      name: { givenName: 'Kept' },
      phoneNumbers: [{ value: '+14155554321' }],
      title: expect.stringMatching(/^Title \d$/),
      [ENTERPRISE]: { department: 'Kept', manager: { value: other?.id } },
    })
  })

  it.each<[string, (user: { id: string; userName: string }) => [path: string, value: unknown]]>([
    ['managers', () => [`${ENTERPRISE}:manager`, { value: fixture.users.manager }]],
    ['the old address', () => ['userName', `new.${serial}@example.com`]],
    ['the new address', () => ['userName', `claimed.${serial}@example.com`]],
    ['a phone number', () => ['phoneNumbers[type eq "work"].value', '+14155559876']],
  ])('wait for a concurrent writer of %s', async (what, changeOf) => {
    const [user = { id: '', userName: '' }] = await add(1)
    const [path, value] = changeOf(user)
    let answer: Promise<{ status: number }> | undefined
    await service.database.transaction(async (transaction) => {
      const address = what === 'the old address' ? user.userName : String(value)
      const lock = { organizationId: acme, value: address }
      if (what === 'managers') await takeLocks(transaction, [{ kind: 'managers', organizationId: acme }])
      else await takeLocks(transaction, [{ kind: what === 'a phone number' ? 'phone' : 'email', ...lock }])
      answer = okta.patch(`/Users/${user.id}`, { op: 'add', path, value })
      await untilLockWaits(service.testDatabase, 1, 'advisory')
    })
    expect((await answer)?.status).toBe(200)
  })
})
