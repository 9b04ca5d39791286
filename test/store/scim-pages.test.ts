import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { conditionOf } from '../../src/scim/condition.js'
import { parseFilter } from '../../src/scim/filter.js'
import { userType } from '../../src/scim/resource-types.js'
import { searchedMembers } from '../../src/store/directory/member-search.js'
import { constant } from '../../src/store/search.js'
import { readPage } from '../../src/store/search-page.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { fixture, insertFixture } from '../support/fixture.js'
import type { Database } from '../support/sql.js'

const { acme } = fixture

describe('the pages of a list', () => {
  let testDatabase: TestDatabase
  let database: Database

  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    database = testDatabase.open()
    await insertFixture(database)
    const series = 'generate_series(1, 2000) n'
    await database.execute(
      `INSERT INTO memberships (organization_id, user_id, email)
       SELECT '${acme}', 'some-' || n, n || '@some.example.com' FROM ${series}`,
    )
    const set = (what: string, who: string) =>
      database.execute(`UPDATE memberships SET ${what} WHERE organization_id = $1 AND user_id LIKE $2`, [acme, who])
    await set('deactivated_at = now()', 'some-1%')
    await set('directory_deleted_at = now()', 'some-11%')
    await set('deactivated_at = now(), directory_deleted_at = now()', 'some-14%')
    await set('deactivated_at = NULL', 'some-13%')
    await database.execute(`DELETE FROM memberships WHERE organization_id = $1 AND user_id LIKE 'some-15%'`, [acme])
  })
  afterAll(() => testDatabase.drop())

  it.each([
    [undefined, 'true'],
    ['active eq true', 'deactivated_at IS NULL'],
    ['active eq false', 'deactivated_at IS NOT NULL'],
  ])('contain every resource once, and the exact total: %s', async (text, where) => {
    const there = await database.query<{ id: string }>(
      `SELECT user_id AS id FROM memberships
        WHERE organization_id = $1 AND directory_deleted_at IS NULL AND ${where} ORDER BY ordinal`,
      [acme],
    )
    const condition = text === undefined ? constant(true) : conditionOf(parseFilter(text, userType))
    const read: string[] = []
    for (let offset = 0; offset < there.length; offset += 97) {
      const selection = { organizationId: acme, condition, order: undefined }
      const { total, rows } = await readPage(database, searchedMembers, selection, { offset, count: 97 })
      expect(total).toBe(there.length)
      read.push(...rows.map(({ userId }) => userId))
    }
    expect(read.length).toBeGreaterThan(500)
    expect(read).toEqual(there.map(({ id }) => id))
  })
})
