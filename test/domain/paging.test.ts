import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type PageRequest, type PageSource, pageOf, pageSizeFrom } from '../../src/domain/paging.js'
import { MAX_PAGE_SIZE } from '../../src/limits/known-limits.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { organizationKey, scopeOn } from '../support/scope.js'
import type { Database } from '../support/sql.js'

const letters = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id }))
const list: PageSource = {
  method: 'ListLetters',
  filter: {},
  read: async ({ after = '', pageSize }) => {
    const left = letters.filter(({ id }) => id > after)
    const items = left.slice(0, pageSize)
    return {
      items: items.map((each) => JSON.stringify(each)).join(),
      last: left.length > pageSize ? (items.at(-1)?.id ?? null) : null,
    }
  },
  count: async () => letters.length,
}
const { count: _, ...uncounted } = list

describe('a page', () => {
  let test: TestDatabase
  let database: Database

  beforeAll(async () => {
    test = await createTestDatabase()
    database = test.open()
  })
  afterAll(() => test.drop())

  const page = (request: Partial<PageRequest>, source: PageSource = list) =>
    pageOf(scopeOn(database, organizationKey('acme')), { pageSize: 0, pageToken: '', ...request }, source)

  it('begins after the last item of the one before, and has no token if nothing follows', async () => {
    const first = await page({ pageSize: 2 })
    const second = await page({ pageSize: 2, pageToken: first.nextPageToken })
    const last = await page({ pageSize: 2, pageToken: second.nextPageToken })
    expect([first, second, last].map(({ items }) => items)).toEqual([
      '{"id":"a"},{"id":"b"}',
      '{"id":"c"},{"id":"d"}',
      '{"id":"e"}',
    ])
    expect(last.nextPageToken).toBe('')
  })

  it('is the last one if it contains exactly the rest', async () => {
    expect(await page({ pageSize: 5 })).toEqual({
      items: letters.map((each) => JSON.stringify(each)).join(),
      nextPageToken: '',
    })
  })

  it('has the size that is usual for the list, if the caller names none', async () => {
    expect((await page({}, { ...list, usualSize: 3 })).items).toBe('{"id":"a"},{"id":"b"},{"id":"c"}')
    expect((await page({})).nextPageToken).toBe('')
  })

  it('says how many items all pages have if that is asked for and known', async () => {
    expect((await page({ includeTotal: true })).totalSize).toBe(5)
    expect((await page({ includeTotal: false })).totalSize).toBeUndefined()
    expect((await page({ includeTotal: true }, uncounted)).totalSize).toBeUndefined()
  })

  it('is empty, and the last one, if nothing is read', async () => {
    expect(await page({}, { ...list, read: async () => undefined })).toEqual({ items: '', nextPageToken: '' })
  })

  it('belongs to the organization of the caller, the method and the filter', async () => {
    const { nextPageToken: pageToken } = await page({ pageSize: 2 })
    const foreign = pageOf(scopeOn(database, organizationKey('globex')), { pageSize: 2, pageToken }, list)
    for (const other of [
      foreign,
      page({ pageToken }, { ...list, method: 'ListWords' }),
      page({ pageToken }, { ...list, filter: { a: 'b' } }),
    ]) {
      await expect(other).rejects.toMatchObject({ reason: 'PAGE_TOKEN_INVALID' })
    }
  })
})

describe('the size of a page', () => {
  it.each([
    [0, MAX_PAGE_SIZE],
    [1, 1],
    [MAX_PAGE_SIZE, MAX_PAGE_SIZE],
    [MAX_PAGE_SIZE + 1, MAX_PAGE_SIZE],
    [2 ** 31 - 1, MAX_PAGE_SIZE],
  ])('requested as %i is %i', (requested, size) => {
    expect(pageSizeFrom(requested, MAX_PAGE_SIZE)).toBe(size)
  })
})
