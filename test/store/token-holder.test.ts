import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import pg from 'pg'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { fixture, insertFixture } from '../support/fixture.js'
import { planOf, rowsRead } from '../support/query-plan.js'
import { statements } from '../support/statements.js'

const { acme } = fixture
const series = 'generate_series(1, 3000) n'
const bulk = [
  `INSERT INTO memberships (organization_id, user_id, email)
   SELECT '${acme}', 'bulk-' || n, n || '@example.com' FROM ${series}`,
  `INSERT INTO user_tokens (token_hash, organization_id, user_id, expires_at)
   SELECT sha256(('user' || n)::bytea), '${acme}', 'bulk-' || n, now() + interval '1 day' FROM ${series}`,
  `INSERT INTO api_keys (id, organization_id, kind, name, secret_hash, permissions, chain_id)
   SELECT 'bulk-' || n, '${acme}', 'pk', 'Key', sha256(('secret' || n)::bytea), '{}', 'bulk-' || n FROM ${series}`,
  `INSERT INTO api_key_sessions (organization_id, token_hash, api_key_id, expires_at)
   SELECT '${acme}', sha256(('key' || n)::bytea), 'bulk-' || n, now() + interval '1 day' FROM ${series}`,
  'ANALYZE',
]

const lookups = [
  ['select_key_of_token', 'key'],
  ['select_member_of_token', 'user'],
] as const

describe('the look-up of tokens', () => {
  let testDatabase: TestDatabase
  let client: pg.Client

  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    const database = testDatabase.open()
    await insertFixture(database)
    for (const statement of bulk) await database.execute(statement)
    client = new pg.Client({ connectionString: testDatabase.directUrl })
    await client.connect()
  })
  afterAll(async () => {
    await client.end()
    await testDatabase.drop()
  })

  it.each(lookups)('keeps its plan for any number of tokens: %s', async (name, prefix) => {
    const text = textOf(name)
    for (const count of [1, 1, 1, 1, 1, 1, 128, 1]) {
      const { rows } = await client.query({ name, text, values: [hashesOf(prefix, count), acme] })
      expect(new Set(rows.map(({ tokenHash }) => tokenHash.toString('hex'))).size).toBe(count)
    }
    const { rows } = await client.query(
      'SELECT generic_plans::int AS cached, custom_plans::int AS planned FROM pg_prepared_statements WHERE name = $1',
      [name],
    )
    expect(rows).toEqual([{ cached: 3, planned: 5 }]) // PostgreSQL decides after five.
  })

  it.each(lookups)('reads only the rows that it looks for: %s', async (name, prefix) => {
    for (const count of [1, 128]) {
      const values = [hashesOf(prefix, count), acme]
      expect(rowsRead(await planOf(client, { name, text: textOf(name), values }))).toBeLessThan(20 * count)
    }
  })
})

function textOf(name: string): string {
  const statement = statements.get(name)
  if (statement === undefined) throw new Error(`there is no statement ${name}`)
  return statement.text
}

function hashesOf(prefix: string, count: number): Buffer[] {
  return Array.from({ length: count }, (_, index) =>
    createHash('sha256')
      .update(`${prefix}${index + 1}`)
      .digest(),
  )
}
