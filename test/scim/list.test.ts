import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { fixture, insertFixture } from '../support/fixture.js'
import { connectDirectory, ENTERPRISE, OWNERSHIP, type ScimClient, USER } from '../support/scim.js'
import { startTestService, type TestService } from '../support/service.js'

const SEARCH = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest'
const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

describe('lists of users', () => {
  let service: TestService
  let directory: ScimClient
  const admin = fixture.users.globexAdmin
  /** In the order of creation. */
  const ids: string[] = [admin]

  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    directory = await connectDirectory(service, fixture.globex)
    for (const [index, name] of ['dan', 'ada', 'Cid', 'bob', 'eve', 'fay'].entries()) {
      const user = { userName: `${name}@example.com`, externalId: `ext-${index}`, name: { givenName: name } }
      ids.push((await directory.add({ ...user, ...(index % 2 === 0 && { title: `Title ${9 - index}` }) })).id)
    }
  })
  afterAll(() => service.stop())

  const list = async (query: string) => (await directory.send('GET', `/Users?${query}`)).body
  const idsOf = ({ Resources }: { Resources: readonly { id: string }[] }) => Resources.map(({ id }) => id)

  it.each<[query: string, startIndex: number, places: readonly number[]]>([
    ['', 1, [0, 1, 2, 3, 4, 5, 6]],
    ['count=2', 1, [0, 1]],
    ['startIndex=1&count=2', 1, [0, 1]],
    ['startIndex=3&count=2', 3, [2, 3]],
    ['startIndex=7&count=2', 7, [6]],
    ['startIndex=8&count=2', 8, []],
    ['startIndex=900000000000&count=2', 900_000_000_000, []],
    ['startIndex=0&count=2', 1, [0, 1]],
    ['startIndex=-5&count=2', 1, [0, 1]],
    ['count=0', 1, []],
    ['count=-1', 1, []],
    ['startIndex=3&count=0', 3, []],
    ['count=100000', 1, [0, 1, 2, 3, 4, 5, 6]],
  ])('return the page ?%s', async (query, startIndex, places) => {
    for (const filter of ['', 'userName pr', 'active eq true', 'not (active eq false)', 'userName co "@"']) {
      const page = await list(`${query}${filter === '' ? '' : `&filter=${encodeURIComponent(filter)}`}`)
      expect(page).toMatchObject({ schemas: [LIST], totalResults: 7, startIndex, itemsPerPage: places.length })
      expect(idsOf(page)).toEqual(places.map((place) => ids[place]))
    }
  })

  it.each(['startIndex=one', 'count=1.5', 'count=', 'sortOrder=up', 'startIndex=99999999999999999999'])(
    'refuse ?%s',
    async (query) => {
      const { status, body } = await directory.send('GET', `/Users?${query}`)
      expect([status, body.scimType, body.status]).toEqual([400, 'invalidValue', '400'])
    },
  )

  it('count all matches of the filter, even beyond the page', async () => {
    const filter = encodeURIComponent('externalId sw "ext-"')
    expect(await list(`filter=${filter}&count=2`)).toMatchObject({ totalResults: 6, itemsPerPage: 2 })
    expect(await list(`filter=${filter}&count=0`)).toMatchObject({ totalResults: 6, itemsPerPage: 0 })
    expect(await list(`filter=${filter}&startIndex=6&count=2`)).toMatchObject({ totalResults: 6, itemsPerPage: 1 })
    expect(await list(`filter=${filter}&startIndex=7&count=2`)).toMatchObject({ totalResults: 6, itemsPerPage: 0 })
  })

  it.each<[query: string, places: readonly number[]]>([
    ['sortBy=userName', [2, 4, 3, 1, 5, 6, 0]],
    ['sortBy=USERNAME&sortOrder=Descending', [0, 6, 5, 1, 3, 4, 2]],
    ['sortBy=emails', [2, 4, 3, 1, 5, 6, 0]],
    ['sortBy=emails.value', [2, 4, 3, 1, 5, 6, 0]],
    // Whoever has no title is last, and first if the order is descending.
    ['sortBy=title', [5, 3, 1, 0, 2, 4, 6]],
    ['sortBy=title&sortOrder=descending', [0, 2, 4, 6, 1, 3, 5]],
    ['sortBy=meta.created&sortOrder=ascending&count=1', [0]],
    [`sortBy=${ENTERPRISE}:manager&count=1`, [0]],
    ['sortBy=active&count=1', [0]],
    ['sortBy=nickName', [0, 1, 2, 3, 4, 5, 6]],
    ['sortBy=userName&startIndex=3&count=2', [3, 1]],
    ['sortBy=userName&startIndex=2&count=3&filter=externalId%20pr', [4, 3, 1]],
  ])('are sorted by ?%s', async (query, places) => {
    expect(idsOf(await list(query))).toEqual(places.map((place) => ids[place]))
  })

  it.each(['name', 'unknown', 'meta.location', 'groups.$ref'])('cannot be sorted by %s', async (sortBy) => {
    const { status, body } = await directory.send('GET', `/Users?sortBy=${encodeURIComponent(sortBy)}`)
    expect([status, body.scimType]).toEqual([400, 'invalidPath'])
  })

  it('can be requested in a body', async () => {
    const { status, body } = await directory.send('POST', '/Users/.search', {
      schemas: [SEARCH],
      filter: 'externalId pr',
      sortBy: 'userName',
      sortOrder: 'descending',
      startIndex: 2,
      count: 2,
      attributes: ['userName'],
    })
    expect([status, body.totalResults, body.startIndex, body.itemsPerPage]).toEqual([200, 6, 2, 2])
    expect(body.Resources).toEqual([
      { schemas: expect.anything(), id: ids[5], userName: 'eve@example.com' },
      { schemas: expect.anything(), id: ids[1], userName: 'dan@example.com' },
    ])
    const excluded = { schemas: [SEARCH], excludedAttributes: ['name', 'emails', 'meta', OWNERSHIP], count: 1 }
    expect(Object.keys((await directory.send('POST', '/Users/.search', excluded)).body.Resources[0])).not.toEqual(
      expect.arrayContaining(['name']),
    )
  })

  it.each<[body: object, scimType: string]>([
    [{}, 'invalidSyntax'],
    [{ schemas: [USER] }, 'invalidSyntax'],
    [{ schemas: [SEARCH], filter: 5 }, 'invalidValue'],
    [{ schemas: [SEARCH], count: '5' }, 'invalidValue'],
    [{ schemas: [SEARCH], startIndex: 1.5 }, 'invalidValue'],
    [{ schemas: [SEARCH], attributes: 'userName' }, 'invalidValue'],
    [{ schemas: [SEARCH], attributes: [5] }, 'invalidValue'],
    [{ schemas: [SEARCH], sortBy: 'unknown' }, 'invalidPath'],
  ])('refuse the body %j', async (body, scimType) => {
    const answer = await directory.send('POST', '/Users/.search', body)
    expect([answer.status, answer.body.scimType]).toEqual([400, scimType])
  })

  it('contain only what belongs to the organization', async () => {
    const other = await connectDirectory(service, fixture.acme)
    const { body } = await other.send('GET', `/Users?filter=${encodeURIComponent('userName sw "ada@"')}`)
    expect(body.totalResults).toBe(0)
    const all = (await other.send('GET', '/Users')).body
    expect(idsOf(all).filter((id) => ids.includes(id))).toEqual([])
    expect(all.totalResults).toBe(idsOf(all).length)
  })

  it('filter active and deactivated users, in order of creation', async () => {
    const [first, second] = [ids[2], ids[5]]
    for (const id of [second, first]) await directory.patch(`/Users/${id}`, { op: 'replace', value: { active: false } })
    const of = async (filter: string, query = '') => {
      const page = await list(`filter=${encodeURIComponent(filter)}${query}`)
      return [page.totalResults, idsOf(page)]
    }
    expect(await of('active eq false')).toEqual([2, [first, second]])
    expect(await of('active ne "True"', '&startIndex=2&count=1')).toEqual([2, [second]])
    expect(await of('active eq false', '&sortBy=userName&sortOrder=descending')).toEqual([2, [second, first]])
    expect(await of('active eq false and id eq "nobody"')).toEqual([0, []])
    expect(await of('active eq true', '&startIndex=2&count=2')).toEqual([5, [ids[1], ids[3]]])
    expect(await of('active eq true or active eq false', '&count=0')).toEqual([7, []])
    expect(await of('not (id pr)')).toEqual([0, []])
    for (const id of [first, second]) await directory.patch(`/Users/${id}`, { op: 'replace', value: { active: true } })
    expect(await of('active eq false')).toEqual([0, []])
  })

  it('omit users whom the directory has deleted, and include those who return', async () => {
    const path = `/Users/${ids[4]}`
    expect((await directory.send('DELETE', path)).status).toBe(204)
    const page = await list('startIndex=4&count=2')
    expect([page.totalResults, idsOf(page)]).toEqual([6, [ids[3], ids[5]]])
    expect((await list(`filter=${encodeURIComponent('userName eq "bob@example.com"')}`)).totalResults).toBe(0)
    await directory.add({ userName: 'bob@example.com', externalId: 'ext-3', name: { givenName: 'bob' } })
    const again = await list('startIndex=4&count=2')
    expect([again.totalResults, idsOf(again)]).toEqual([7, [ids[3], ids[4]]])
  })
})
