import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { createLocalDatabase, dropDatabases } from '../../harness/database-server.js'
import { createDatabase } from '../../src/db/database.js'
import { distribute } from '../../src/db/distribute.js'
import { currentTestRun } from '../support/current-test-run.js'
import { type Database, withSql } from '../support/sql.js'
import { demoLines, exportLines, importLines } from '../transfer/transfer-text.js'

const { nodes, prefix } = currentTestRun()
const name = `${prefix}${randomUUID().replaceAll('-', '')}`
let connectionString: string

beforeAll(async () => {
  connectionString = await createLocalDatabase(nodes, name)
})
afterAll(() => dropDatabases(nodes, [name]))

/** Opens the database for some work: it is distributed only while it has no other sessions. */
async function withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const database = withSql(createDatabase({ connectionString, log: { warn: () => {} } }))
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

it('a database with data keeps the same data when it is distributed', async () => {
  const before = await withDatabase(async (database) => {
    await importLines(database, demoLines)
    return exportLines(database)
  })
  const steps: string[] = []
  await distribute(connectionString, 4, (title) => steps.push(title))
  expect(steps).toContain('distribute memberships by organization_id')

  await withDatabase(async (database) => {
    expect(await exportLines(database)).toEqual(before)
    // As after a worker was added, beside a running service.
    const again: string[] = []
    await distribute(connectionString, 4, (title) => again.push(title))
    expect(again).toEqual([expect.stringMatching(/^set TimeZone, .* for the database on every node$/)])
  })
})
