import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { fixture, insertFixture } from '../support/fixture.js'
import { connectDirectory, ENTERPRISE, ownersOf, type ScimClient } from '../support/scim.js'
import { dialectRows, dialectUser } from '../support/scim-dialects.js'
import { startTestService, type TestService } from '../support/service.js'

const { users } = fixture
const MANAGER = users.manager
const rows = dialectRows('', '').map(({ provider, shape }, index) => [provider, shape, index] as const)

describe('the requests of identity providers', () => {
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
    expect(body).toEqual(answer.body)
    expectIn(body, expected)
    if (locked !== undefined) expect(Object.keys(ownersOf(body)).sort()).toEqual([...locked].sort())
    await service.database.execute('UPDATE memberships SET primary_phone = NULL WHERE user_id = $1', [id])
  })

  const asked = { name: 'asked@example.com', group: 'Asked' }
  it.each(lookUps(asked, { user: '', group: '' }).map(([by, what], index) => [by, what, index] as const))(
    'from %s to look up %s return the resource',
    async (_provider, _what, index) => {
      const known = (await provider.send('GET', `/Users?filter=userName eq "${asked.name}"`)).body.Resources[0]
      const user = known ?? (await provider.add({ ...dialectUser(asked.name), ...managedBy(users.manager) }))
      await provider.send('POST', '/Groups', { displayName: asked.group, members: [{ value: user.id }] })
      const { body: groups } = await provider.send('GET', `/Groups?filter=displayName eq "${asked.group}"`)
      const ids = { user: user.id, group: groups.Resources[0].id }
      const [, , path, found] = lookUps(asked, ids)[index] ?? ['', '', '', '']
      const { status, body } = await provider.send('GET', path.replaceAll(' ', '%20').replaceAll('"', '%22'))
      expect([status, body.Resources?.map(({ id }: { id: string }) => id) ?? body.id]).toEqual([
        200,
        found ?? expect.anything(),
      ])
    },
  )

  it('from Okta restore a returning user under the same id, with the old externalId', async () => {
    const person = dialectUser('back@example.com')
    const { id } = await provider.add(person)
    await provider.patch(`/Users/${id}`, { op: 'replace', value: { active: false } })
    const { status, body } = await provider.send('POST', '/Users', { ...person, title: 'Countess' })
    expect([status, body.id, body.active, body.title]).toEqual([201, id, true, 'Countess'])
  })

  it('from Microsoft Entra change the name by which it finds users, and not their addresses', async () => {
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

const managedBy = (value: string) => ({ [ENTERPRISE]: { department: 'Engines', manager: { value } } })

/** The id of what is found, or those of a list; undefined for any. */
type LookUp = readonly [provider: string, what: string, path: string, found: string | readonly string[] | undefined]

/** How providers look for what they have sent, or are about to send. */
function lookUps(
  { name, group }: { readonly name: string; readonly group: string },
  ids: { readonly user: string; readonly group: string },
): readonly LookUp[] {
  const [user, users, groups] = [ids.user, [ids.user], [ids.group]]
  const byName = `/Users?filter=userName eq "${name}"`
  const entra = 'Microsoft Entra'
  return [
    ['Okta', 'a page of users, to test the connection', '/Users?startIndex=1&count=2', undefined],
    ['Okta', 'a user by name, before it is added', `${byName}&startIndex=1&count=100`, users],
    ['Okta', 'a group by name', `/Groups?filter=displayName eq "${group}"&startIndex=1&count=100`, groups],
    [entra, 'an unknown user, to test the connection', '/Users?filter=userName eq "5f1c-nobody"', []],
    [entra, 'a user by the externalId', `/Users?filter=externalId eq "ext-${name}"`, users],
    [entra, 'a user by the address of work', `/Users?filter=emails[type eq "work"].value eq "${name}"`, users],
    [entra, 'a user by the manager', `/Users?filter=id eq "${user}" and manager eq "${MANAGER}"&attributes=id`, users],
    [
      entra,
      'a group without its members',
      `/Groups?excludedAttributes=members&filter=displayName eq "${group}"`,
      groups,
    ],
    [entra, 'a group by its id, without its members', `/Groups/${ids.group}?excludedAttributes=members`, ids.group],
    [entra, 'a member', `/Groups?filter=id eq "${ids.group}" and members eq "${user}"&attributes=id`, groups],
    ['Google', 'a user by name', `${byName}&startIndex=1`, users],
    ['Google', 'a user by the id', `/Users/${user}`, user],
    ['JumpCloud', 'a page of users, to test the connection', '/Users?startIndex=1&count=1', undefined],
    ['JumpCloud', 'a user by name', `${byName}&startIndex=1&count=100`, users],
    ['JumpCloud', 'a group by name', `/Groups?filter=displayName eq "${group}"`, groups],
    ['OneLogin', 'a user by name', byName, users],
    ['OneLogin', 'a user by any address', `/Users?filter=emails.value eq "${name}"`, users],
    ['OneLogin', 'all groups', '/Groups', undefined],
  ]
}

/** Expects what is named; `null` stands for what must not be there. */
// biome-ignore lint/suspicious/noExplicitAny: bodies have every shape.
function expectIn(body: any, expected: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(expected)) {
    const isPart = typeof value === 'object' && value !== null && !Array.isArray(value)
    if (isPart) expectIn(body[name], value as Readonly<Record<string, unknown>>)
    else expect([name, body[name]]).toEqual([name, value ?? undefined])
  }
}
