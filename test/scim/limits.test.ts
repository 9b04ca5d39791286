import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { insertFixture } from '../support/fixture.js'
import { connectDirectory, type ScimClient } from '../support/scim.js'
import { startTestService, type TestService } from '../support/service.js'

/** Characters that no compression shortens. */
const characters = (count: number) =>
  String.fromCodePoint(...Array.from({ length: count }, (_, index) => 0x4e00 + ((index * 7_919) % 20_000)))

describe('the limits on values from a directory', () => {
  let service: TestService
  let okta: ScimClient
  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    okta = await connectDirectory(service)
  })
  afterAll(() => service.stop())

  const refused = async (method: string, path: string, body: object) => {
    const { status, body: answer } = await okta.send(method, path, body)
    return [status, answer.scimType, answer.detail]
  }
  const tooLong = (name: string) => [400, 'invalidValue', `${name} must have at most 1024 bytes in UTF-8`]

  it.each(['userName', 'externalId'])("keep a user's %s short enough for its index", async (name) => {
    const user = { userName: `of.${name}@example.com`, emails: [{ type: 'work', value: `of.${name}@example.com` }] }
    expect(await refused('POST', '/Users', { ...user, [name]: characters(2_000) })).toEqual(tooLong(name))
    const { id } = await okta.add({ ...user, [name]: characters(341) })
    const { status, body } = await okta.patch(`/Users/${id}`, { op: 'replace', path: name, value: characters(342) })
    expect([status, body.scimType, body.detail]).toEqual(tooLong(name))
  })

  it("leave a user's displayName out that is too long for its index", async () => {
    const userName = 'of.displayname@example.com'
    const { id, displayName } = await okta.add({ userName, displayName: characters(2_000) })
    expect(displayName).toBeUndefined()
    const patch = (count: number) =>
      okta.patch(`/Users/${id}`, { op: 'replace', path: 'displayName', value: characters(count) })
    expect((await patch(341)).body.displayName).toBe(characters(341))
    expect((await patch(342)).body.displayName).toBe(characters(341))
  })

  it.each(['externalId', 'displayName'])("keep a group's %s short enough for its index", async (name) => {
    const group = { displayName: `Group of ${name}` }
    expect(await refused('POST', '/Groups', { ...group, [name]: characters(2_000) })).toEqual(tooLong(name))
  })

  it('count the resulting entries, not those of each operation', async () => {
    const { id } = await okta.add({ userName: 'entries@example.com' })
    const entries = (from: number) =>
      Array.from({ length: 60 }, (_, index) => ({ value: `${from + index}@example.com`, type: 'other' }))
    const operations = [0, 60].map((from) => ({ op: 'add', path: 'emails', value: entries(from) }))
    const { status, body } = await okta.patch(`/Users/${id}`, ...operations)
    expect([status, body.detail]).toEqual([400, 'emails can have at most 100 values'])
  })

  it('bound the stored attributes of a user in bytes', async () => {
    const emails = Array.from({ length: 100 }, (_, index) => ({ value: `${index}${'e'.repeat(1_000)}`, type: 'other' }))
    const [status, scimType, detail] = await refused('POST', '/Users', { userName: 'large@example.com', emails })
    expect([status, scimType]).toEqual([400, 'invalidValue'])
    expect(detail).toBe('the attributes of a user can have at most 65536 bytes of JSON')
  })
})
