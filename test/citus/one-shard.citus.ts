import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import pg from 'pg'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { statements } from '../support/statements.js'

/** What only the coordinator does: locks on words, and its own tables. */
const ofCoordinator: readonly string[] = ['take_locks', 'admit_address', 'delete_revoke_attempts']
/** Rows that the coordinator makes of a parameter, and sends to where they belong by their organization; people to all. */
const sentByValue: readonly string[] = ['insert_audit_events', 'keep_source_profiles']
/** Import and export, and what is sent only to a single PostgreSQL. */
const notOfCalls = /^(?:stage_|import_|export_|(?:add|count)_import_rows$)/

const anyOrganization = 'organization-of-nobody'
const samples: Readonly<Record<string, string>> = {
  text: `''`,
  uuid: `'018f3b7a-0000-7000-8000-000000000001'`,
  json: `'[]'`,
  jsonb: `'[]'`,
  bytea: `'\\x00'`,
  boolean: 'true',
  date: `'2026-01-31'`,
  'timestamp with time zone': 'now()',
  actor_kind: `'USER'`,
  api_key_revocation: `'OPERATOR'`,
  'text[]': `'{a}'`,
  'uuid[]': `'{018f3b7a-0000-7000-8000-000000000001}'`,
  'bytea[]': `'{"\\\\x00"}'`,
  'jsonb[]': `'{"{}"}'`,
  'actor_kind[]': `'{USER}'`,
}

describe('a statement of one organization asks one shard', () => {
  let testDatabase: TestDatabase
  let client: pg.Client

  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    client = new pg.Client({ connectionString: testDatabase.directUrl })
    await client.connect()
  })
  afterAll(async () => {
    await client.end()
    await testDatabase.drop()
  })

  /** How many shards each part of the plan asks, and whether it sends what it inserts from the coordinator. */
  const planOf = async (name: string, text: string): Promise<{ tasks: number[]; sends: boolean }> => {
    await client.query(`PREPARE ${name} AS ${text}`)
    const { rows } = await client.query<{ types: string[] }>(
      'SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = $1',
      [name],
    )
    await client.query(`DEALLOCATE ${name}`)
    const types = rows[0]?.types ?? []
    const organization = /organization_id = \$(\d+)/.exec(text)?.[1]
    const filled = text.replaceAll(/\$(\d+)/g, (_, number: string) => {
      const type = types[Number(number) - 1] ?? ''
      return `(${number === organization ? `'${anyOrganization}'` : (samples[type] ?? '1')})::${type}`
    })
    const plan = await client.query<{ 'QUERY PLAN': unknown }>(`EXPLAIN (FORMAT JSON, COSTS OFF) ${filled}`)
    const written = JSON.stringify(plan.rows[0]?.['QUERY PLAN'])
    const tasks = [...written.matchAll(/"Task Count":(\d+)/g)].map((match) => Number(match[1]))
    return { tasks, sends: written.includes('"INSERT/SELECT method":"pull to coordinator"') }
  }

  it.each([...statements].filter(([name]) => !notOfCalls.test(name)))('%s', async (name, { text }) => {
    const { tasks, sends } = await planOf(name, text)
    if (ofCoordinator.includes(name)) expect([tasks, sends]).toEqual([[], false])
    else if (sentByValue.includes(name)) expect([tasks, sends]).toEqual([[], true])
    else expect([...new Set(tasks)]).toEqual([1])
  })
})
