import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { fixture, insertFixture } from '../support/fixture.js'
import { connectDirectory, ENTERPRISE, ownersOf, type ScimClient } from '../support/scim.js'
import { dialectRows, dialectUser } from '../support/scim-dialects.js'
import { startTestService, type TestService } from '../support/service.js'

const { users } = fixture
const rows = dialectRows('', '').map(({ provider, shape }, index) => [provider, shape, index] as const)

describe('what identity providers send', () => {
  let service: TestService
  let provider: ScimClient
  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    provider = await connectDirectory(service)
  })
  afterAll(() => service.stop())

  it.each(rows)('%s: %s', async (_provider, _shape, index) => {
    const name = `ada.${index}@example.com`
    const { id } = await provider.add(dialectUser(name))
    const row = dialectRows(name, users.manager)[index]
    if (row === undefined) throw new Error('the row is not there')
    const { patch, put, expected, locked } = row
    const answer =
      put === undefined
        ? await provider.patch(`/Users/${id}`, ...(patch ?? []))
        : await provider.send('PUT', `/Users/${id}`, put)
    expect([answer.status, answer.body]).toEqual([200, expect.anything()])
    const { body } = await provider.send('GET', `/Users/${id}`)
    expect(body).toEqual({ ...answer.body, ...withNames(body) })
    expectIn(body, expected)
    if (locked !== undefined) expect(Object.keys(ownersOf(body)).sort()).toEqual([...locked].sort())
    await service.database.execute('UPDATE memberships SET primary_phone = NULL WHERE user_id = $1', [id])
  })

  it('Okta: a person who comes back is restored under the same id, with the old externalId', async () => {
    const person = dialectUser('back@example.com')
    const { id } = await provider.add(person)
    await provider.patch(`/Users/${id}`, { op: 'replace', value: { active: false } })
    const { status, body } = await provider.send('POST', '/Users', { ...person, title: 'Countess' })
    expect([status, body.id, body.active, body.title]).toEqual([201, id, true, 'Countess'])
  })

  it('Microsoft Entra: a change of the name by which it finds users does not change their addresses', async () => {
    const { id } = await provider.add({
      userName: 'upn@example.com',
      emails: [{ type: 'work', value: 'mail@example.com' }],
    })
    const { body } = await provider.patch(`/Users/${id}`, {
      op: 'Replace',
      path: 'userName',
      value: 'upn2@example.com',
    })
    expect([body.userName, body.emails[0].value]).toEqual(['upn2@example.com', 'mail@example.com'])
  })
})

/** The name of a manager who has just been assigned is only in the answers after that. */
// biome-ignore lint/suspicious/noExplicitAny: bodies have every shape.
function withNames(body: any): object {
  return body[ENTERPRISE]?.manager === undefined ? {} : { [ENTERPRISE]: body[ENTERPRISE] }
}

/** Expects what is named; `null` stands for what must not be there. */
// biome-ignore lint/suspicious/noExplicitAny: bodies have every shape.
function expectIn(held: any, expected: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(expected)) {
    const isPart = typeof value === 'object' && value !== null && !Array.isArray(value)
    if (isPart) expectIn(held[name], value as Readonly<Record<string, unknown>>)
    else expect([name, held[name]]).toEqual([name, value ?? undefined])
  }
}
