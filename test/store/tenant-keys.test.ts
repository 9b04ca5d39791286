import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import type { Database } from '../support/sql.js'

/** Tables of no organization. */
const shared = ['_prisma_migrations', 'revoke_attempts', 'signing_keys']

// What a database that is distributed by organization asks of its tables; PostgreSQL itself does not mind.
describe('the tables of organizations', () => {
  let testDatabase: TestDatabase
  let database: Database

  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    database = testDatabase.open()
  })
  afterAll(() => testDatabase.drop())

  it('name the organization of every row', async () => {
    const without = await database.query<{ name: string }>(
      `SELECT c.relname AS name FROM pg_class c
        WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND NOT EXISTS (
          SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'organization_id' AND a.attnotnull)
        ORDER BY 1`,
    )
    expect(without.map(({ name }) => name)).toEqual([...shared, 'organizations'].sort())
  })

  /** Those by which something is looked up in all organizations; they have the organization in another place. */
  const acrossOrganizations = [
    'api_keys_secret_hash_organization_id_key',
    'app_instances_id_organization_id_team_id_key',
  ]

  it('have it in every key and unique index, and first unless one serves all organizations', async () => {
    const others = await database.query(
      `SELECT i.indexrelid::regclass::text AS index
         FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
         LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid
           AND a.attnum = i.indkey[CASE WHEN i.indexrelid::regclass::text = ANY ($2) THEN 1 ELSE 0 END]
        WHERE i.indisunique AND c.relnamespace = 'public'::regnamespace AND c.relname <> ALL ($1)
          AND a.attname IS DISTINCT FROM CASE c.relname WHEN 'organizations' THEN 'id' ELSE 'organization_id' END`,
      [shared, acrossOrganizations],
    )
    expect(others).toEqual([])
  })

  it('refer to each other within it, and cascade no change of a key', async () => {
    const keys = await database.query<{ name: string; carries: boolean; follows: boolean }>(
      `SELECT conname AS name, confupdtype <> ALL ('{a,r}') AS follows,
              (SELECT attname FROM pg_attribute WHERE attrelid = conrelid AND attnum = conkey[1]) = 'organization_id'
                AND (SELECT attname FROM pg_attribute WHERE attrelid = confrelid AND attnum = confkey[1])
                    IN ('organization_id', 'id') AS carries
         FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace`,
    )
    expect(keys.filter(({ carries }) => !carries)).toEqual([])
    expect(keys.filter(({ follows }) => follows)).toEqual([])
  })
})
