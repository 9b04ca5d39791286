import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { runInProcess } from '../support/command-line.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'

describe('svc distribute', () => {
  let testDatabase: TestDatabase
  let empty: TestDatabase

  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    empty = await createTestDatabase('empty')
  })
  afterAll(() => Promise.all([testDatabase.drop(), empty.drop()]))

  const run = (args: readonly string[], database: TestDatabase | undefined) =>
    runInProcess(['distribute', ...args], { env: database?.environment ?? {} })

  it('shows with --dry-run what it would do, and what it requires', async () => {
    const { status, stdout, stderr } = await run(['--dry-run'], testDatabase)
    expect(stdout).toContain('copy signing_keys to every node\n')
    expect(stdout).toContain('distribute journeys by organization_id\n')
    expect(stdout).toContain('add the foreign key journeys_organization_id_team_id_fkey\n')
    expect([status, stderr]).toEqual([1, expect.stringContaining('the extension citus is not in this database')])
  })

  it.each<[what: string, args: string[], database: () => TestDatabase | undefined, words: string]>([
    ['a database that is not on Citus', [], () => testDatabase, 'the database cannot be distributed'],
    ['the embedded database', [], () => undefined, 'the embedded database cannot be distributed'],
    ['a database without tables', ['--dry-run'], () => empty, 'the database is empty'],
    ['no shards', ['--shards', '0'], () => testDatabase, 'must be from 1 to 64000'],
  ])('refuses %s', async (_, args, database, words) => {
    const { status, stdout, stderr } = await run(args, database())
    expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining(words)])
  })
})
