import { beforeAll, describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { governedFields } from '../../src/domain/profile/field-ownership.js'
import { fixture, insertApiKey, insertUser } from '../support/fixture.js'
import { protocols, type RequestJson } from '../support/method-forms.js'
import { field, service, updatesOver, useUsers } from '../support/users.js'

useUsers()

const organizationId = 'searched'
const owners = ['AUTOMATION', 'PINNED', 'DIRECTORY'] as const
const names = ['', 'Ada', 'adam', 'Ånne', 'B_b', 'B%b', 'Bob'] as const

/** A member as the table has it, without what every member has. */
interface Row {
  readonly id: string
  readonly email: string
  readonly first: string
  readonly last: string
  readonly department: string
  readonly role: 'ORG_MEMBER' | 'ORG_GUEST'
  readonly manager: string
  readonly isDeactivated: boolean
  readonly owner: (typeof owners)[number]
}

const rows: readonly Row[] = Array.from({ length: 60 }, (_, n) => ({
  id: `s-${n}`,
  email: n % 7 === 0 ? `Bob.${n}@example.com` : `person${n}@example.com`,
  first: names[n % names.length] ?? '',
  last: names[(n * 3) % names.length] ?? '',
  department: n % 4 === 0 ? 'Für R&D' : n % 4 === 1 ? 'SALES' : 'Sales',
  role: n % 5 === 0 ? 'ORG_GUEST' : 'ORG_MEMBER',
  manager: n % 6 === 1 ? 's-0' : '',
  isDeactivated: n % 3 === 0,
  owner: owners[n % 3] ?? 'AUTOMATION',
}))

let token: string
beforeAll(async () => {
  const { database } = service
  await database.execute(`INSERT INTO organizations (id, name) VALUES ('${organizationId}', 'Searched')`)
  for (const { id, email, role, ...row } of rows) {
    const columns = {
      first_name: row.first,
      last_name: row.last,
      department: row.department,
      deactivated_at: row.isDeactivated ? '2026-01-01T00:00:00Z' : null,
      ...(row.manager !== '' && { manager_user_id: row.manager, manager_assigned_at: '2026-01-01T00:00:00Z' }),
      ...Object.fromEntries(governedFields.map((name) => [`${name.toLowerCase()}_owner`, row.owner])),
    }
    await insertUser(database, { id, organizationId, email, role, columns })
  }
  token = (await insertApiKey(database, { organizationId })).token
})

function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  )
}

/** What a department is compared by. */
const plain = (name: string) => name.normalize('NFC').trim().toLowerCase()

/** The filters as the documents describe them, read naively. */
function isWanted(row: Row, filters: RequestJson): boolean {
  const { q = '', department = '', role, managerUserId = '', isDeactivated, includeDeactivated, owner } = filters
  const shown =
    isDeactivated === undefined
      ? includeDeactivated === true || !row.isDeactivated
      : row.isDeactivated === isDeactivated
  const has = wordsOf(`${row.first} ${row.last} ${row.email}`)
  const wanted = wordsOf(String(q))
  return (
    shown &&
    (q === '' || (wanted.length > 0 && wanted.every((word) => has.some((each) => each.startsWith(word))))) &&
    (department === '' || plain(String(department)) === plain(row.department)) &&
    (role === undefined || role === `USER_ROLE_${row.role}`) &&
    (managerUserId === '' || managerUserId === row.manager) &&
    (owner === undefined || owner === `FIELD_OWNER_${row.owner}`)
  )
}

const given = <T>(...values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined })
const filtersOf = fc
  .record({
    q: given('', 'a', 'ADA', 'ada a', 'å', 'b_', '%b', 'bob.', 'person1', 'com adam', 'nobody', '%'),
    department: given('Für R&D', 'FU\u0308R r&d', 'Sales', ' sales ', 'R&D'),
    role: given('USER_ROLE_ORG_GUEST', 'USER_ROLE_ORG_MEMBER'),
    managerUserId: given('s-0', 's-1', 'nobody'),
    isDeactivated: given(true, false),
    includeDeactivated: given(true, false),
    owned: given(...governedFields.flatMap((name) => owners.map((owner) => ({ name, owner })))),
  })
  .map(({ owned, ...filters }): RequestJson => {
    const both = owned && { field: field(owned.name), owner: `FIELD_OWNER_${owned.owner}` }
    return Object.fromEntries(Object.entries({ ...filters, ...both }).filter(([, value]) => value !== undefined))
  })

describe.each(protocols)('a list of users over %s', (protocol) => {
  const { call } = updatesOver(protocol)
  const list = (request: RequestJson, by = token) => call('listUsers', request, by)

  it('has exactly the users that all filters match, page by page, and their number', async () => {
    await fc.assert(
      fc.asyncProperty(filtersOf, fc.constantFrom(7, 100), async (filters, pageSize) => {
        const wanted = rows.filter((row) => isWanted(row, filters)).map(({ id }) => id)
        const seen: string[] = []
        for (let pageToken = ''; ; ) {
          const { answer } = await list({ ...filters, pageSize, pageToken, includeTotal: true })
          expect([answer.status, answer.json.totalSize]).toEqual([200, wanted.length])
          expect(answer.json.data.length).toBeLessThanOrEqual(pageSize)
          seen.push(...answer.json.data.map(({ id }: { id: string }) => id))
          pageToken = answer.json.nextPageToken
          if (pageToken === '') break
        }
        expect(seen).toEqual(wanted)
      }),
      { numRuns: 40 },
    )
  })

  it('has its total only on request, and accepts a page token only with its filters', async () => {
    const { answer } = await list({ department: 'Sales', pageSize: 1 })
    expect(answer.json).not.toHaveProperty('totalSize')
    const { nextPageToken: pageToken } = answer.json
    for (const filters of [{}, { q: 'a' }, { department: 'Für R&D' }, { department: 'Sales', isDeactivated: true }]) {
      expect((await list({ ...filters, pageSize: 1, pageToken })).reason).toBe('PAGE_TOKEN_INVALID')
    }
    expect(
      (await list({ department: 'Sales', includeDeactivated: true, isDeactivated: false, pageToken })).status,
    ).toBe(200)
  })

  it('of a field needs its owner, and the reverse', async () => {
    for (const [request, missing] of [
      [{ field: field('MANAGER') }, 'owner'],
      [{ owner: 'FIELD_OWNER_PINNED' }, 'field'],
    ] as const) {
      const { status, reason, fields } = await list(request)
      expect([status, reason, fields]).toEqual([400, 'FIELD_REQUIRED', [missing]])
    }
  })

  it('never has users of another organization', async () => {
    expect((await list({ q: fixture.users.globexAdmin, includeTotal: true })).answer.json).toMatchObject({
      data: [],
      totalSize: 0,
    })
  })
})
