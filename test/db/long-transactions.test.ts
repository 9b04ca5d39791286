import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { Prisma } from '../../gen/prisma/client.js'
import { databaseFailure } from '../../src/db/errors.js'
import { createStatement } from '../../src/db/statement.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { eventually } from '../support/eventually.js'
import type { Database } from '../support/sql.js'

let test: TestDatabase

beforeAll(async () => {
  test = await createTestDatabase('empty')
})
afterAll(() => test.drop())

/** Begins long transactions that go on until they are ended. */
function beginLong(database: Database, count: number, organizationId?: string) {
  let begun = 0
  const ends: (() => void)[] = []
  const done = Promise.all(
    Array.from({ length: count }, () =>
      (organizationId === undefined ? database : database.tablesFor({ organizationId })).transaction(
        async () => {
          begun++
          await new Promise<void>((resolve) => ends.push(resolve))
        },
        { isLong: true },
      ),
    ),
  )
  return { begun: () => begun, endOne: () => ends.shift()?.(), done }
}

describe('long transactions', () => {
  it('have a third of the connections, one after another, while other calls find one at once', async () => {
    const database = test.open({ maxConnections: 4 })
    const long = beginLong(database, 5)
    await eventually(async () => expect(long.begun()).toBe(2))
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }])
    expect([long.begun(), database.pool.inUse, database.pool.waiting]).toEqual([2, 2, 3])
    for (const begun of [3, 4, 5]) {
      long.endOne()
      await eventually(async () => expect(long.begun()).toBe(begun))
      expect(database.pool.inUse).toBeLessThanOrEqual(2)
    }
    long.endOne()
    long.endOne()
    await long.done
    await eventually(async () => expect([database.pool.inUse, database.pool.waiting]).toEqual([0, 0]))
  })

  it('of an organization have half of what the others leave, and an export has a turn as well', async () => {
    const database = test.open({ maxConnections: 10 })
    const acme = beginLong(database, 4, 'acme')
    await eventually(() => expect(acme.begun()).toBe(2))
    const globex = beginLong(database, 2, 'globex')
    await eventually(() => expect(globex.begun()).toBe(1))
    const statement = createStatement<object, { readonly one: number }>({
      name: 'one',
      columns: { one: 'int4' },
      text: () => Prisma.sql`SELECT 1 AS one`,
    })
    const read = database.tablesFor({ organizationId: 'initech' }).readSnapshot([statement], {})
    expect((await read.next()).value).toEqual([{ one: 1 }])
    expect([acme.begun(), globex.begun()]).toEqual([2, 1])
    await read.return(undefined)
    // Both have one now: the turn goes to and fro.
    acme.endOne()
    await eventually(() => expect([acme.begun(), globex.begun()]).toEqual([3, 1]))
    acme.endOne()
    await eventually(() => expect([acme.begun(), globex.begun()]).toEqual([3, 2]))
    globex.endOne()
    await eventually(() => expect(acme.begun()).toBe(4))
    for (let count = 0; count < 2; count++) acme.endOne()
    globex.endOne()
    await Promise.all([acme.done, globex.done])
  })

  it('fail as busy if their time is up before their turn, which then passes to others', async () => {
    const database = test.open({ maxConnections: 2 })
    const long = beginLong(database, 1)
    await eventually(async () => expect(long.begun()).toBe(1))
    const late = database.tablesFor({ timeoutMillis: 20 }).transaction(async () => {}, { isLong: true })
    const failure = await late.then(
      () => undefined,
      (error: unknown) => databaseFailure(error),
    )
    expect(failure).toEqual({ kind: 'busy' })
    long.endOne()
    await long.done
    expect(await database.transaction(async () => 'done', { isLong: true })).toBe('done')
  })

  it('pass their turn on if no connection can be made', async () => {
    const nowhere = new URL(test.connectionString)
    nowhere.port = '1'
    const database = test.open({ connectionString: nowhere.href, maxConnections: 1 })
    const kinds = await Promise.all(
      [1, 2, 3].map(() =>
        database
          .transaction(async () => {}, { isLong: true })
          .then(
            () => undefined,
            (error: unknown) => databaseFailure(error)?.kind,
          ),
      ),
    )
    expect(kinds).toEqual(['unavailable', 'unavailable', 'unavailable'])
    expect([database.pool.inUse, database.pool.waiting]).toEqual([0, 0])
  })
})
