import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { databaseFailure } from '../../src/db/errors.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { eventually } from '../support/eventually.js'
import type { Database } from '../support/sql.js'

let test: TestDatabase
beforeAll(async () => {
  test = await createTestDatabase()
})
afterAll(() => test.drop())

/** Begins transactions of calls of an organization that go on until they are ended. */
function begin(database: Database, organizationId: string, count: number) {
  let begun = 0
  const ends: (() => void)[] = []
  const done = Promise.all(
    Array.from({ length: count }, () =>
      database.tablesFor({ organizationId }).transaction(async () => {
        begun++
        await new Promise<void>((resolve) => ends.push(resolve))
      }),
    ),
  )
  return { begun: () => begun, endOne: () => ends.shift()?.(), done }
}

const isOnCluster = process.env['TEST_ON'] === 'citus'

it.each([
  [1, 1, 1],
  [2, 1, 1],
  [4, 2, 1],
  [10, 8, 4],
])('of %i connections, calls of one organization use %i, in a cluster %i', async (maxConnections, alone, inCluster) => {
  const used = isOnCluster ? inCluster : alone
  const database = test.open({ maxConnections })
  const acme = begin(database, 'acme', maxConnections)
  await eventually(() => expect([acme.begun(), database.pool.inUse]).toEqual([used, used]))
  for (let ended = 0; ended < maxConnections; ended++) {
    await eventually(() => expect(acme.begun()).toBeGreaterThan(ended))
    acme.endOne()
  }
  await acme.done
})

it('an organization that has its share leaves connections to others, who find one at once', async () => {
  // So many that two are half of them, and one half of the others; in a cluster, of those that may wait for one worker.
  const database = test.open({ maxConnections: isOnCluster ? 8 : 4 })
  const acme = begin(database, 'acme', 4)
  await eventually(() => expect([acme.begun(), database.pool.inUse, database.pool.waiting]).toEqual([2, 2, 2]))
  const globex = begin(database, 'globex', 1)
  await eventually(() => expect(globex.begun()).toBe(1))
  globex.endOne()
  await globex.done
  expect(acme.begun()).toBe(2)
  for (const begun of [3, 4]) {
    acme.endOne()
    await eventually(() => expect(acme.begun()).toBe(begun))
  }
  acme.endOne()
  acme.endOne()
  await acme.done
  expect([database.pool.inUse, database.pool.waiting]).toEqual([0, 0])
})

it("a call that waits too long for its organization's share fails as busy", async () => {
  const database = test.open({ maxConnections: 2, maxWaitMillis: 50 })
  const first = begin(database, 'acme', 1)
  await eventually(() => expect(first.begun()).toBe(1))
  const late = await begin(database, 'acme', 1).done.catch((error: unknown) => databaseFailure(error))
  expect(late).toEqual({ kind: 'busy' })
  first.endOne()
  await first.done
})

it('model queries count as well', async () => {
  const database = test.open({ maxConnections: 2, maxWaitMillis: 50 })
  const first = begin(database, 'acme', 1)
  await eventually(() => expect(first.begun()).toBe(1))
  const count = (organizationId: string) => database.tablesFor({ organizationId }).models.team.count()
  expect(await count('globex')).toBe(0)
  expect(await count('acme').catch((error: unknown) => databaseFailure(error))).toEqual({ kind: 'busy' })
  first.endOne()
  await first.done
  expect(await count('acme')).toBe(0)
})
