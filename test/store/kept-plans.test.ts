import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import pg from 'pg'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { fixture, insertFixture } from '../support/fixture.js'
import { statements } from '../support/statements.js'

const { acme, users } = fixture

describe('a statement on a list of members', () => {
  let testDatabase: TestDatabase
  let client: pg.Client
  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    await insertFixture(testDatabase.open())
    client = new pg.Client({ connectionString: testDatabase.directUrl })
    await client.connect()
    await client.query('SET enable_seqscan = off')
  })
  afterAll(async () => {
    await client.end()
    await testDatabase.drop()
  })

  const ids = [users.agent]
  // Planning one takes longer than running it.
  it.each([
    ['change_members', ['[]', acme, ids]],
    ['change_user', ['[]', acme, ids]],
    ['change_directory_user', ['[]', acme, ids]],
    ['lock_memberships_for_no_key_update', [acme, ids]],
    ['read_manager_chains', [acme, ids]],
  ] as const)('keeps its plan: %s', async (name, values) => {
    const text = statements.get(name)?.text ?? ''
    for (let calls = 0; calls < 8; calls++) await client.query({ name, text, values: [...values] })
    const { rows } = await client.query(
      'SELECT generic_plans::int AS cached, custom_plans::int AS planned FROM pg_prepared_statements WHERE name = $1',
      [name],
    )
    expect(rows).toEqual([{ cached: 3, planned: 5 }]) // PostgreSQL decides after five.
  })
})
