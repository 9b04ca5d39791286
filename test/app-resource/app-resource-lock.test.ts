import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { databaseFailure } from '../../src/db/errors.js'
import { systemTiming } from '../../src/db/retries.js'
import { batchUpdateAppResources } from '../../src/domain/app-resource.js'
import type { ServiceError } from '../../src/errors.js'
import type { AppResourceUpdate } from '../../src/store/app-resource.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { fixture, insertFixture } from '../support/fixture.js'
import { organizationKey, scopeOn } from '../support/scope.js'
import type { Database } from '../support/sql.js'

const caller = organizationKey(fixture.acme)

describe('concurrent batches of app resources', () => {
  let testDatabase: TestDatabase
  let database: Database
  let repetitions = 0

  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    // A transaction is repeated, after a pause, when it has lost a deadlock.
    const timing = {
      ...systemTiming,
      sleep: (...pause: Parameters<typeof systemTiming.sleep>) => {
        repetitions++
        return systemTiming.sleep(...pause)
      },
    }
    database = testDatabase.open({ timing })
    await insertFixture(database)
    await database.execute(
      `INSERT INTO app_resources (id, organization_id, team_id, app_instance_id, resource_type, name, external_id, scoped_id)
       SELECT id, $2, $3, $4, 'group', id, id, id FROM unnest($1::text[]) AS id`,
      [[...ids, ...others], fixture.acme, fixture.it, fixture.appInstances.it],
    )
  })
  afterAll(() => testDatabase.drop())

  const ids = Array.from({ length: 40 }, (_, index) => `many-${String(index).padStart(2, '0')}`)
  /** They make a statement long enough for others to begin theirs meanwhile. */
  const others = Array.from({ length: 1600 }, (_, index) => `other-${index}`)
  const run = (batches: readonly (readonly AppResourceUpdate[])[]) =>
    Promise.allSettled(batches.map((updates) => batchUpdateAppResources(scopeOn(database, caller), updates)))

  it.each([
    ['share rows in different orders', (id: string, round: number) => ({ id, name: `${round}` })],
    [
      'give one another the same external ids',
      (id: string, round: number) => ({ id, externalId: `${id}+${round % 2}` }),
    ],
    ['swap short handles', (id: string, round: number) => ({ id, scopedId: ids[(ids.indexOf(id) + round) % 40] })],
  ])('do not deadlock if they %s', async (_, update) => {
    repetitions = 0
    const batches = Array.from({ length: 16 }, (_each, round) => {
      const updates = ids.map((id) => update(id, round))
      return round % 2 === 0 ? updates : updates.toReversed()
    })
    const results = await run(batches)
    expect(results.map(({ status }) => status)).toEqual(batches.map(() => 'fulfilled'))
    expect(repetitions).toBe(0)
  })

  it.each([
    ['external id', 'externalId', 'app_resources_external_id_unique'],
    ['short handle', 'scopedId', 'app_resources_scoped_id_unique'],
  ])('do not deadlock if all of them claim one %s, and all but one name the entry', async (_, name, constraint) => {
    repetitions = 0
    for (const wanted of ['first', 'second', 'third', 'fourth', 'fifth', 'sixth']) {
      const batches = ids
        .slice(0, 8)
        .map((id, index) => [
          { id, [name]: wanted },
          ...others.slice(index * 200, index * 200 + 200).map((other) => ({ id: other, name: wanted })),
        ])
      const results = await run(batches)
      const failures = results.flatMap((result) => {
        if (result.status !== 'rejected') return []
        const { violations, cause } = result.reason as ServiceError
        return [[violations.map(({ field }) => field), databaseFailure(cause)]]
      })
      const failure = [[`resources[0].${name}`], { kind: 'unique_violation', constraint }]
      expect(failures).toEqual(Array.from({ length: 7 }, () => failure))
    }
    expect(repetitions).toBe(0)
  })
})
