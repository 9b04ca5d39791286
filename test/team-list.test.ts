import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Permission } from '../src/domain/caller/caller.js'
import {
  fixture,
  insertApiKey,
  insertFixture,
  insertRow,
  insertUserToken,
  shareAppInstance,
} from './support/fixture.js'
import { callMethod, formsOf, protocols, type RequestJson } from './support/method-forms.js'
import { startTestService, type TestService } from './support/service.js'

const { acme, it: team, people, globexIt, users } = fixture

/** A list that can be read across teams: what belongs to it, and where that has its name. */
interface TeamList {
  readonly method: string
  readonly table: string
  readonly name: string
  readonly permission: Permission
  /** What else a row needs in a team of the fixture. */
  readonly columns: (of: 'it' | 'people') => Readonly<Record<string, unknown>>
}

const lists: readonly TeamList[] = [
  {
    method: 'ListAppInstances',
    table: 'app_instances',
    name: 'name',
    permission: 'apps:read',
    columns: () => ({}),
  },
  {
    method: 'ListSlaDefinitions',
    table: 'sla_definitions',
    name: 'name',
    permission: 'tickets:read',
    columns: () => ({ target_duration_seconds: 60, starting_point: 'TICKET_CREATED', metric: 'RESOLUTION' }),
  },
  {
    method: 'ListEntityIngestionConfigs',
    table: 'entity_ingestion_configs',
    name: 'service_name',
    permission: 'entities:read',
    columns: (of) => ({
      app_instance_id: fixture.appInstances[of],
      internal_entity_type_id: fixture.entityTypes[of],
    }),
  },
]

/** Objects by their ids: the team in which they are and, where it is another, their name, in the order of creation. */
const named: readonly (readonly [id: string, of: 'it' | 'people', name?: string])[] = [
  ['Forge', 'it'],
  ['forest', 'people'],
  ['Forum', 'it'],
  ['percent', 'it', '100%'],
  ['1000', 'people'],
  ['FORGE-2', 'people'],
]

let service: TestService
const tokens: Record<string, string> = {}

beforeAll(async () => {
  service = await startTestService()
  const { database } = service
  await insertFixture(database)
  for (const { table, name, columns } of lists) {
    for (const [id, of, text = id] of named) {
      const owner = { organization_id: acme, team_id: of === 'it' ? team : people }
      await insertRow(database, table, { id, ...owner, [name]: text, ...columns(of) })
    }
  }
  await shareAppInstance(database, 'forest', team)
  for (const id of ['admin', 'viewer', 'both', 'globexAdmin'] as const) {
    const organizationId = id === 'globexAdmin' ? fixture.globex : acme
    tokens[id] = await insertUserToken(database, { userId: users[id], organizationId })
  }
  const key = { organizationId: acme, permissions: lists.map(({ permission }) => permission) }
  tokens['an API key'] = (await insertApiKey(database, key)).token
  tokens["a connected app's key of a team"] = (await insertApiKey(database, { ...key, teamId: team })).token
  tokens["a team's worker"] = (await insertApiKey(database, { ...key, teamId: team, kind: 'wk' })).token
  const without = { organizationId: acme, permissions: ['users:read'] as const }
  tokens['a key without permission'] = (await insertApiKey(database, without)).token
})
afterAll(() => service.stop())

interface Item {
  readonly id: string
  readonly teamId: string
}

describe.each(lists)('$method', ({ method, table }) => {
  const isShareable = table === 'app_instances'

  describe.each(protocols)('over %s', (protocol) => {
    const call = (request: RequestJson, who = 'admin') =>
      callMethod(service, formsOf(method), { protocol, request, token: tokens[who] })
    const pagesOf = async (request: RequestJson, who?: string) => {
      const pages: Item[][] = []
      let pageToken = ''
      do {
        const { status, answer } = await call({ teamId: '-', pageSize: 2, pageToken, ...request }, who)
        expect([status, answer.text]).toEqual([200, answer.text])
        pages.push(answer.json.data)
        pageToken = answer.json.nextPageToken
      } while (pageToken !== '')
      return pages
    }
    const idsOf = async (request: RequestJson, who?: string) => (await pagesOf(request, who)).flat().map(({ id }) => id)
    const ofTeam = async (teamId: string): Promise<Item[]> => (await call({ teamId })).answer.json.data

    it('lists with - what the lists of all teams have, each once, in the order of creation, page by page', async () => {
      const own = [...(await ofTeam(team)), ...(await ofTeam(people))]
      const pages = await pagesOf({}, 'an API key')
      expect(pages.slice(0, -1).map((page) => page.length)).toEqual(pages.slice(1).map(() => 2))
      const all = pages.flat()
      expect(all.map(({ id }) => id)).toEqual([...new Set(all.map(({ id }) => id))])
      expect(all).toEqual(expect.arrayContaining(own))
      expect(all).toHaveLength(new Set(own.map(({ id }) => id)).size)
      const order = await service.database.query<Item>(
        `SELECT id FROM ${table} WHERE organization_id = $1 ORDER BY ordinal`,
        [acme],
      )
      expect(all.map(({ id }) => id)).toEqual(order.map(({ id }) => id))
      expect((await pagesOf({ pageSize: 0 }, 'both')).flat()).toEqual(all)
    })

    it.each(['viewer', "a connected app's key of a team", "a team's worker"])(
      'lists with - for %s what the list of the one team has, and finds nothing else',
      async (who) => {
        const own = await ofTeam(team)
        expect((await pagesOf({}, who)).flat()).toEqual(own)
        const found = isShareable ? ['Forge', 'forest', 'Forum'] : ['Forge', 'Forum']
        expect(await idsOf({ q: 'fo' }, who)).toEqual(found)
        // A name that another team or organization has is as one that nobody has.
        const nothing = await call({ teamId: '-', q: 'nobody has this' }, who)
        expect(nothing.answer.json).toEqual({ data: [], nextPageToken: '' })
        expect((await call({ teamId: '-', q: 'FORGE-2' }, who)).answer.text).toBe(nothing.answer.text)
        for (const teamId of [people, globexIt, 'nowhere']) {
          const hidden = {
            status: 404,
            reason: 'RESOURCE_NOT_FOUND',
            metadata: { resourceType: 'team', resourceId: teamId },
          }
          expect(await call({ teamId, q: 'Forge-2' }, who)).toMatchObject(hidden)
        }
      },
    )

    it('finds by the beginnings of words of a name, in the order of creation, in a team and in every team', async () => {
      expect(await idsOf({ q: 'FORGE' })).toEqual(['Forge', 'FORGE-2'])
      expect(await idsOf({ q: 'fo' })).toEqual(['Forge', 'forest', 'Forum', 'FORGE-2'])
      expect(await idsOf({ q: '2 FO' })).toEqual(['FORGE-2'])
      expect(await idsOf({ q: 'fo', teamId: people })).toEqual(['forest', 'FORGE-2'])
      expect(await idsOf({ q: 'fo', teamId: team })).toEqual([
        ...(isShareable ? ['Forge', 'forest', 'Forum'] : ['Forge', 'Forum']),
      ])
      expect(await idsOf({ q: 'orge' })).toEqual([])
      expect(await idsOf({ q: '100%' })).toEqual(['percent', '1000'])
      expect(await idsOf({ q: '_' })).toEqual([])
      expect(await idsOf({ q: 'fo' }, 'globexAdmin')).toEqual([])
    })

    it('accepts a token only with the request that it was issued for', async () => {
      const tokenOf = async (request: RequestJson) =>
        (await call({ pageSize: 1, ...request })).answer.json.nextPageToken
      const issued = { teamId: '-', q: 'fo', pageToken: await tokenOf({ teamId: '-', q: 'fo' }) }
      expect((await call({ ...issued, pageSize: 5 })).status).toBe(200)
      for (const other of [{ q: 'for' }, { q: '' }, { teamId: team }, { teamId: people, q: '' }]) {
        expect((await call({ ...issued, ...other })).reason).toBe('PAGE_TOKEN_INVALID')
      }
      expect((await call(issued, 'globexAdmin')).reason).toBe('PAGE_TOKEN_INVALID')
      for (const teamId of ['-', people]) {
        const pageToken = await tokenOf({ teamId })
        expect((await call({ teamId: team, pageToken })).reason).toBe('PAGE_TOKEN_INVALID')
      }
      for (const { method: another } of lists.filter((list) => list.method !== method)) {
        const request = { ...issued, pageSize: 1 }
        const elsewhere = await callMethod(service, formsOf(another), { protocol, request, token: tokens['admin'] })
        expect(elsewhere.reason).toBe('PAGE_TOKEN_INVALID')
      }
    })

    // The path of the others has a team.
    if (table !== 'sla_definitions')
      it('requires the team from callers that reach several, and infers it for others', async () => {
        for (const who of ['admin', 'both', 'an API key']) {
          const required = { status: 400, code: 'invalid_argument', reason: 'TEAM_REQUIRED', fields: ['teamId'] }
          expect(await call({}, who)).toMatchObject(required)
        }
        for (const who of ['viewer', "a connected app's key of a team", "a team's worker"]) {
          const { data } = (await call({}, who)).answer.json
          expect(data).toContainEqual(expect.objectContaining({ id: 'Forge' }))
          expect(data).toEqual((await call({ teamId: team }, who)).answer.json.data)
        }
      })

    it('refuses a caller without the permission, and requests that break the limits', async () => {
      const refused = await call({ teamId: '-', q: 'Forge' }, 'a key without permission')
      expect([refused.status, refused.reason]).toEqual([403, 'PERMISSION_MISSING'])
      expect(await call({ teamId: globexIt, q: 'Forge' })).toMatchObject({ status: 404 })
      expect(await call({ teamId: '-', pageSize: -1 })).toMatchObject({ status: 400, fields: ['pageSize'] })
      expect(await call({ teamId: '-', q: 'x'.repeat(65) })).toMatchObject({ status: 400, fields: ['q'] })
    })

    it('lists a team as before unless a page is asked for', async () => {
      const { answer } = await call({ teamId: people })
      const ids = answer.json.data.map(({ id }: Item) => id)
      expect(Object.keys(answer.json)).toEqual(isShareable ? ['data', 'nextPageToken'] : ['data'])
      expect(ids.slice(-3)).toEqual(['forest', '1000', 'FORGE-2'])
      expect(await idsOf({ teamId: people })).toEqual(ids)
    })
  })
})

describe.each(protocols)('ingestion configs of an app instance, over %s', (protocol) => {
  const method = formsOf('ListEntityIngestionConfigs')
  const idsOf = async (request: RequestJson, who: string) => {
    const { answer } = await callMethod(service, method, { protocol, request, token: tokens[who] })
    return answer.json.data.map(({ id }: Item) => id)
  }

  it('are found across teams, where the caller sees the app instance', async () => {
    const { it: own, people: foreign, shared } = fixture.appInstances
    const across = { teamId: '-', q: 'for' }
    expect(await idsOf({ ...across, appInstanceId: own }, 'both')).toEqual(['Forge', 'Forum'])
    expect(await idsOf({ ...across, appInstanceId: foreign }, 'admin')).toEqual(['forest', 'FORGE-2'])
    expect(await idsOf({ ...across, appInstanceId: foreign }, 'viewer')).toEqual([])
    expect(await idsOf({ ...across, appInstanceId: 'nowhere' }, 'admin')).toEqual([])
    const { database } = service
    const key = { organization_id: acme, team_id: team, internal_entity_type_id: fixture.entityTypes.it }
    const configs = { shared, hidden: foreign }
    for (const [id, appInstanceId] of Object.entries(configs)) {
      await insertRow(database, 'entity_ingestion_configs', { id, ...key, app_instance_id: appInstanceId })
      const request = { teamId: '-', appInstanceId }
      expect(await idsOf(request, 'viewer')).toEqual(id === 'shared' ? ['shared'] : [])
      expect(await idsOf({ teamId: team, appInstanceId }, 'viewer')).toEqual(id === 'shared' ? ['shared'] : [])
    }
    await database.execute('DELETE FROM entity_ingestion_configs WHERE id = ANY ($1)', [Object.keys(configs)])
  })
})
