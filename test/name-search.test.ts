import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { fixture, insertFixture, insertRow, insertUser, insertUserToken } from './support/fixture.js'
import { callMethod, formsOf, protocols, type RequestJson } from './support/method-forms.js'
import { startTestService, type TestService } from './support/service.js'

const { acme, globex, it: team, people, globexIt, users, groups } = fixture

/** A list that is searched by name, and what a row with a name has besides. */
interface SearchedList {
  readonly method: string
  readonly table: string
  readonly columns?: (teamId: string, id: string) => Readonly<Record<string, unknown>>
}

const ofTeam = (teamId: string) => ({ team_id: teamId })
const lists: readonly SearchedList[] = [
  { method: 'ListTeams', table: 'teams' },
  { method: 'ListGroups', table: 'groups' },
  { method: 'ListAccessPolicies', table: 'access_policies', columns: ofTeam },
  { method: 'ListEntityTypes', table: 'entity_types', columns: ofTeam },
  {
    method: 'ListPriorities',
    table: 'priorities',
    columns: (teamId) => ({ team_id: teamId, scoped_id: randomUUID(), priority: 'P1' }),
  },
  {
    method: 'ListApiKeys',
    table: 'api_keys',
    columns: (teamId, id) => ({
      team_id: teamId,
      kind: 'pk',
      secret_hash: createHash('sha256').update(id).digest(),
      chain_id: id,
    }),
  },
  { method: 'ListJourneys', table: 'journeys', columns: ofTeam },
]

const names = ['Béla Kovács’ Büro', 'Kovacs & Sons', 'Straße Nord', 'Backoffice 100%', 'büro']

/** Searches, and which of the names they find, in the order of creation. */
const searches: readonly (readonly [q: string, found: readonly number[]])[] = [
  ['bela k', [0]],
  ['K. BÉLA', [0]],
  ['buro', [0, 4]],
  ['kov', [0, 1]],
  ['sons kovacs', [1]],
  ['strasse n', [2]],
  ['100', [3]],
  ['ovacs', []],
  ['office', []],
  ['%', []],
  ['_', []],
  ['nobody', []],
]

let service: TestService
const tokens: Record<string, string> = {}

beforeAll(async () => {
  service = await startTestService()
  const { database } = service
  await insertFixture(database)
  for (const { table, columns = () => ({}) } of lists) {
    for (const [index, name] of names.entries()) {
      const row = { id: randomUUID(), organization_id: acme, name }
      await insertRow(database, table, { ...row, ...columns(index === 1 ? people : team, row.id) })
    }
    const other = { id: randomUUID(), organization_id: globex, name: 'Kovacs of Globex' }
    await insertRow(database, table, { ...other, ...columns(globexIt, other.id) })
  }
  for (const id of ['admin', 'manager'] as const) {
    tokens[id] = await insertUserToken(database, { userId: users[id], organizationId: acme })
  }
})
afterAll(() => service.stop())

describe.each(protocols)('over %s', (protocol) => {
  const callOf = (method: string) => (request: RequestJson, who: string) =>
    callMethod(service, formsOf(method), { protocol, request, token: tokens[who] })

  describe.each(lists)('$method', ({ method, columns }) => {
    const call = callOf(method)
    const found = async (request: RequestJson, who = 'admin') => {
      const all: string[] = []
      for (let pageToken: string | undefined = ''; pageToken !== undefined; ) {
        const { status, answer } = await call({ ...request, pageToken }, who)
        expect([status, answer.text]).toEqual([200, answer.text])
        all.push(...answer.json.data.map(({ name }: { name: string }) => name))
        pageToken = answer.json.nextPageToken || undefined
      }
      return all
    }

    it.each(searches)('finds by %j each word by its beginning, page by page', async (q, indexes) => {
      const expected = indexes.map((index) => names[index])
      expect(await found({ q })).toEqual(expected)
      expect(await found({ q, pageSize: 1 })).toEqual(expected)
    })

    it('lists everything without words, and counts what is found', async () => {
      expect(await found({ q: '' })).toEqual(await found({}))
      expect((await call({ q: 'kov', pageSize: 1, includeTotal: true }, 'admin')).answer.json.totalSize).toBe(2)
    })

    it('finds only what the caller may see', async () => {
      expect(await found({ q: 'kov' }, 'manager')).toEqual(columns === undefined ? [] : ['Béla Kovács’ Büro'])
    })

    it('binds a page token to what was searched', async () => {
      const { nextPageToken } = (await call({ q: 'kov', pageSize: 1 }, 'admin')).answer.json
      for (const q of ['kova', '']) {
        const refused = await call({ q, pageSize: 1, pageToken: nextPageToken }, 'admin')
        expect(refused).toMatchObject({ status: 400, reason: 'PAGE_TOKEN_INVALID' })
      }
    })

    it('takes at most 64 characters', async () => {
      expect(await call({ q: 'x'.repeat(65) }, 'admin')).toMatchObject({ status: 400, fields: ['q'] })
    })
  })

  describe('the members of a group and of a team', () => {
    const members = [
      ['m1', 'Zoë', 'Quist', 'zoe@example.org'],
      ['m2', 'Bob', 'Quist', 'bob@globex.example'],
      ['m3', '', '', 'quist.office@example.org'],
    ] as const
    const lists = [
      ['ListGroupMembers', { groupId: groups.it }],
      ['ListTeamMembers', { teamId: team }],
      ['ListTeamMembers', { teamId: '-' }],
    ] as const

    beforeAll(async () => {
      const { database } = service
      for (const [id, firstName, lastName, email] of members) {
        const userId = `${protocol}-${id}`
        await insertUser(database, {
          id: userId,
          organizationId: acme,
          email: `${protocol}-${email}`,
          teamRoles: { [team]: 'VIEWER' },
        })
        await database.execute('UPDATE memberships SET first_name = $2, last_name = $3 WHERE user_id = $1', [
          userId,
          firstName,
          lastName,
        ])
        const place = { organization_id: acme, group_id: groups.it, user_id: userId, position: Number(id.slice(1)) }
        await insertRow(database, 'group_members', {
          ...place,
          position: place.position + (protocol === 'REST' ? 0 : 10),
        })
      }
    })

    it.each(lists)('%s of %j finds by name and address', async (method, of) => {
      const call = callOf(method)
      const found = async (q: string, more: RequestJson = {}) => {
        const { status, answer } = await call({ ...of, q, ...more }, 'admin')
        expect([status, answer.text]).toEqual([200, answer.text])
        return answer.json.data.map(({ userId }: { userId: string }) => userId)
      }
      expect(await found(`${protocol} quist`)).toEqual(members.map(([id]) => `${protocol}-${id}`))
      expect(await found(`ZOE q ${protocol}`)).toEqual([`${protocol}-m1`])
      expect(await found(`${protocol} globex.example`)).toEqual([`${protocol}-m2`])
      expect(await found('uist')).toEqual([])
      expect(await found('%')).toEqual([])
      expect(await found('')).toEqual(
        (await call(of, 'admin')).answer.json.data.map(({ userId }: { userId: string }) => userId),
      )
      const { nextPageToken, totalSize } = (
        await call({ ...of, q: `${protocol} quist`, pageSize: 2, includeTotal: true }, 'admin')
      ).answer.json
      expect(totalSize).toBe(3)
      expect(await found(`${protocol} quist`, { pageSize: 2, pageToken: nextPageToken })).toEqual([`${protocol}-m3`])
      expect(await call({ ...of, q: 'other', pageSize: 2, pageToken: nextPageToken }, 'admin')).toMatchObject({
        status: 400,
        reason: 'PAGE_TOKEN_INVALID',
      })
    })
  })
})
