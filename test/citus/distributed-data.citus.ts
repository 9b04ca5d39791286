import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { createDatabase, type Database } from '../../src/db/database.js'
import { distribute } from '../../src/db/distribute.js'
import { currentTestRun } from '../support/current-test-run.js'
import { createLocalDatabase, dropDatabases } from '../support/database-server.js'
import { demoLines, exportLines, importLines, line } from '../transfer/transfer-text.js'

const { nodes, prefix } = currentTestRun()
const name = `${prefix}${randomUUID().replaceAll('-', '')}`
let connectionString: string

beforeAll(async () => {
  connectionString = await createLocalDatabase(nodes, name)
})
afterAll(() => dropDatabases(nodes, [name]))

/** Opens the database for some work: it is distributed only while nobody else has sessions on it. */
async function withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const database = createDatabase({ connectionString, log: { warn: () => {} } })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** Everything that an export gives, and how many members each organization counts. */
const contents = async (database: Database) => ({
  lines: await exportLines(database),
  counts: await database.query<{ organization: string; members: number }>(
    `SELECT organization_id AS organization, sum(members)::int AS members FROM member_counts GROUP BY 1`,
  ),
})

it('a database with data has the same data when it is distributed, and counts its members on', async () => {
  const before = await withDatabase(async (database) => {
    await importLines(database, demoLines)
    return contents(database)
  })
  const steps: string[] = []
  await distribute(connectionString, { shardCount: 4, onStep: (title) => steps.push(title) })
  expect(steps).toContain('distribute memberships by organization_id')

  await withDatabase(async (database) => {
    expect(await contents(database)).toEqual(before)
    const added = line('user', { id: 'user_new', organizationId: 'org_acme', email: 'new@acme.example' })
    await importLines(database, [added])
    const { counts } = await contents(database)
    expect(counts).toEqual(before.counts.map(({ organization, members }) => ({ organization, members: members + 1 })))
  })
})
