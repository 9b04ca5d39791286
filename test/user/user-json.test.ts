import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { FieldOwner, UserRole } from '../../gen/prisma/enums.js'
import { UserService } from '../../gen/svc/v2/user_pb.js'
import { fixture, insertApiKey, insertFixture, insertUser } from '../support/fixture.js'
import { awkwardTexts, pathOf, standardJson } from '../support/printed-lists.js'
import { startTestService, type TestService } from '../support/service.js'

const fields = ['first_name', 'last_name', 'avatar_url', 'timezone', 'locale', 'department', 'job_title']
const governed = [...fields, 'manager', 'primary_phone']
const roles = Object.values(UserRole)
const owners = Object.values(FieldOwner)

// Over JSON users go from the database to the client as text; in binary they are made of messages.
describe('the JSON of a list of users', () => {
  let service: TestService
  let token: string
  const method = UserService.method.listUsers

  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    token = (await insertApiKey(service.database, { organizationId: fixture.acme })).token
    for (const [index, text] of [...awkwardTexts, '', ' padded ', '\u00a0no space\u00a0'].entries()) {
      const owned = governed.flatMap((field, place) => [
        [`${field}_owner`, owners[(index + place) % owners.length]],
        [`${field}_owned_since`, new Date(Date.UTC(2026, 0, index + 1, place, 59, 59, place * 111))],
      ])
      await insertUser(service.database, {
        id: `awkward-${index}`,
        organizationId: fixture.acme,
        email: `o'${index}"\\@example.com`,
        role: roles[index % roles.length] ?? 'ORG_MEMBER',
        columns: {
          ...Object.fromEntries(fields.map((field) => [field, text])),
          ...Object.fromEntries(owned),
          ...(index % 2 === 0 && { manager_user_id: fixture.users.manager, manager_assigned_at: new Date() }),
          ...(index % 2 === 0 && { primary_phone: `+4930123456${index}` }),
          ...(index % 3 === 0 && { deactivated_at: '2026-03-01T00:00:00.5Z' }),
        },
      })
    }
  })
  afterAll(() => service.stop())

  it.each([
    ['all who are active', 0, false],
    ['all', 0, true],
    ['a page of one', 1, true],
    ['a page of some', 9, true],
  ])('is byte for byte that of its messages: %s', async (_, pageSize, includeDeactivated) => {
    const request = { pageSize, includeDeactivated }
    const standard = await standardJson(service, method, { token, request })
    const query = `pageSize=${pageSize}&includeDeactivated=${includeDeactivated}`
    expect((await service.rest('GET', `/v2/users?${query}`, { token })).text).toBe(`${standard}\n`)
    expect((await service.rest('POST', pathOf(method), { token, json: request })).text).toBe(standard)
  })

  it('shows every user as Get does', async () => {
    const { json, text } = await service.rest('GET', '/v2/users?includeDeactivated=true', { token })
    expect(json.data.length).toBe(17)
    const each = await Promise.all(
      json.data.map(async ({ id }: { id: string }) => {
        const { text: one } = await service.rest('GET', `/v2/users/${id}`, { token })
        return one.slice('{"data":'.length, -2)
      }),
    )
    expect(text).toBe(`{"data":[${each.join(',')}],"nextPageToken":""}\n`)
  })
})
