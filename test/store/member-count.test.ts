import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import pg from 'pg'
import type { Database } from '../../src/db/database.js'
import { listDirectoryUsers } from '../../src/domain/directory/resource-list.js'
import { sweepOrganizations } from '../../src/domain/sweeper.js'
import { parseFilter } from '../../src/scim/filter.js'
import { userResourceType } from '../../src/store/scim/attributes.js'
import { placeMember } from '../../src/store/scim/member-count.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { fixture, insertFixture } from '../support/fixture.js'
import { planOf, rowsRead, type SentStatement } from '../support/query-plan.js'

const { acme, globex } = fixture

describe('the counts of members', () => {
  let testDatabase: TestDatabase
  let database: Database
  let client: pg.Client

  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    database = testDatabase.open()
    await insertFixture(database)
    client = new pg.Client({ connectionString: testDatabase.connectionString })
    await client.connect()
  })
  afterAll(async () => {
    await client.end()
    await testDatabase.drop()
  })

  /** What is counted, and what there is. */
  const totals = async (organizationId: string) => {
    const [row] = await database.query<{ there: number }>(
      'SELECT count(*)::int AS there FROM memberships WHERE organization_id = $1 AND directory_deleted_at IS NULL',
      [organizationId],
    )
    return [(await placeMember(database, organizationId, 1)).total, row?.there]
  }

  const addMembers = async (organizationId: string, prefix: string, count: number) => {
    const person = `'${prefix}-' || n, n || '@${prefix}.example.com'`
    const series = `generate_series(1, ${count}) n`
    await database.execute(
      `INSERT INTO users (id, email, email_key) SELECT ${person}, n || '@${prefix}.example.com' FROM ${series}`,
    )
    // So that the reference to each of them is checked by the index.
    await database.execute('ANALYZE users')
    await database.execute(
      `INSERT INTO memberships (organization_id, user_id, email_key) SELECT '${organizationId}', ${person} FROM ${series}`,
    )
  }

  it('follow additions, deletions by the directory, returns and removals', async () => {
    const [before] = await totals(acme)
    expect(await totals(acme)).toEqual([before, before])
    await addMembers(acme, 'some', 2_000)
    expect(await totals(acme)).toEqual([Number(before) + 2_000, Number(before) + 2_000])
    const change = `UPDATE memberships SET directory_deleted_at = $2 WHERE organization_id = $1 AND user_id LIKE 'some-1%'`
    const changed = await database.execute(change, [acme, new Date()])
    expect(changed).toBeGreaterThan(1_000)
    expect(await totals(acme)).toEqual([Number(before) + 2_000 - changed, Number(before) + 2_000 - changed])
    await database.execute(change, [acme, new Date(0)])
    expect(await totals(acme)).toEqual([Number(before) + 2_000 - changed, Number(before) + 2_000 - changed])
    await database.execute(change, [acme, null])
    await database.execute(`DELETE FROM memberships WHERE organization_id = $1 AND user_id LIKE 'some-2%'`, [acme])
    const [counted, there] = await totals(acme)
    expect(counted).toBe(there)
    expect(counted).toBeLessThan(Number(before) + 2_000)
    expect(await totals(globex)).toEqual([1, 1])
  })

  it('tell active from deactivated members, whom the directory has, through every change', async () => {
    const there = async () => {
      const [row] = await database.query<{ active: number; deactivated: number }>(
        `SELECT (count(*) FILTER (WHERE deactivated_at IS NULL))::int AS active, count(deactivated_at)::int AS deactivated
           FROM memberships WHERE organization_id = $1 AND directory_deleted_at IS NULL`,
        [acme],
      )
      return row
    }
    const counted = async () => ({
      active: (await placeMember(database, acme, 1, 'active')).total,
      deactivated: (await placeMember(database, acme, 1, 'deactivated')).total,
    })
    expect(await counted()).toEqual(await there())
    const set = (what: string, who: string) =>
      database.execute(`UPDATE memberships SET ${what} WHERE organization_id = $1 AND user_id LIKE $2`, [acme, who])
    for (const [what, who] of [
      ['deactivated_at = now()', 'some-1%'],
      ['deactivated_at = now()', 'some-12%'],
      ['directory_deleted_at = now()', 'some-11%'],
      ['deactivated_at = NULL, directory_deleted_at = NULL', 'some-111%'],
      ['deactivated_at = NULL', 'some-112%'],
      ['directory_deleted_at = NULL', 'some-11%'],
      ['deactivated_at = now(), directory_deleted_at = now()', 'some-14%'],
      ['deactivated_at = NULL', 'some-13%'],
    ] as const) {
      expect(await set(what, who)).toBeGreaterThan(1)
      expect(await counted()).toEqual(await there())
    }
    await database.execute(`DELETE FROM memberships WHERE organization_id = $1 AND user_id LIKE 'some-15%'`, [acme])
    await database.execute(
      `INSERT INTO memberships (organization_id, user_id, email_key, deactivated_at)
       SELECT $1, id, email_key, now() FROM users WHERE id LIKE 'some-15%'`,
      [acme],
    )
    expect(await counted()).toEqual(await there())
    expect((await counted()).deactivated).toBeGreaterThan(100)
  })

  it('stay as they are if a transaction is undone', async () => {
    const before = await totals(globex)
    const undone = database.preparedTransaction(async (transaction) => {
      await transaction.execute('UPDATE memberships SET directory_deleted_at = now() WHERE organization_id = $1', [
        globex,
      ])
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(await totals(globex)).toEqual(before)
  })

  it('do not make writers of one organization wait for each other', async () => {
    await client.query('BEGIN')
    await client.query(
      `UPDATE memberships SET directory_deleted_at = now() WHERE organization_id = $1 AND user_id = 'some-3'`,
      [acme],
    )
    const other = await database.execute(
      `UPDATE memberships SET directory_deleted_at = now() WHERE organization_id = $1 AND user_id = 'some-4'`,
      [acme],
    )
    expect(other).toBe(1)
    await client.query('ROLLBACK')
    const [counted, there] = await totals(acme)
    expect(counted).toBe(there)
  })

  it('are folded to one row for each bucket, with the same sums', async () => {
    const rows = () => database.query('SELECT bucket, members FROM member_counts WHERE organization_id = $1', [acme])
    const deactivated = () => placeMember(database, acme, 1, 'deactivated')
    const before = [await totals(acme), await deactivated()]
    const buckets = new Set((await rows()).map(({ bucket }) => bucket))
    expect((await rows()).length).toBeGreaterThan(buckets.size)
    for (let left = ''; ; ) {
      left = await sweepOrganizations(database, left)
      if (left === '' && (await rows()).length === buckets.size) break
    }
    expect([await totals(acme), await deactivated()]).toEqual(before)
  })

  it('lead to every position of a list, over gaps and buckets', async () => {
    const conditions = [
      [undefined, 'true'],
      ['active eq true', 'deactivated_at IS NULL'],
      ['active eq false', 'deactivated_at IS NOT NULL'],
    ] as const
    for (const [text, condition] of conditions) {
      const there = await database.query<{ id: string }>(
        `SELECT user_id AS id FROM memberships
          WHERE organization_id = $1 AND directory_deleted_at IS NULL AND ${condition} ORDER BY ordinal`,
        [acme],
      )
      const filter = text === undefined ? undefined : parseFilter(text, userResourceType)
      const read: string[] = []
      for (let startIndex = 1; startIndex <= there.length; startIndex += 97) {
        const selection = { organizationId: acme, filter, order: undefined }
        const { total, rows } = await listDirectoryUsers(database, selection, { startIndex, count: 97 })
        expect(total).toBe(there.length)
        read.push(...rows.map(({ userId }) => userId))
      }
      expect(read).toEqual(there.map(({ id }) => id))
    }
  })

  const pages = ['all', 'active', 'deactivated'] as const
  it.each(pages)(
    'let the last page of a long list be read at the cost of the first one of a short list: %s',
    async (counted) => {
      if (counted === 'all') await addMembers(acme, 'many', 20_000)
      if (counted === 'deactivated') {
        await database.execute(`UPDATE memberships SET deactivated_at = now() WHERE ordinal % 2 = 0`)
      }
      await sweepOrganizations(database, '')
      await database.execute('ANALYZE memberships, users, member_counts, groups, group_members')
      const filter = counted === 'all' ? undefined : parseFilter(`active eq ${counted === 'active'}`, userResourceType)
      const sent: SentStatement[] = []
      const watched: Pick<Database, 'run'> = {
        run: (statement, values) => {
          const { text, name, planned } = statement
          sent.push({ text, values: statement.values(values), name: planned === 'once' ? name : undefined })
          return database.run(statement, values)
        },
      }
      const { total } = await placeMember(database, acme, 1, counted)
      const selection = { organizationId: acme, filter, order: undefined }
      const { rows } = await listDirectoryUsers(watched, selection, { startIndex: total - 99, count: 100 })
      expect(rows.length).toBe(100)
      const costs = []
      for (const statement of sent) costs.push(rowsRead(await planOf(client, statement)))
      // The buckets, and those of the page, its people and at most the others of its bucket in every part of the plan.
      expect(costs.length).toBe(2)
      expect(costs[0]).toBeLessThan(400)
      expect(costs[1]).toBeLessThan(4_000)
    },
  )
})
