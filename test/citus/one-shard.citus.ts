import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import pg from 'pg'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { statements } from '../support/statements.js'

/** What only the coordinator does: locks on words, and its own tables. */
const ofCoordinator: readonly string[] = ['take_locks', 'admit_address', 'delete_revoke_attempts']
/** Rows that get ordinals, which the coordinator gives and sends with them to where they belong, in two phases. */
const sentWithOrdinals: readonly string[] = ['keep_source_profiles', 'write_members']
/** Import and export, and what is sent only to a single PostgreSQL. */
const notOfCalls = /^(?:stage_|import_|export_|(?:add|count)_import_rows$|update_priority$)/

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
  'text[]': `'{a}'`,
  'uuid[]': `'{018f3b7a-0000-7000-8000-000000000001}'`,
  'bytea[]': `'{"\\\\x00"}'`,
  'jsonb[]': `'{"{}"}'`,
}

/** Texts that are read as positions in lists. */
const positions: Readonly<Record<string, string>> = {
  list_journeys: `'2026-01-31 1'`,
  list_journeys_by_lateness: `'2026-01-31 1'`,
  search_app_resources: `'1 1'`,
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

  /** How many shards each part of the plan asks, and whether the coordinator sends rows to others. */
  const planOf = async (name: string, text: string): Promise<{ tasks: number[]; sends: boolean }> => {
    await client.query(`PREPARE ${name} AS ${text}`)
    const { rows } = await client.query<{ type: string; isEnum: boolean }>(
      `SELECT type::regtype::text AS type, typtype = 'e' AS "isEnum"
         FROM pg_prepared_statements, unnest(parameter_types) WITH ORDINALITY given (type, place)
         JOIN pg_type ON oid = type
        WHERE pg_prepared_statements.name = $1 ORDER BY place`,
      [name],
    )
    await client.query(`DEALLOCATE ${name}`)
    const organization = /organization_id = \$(\d+)/.exec(text)?.[1]
    const filled = text.replaceAll(/\$(\d+)/g, (_, number: string) => {
      const { type = '', isEnum = false } = rows[Number(number) - 1] ?? {}
      if (isEnum) return `enum_first(NULL::${type})`
      const sample = (type === 'text' ? positions[name] : undefined) ?? samples[type] ?? '1'
      return `(${number === organization ? `'${anyOrganization}'` : sample})::${type}`
    })
    const plan = await client.query<{ 'QUERY PLAN': unknown }>(`EXPLAIN (FORMAT JSON, COSTS OFF) ${filled}`)
    const written = JSON.stringify(plan.rows[0]?.['QUERY PLAN'])
    const tasks = [...written.matchAll(/"Task Count":(\d+)/g)].map((match) => Number(match[1]))
    const sends = ['"INSERT/SELECT method":"pull to coordinator"', '"Subplans":'].some((each) => written.includes(each))
    return { tasks, sends }
  }

  it.each([...statements].filter(([name]) => !notOfCalls.test(name)))('%s', async (name, { text }) => {
    const { tasks, sends } = await planOf(name, text)
    if (ofCoordinator.includes(name)) expect([tasks, sends]).toEqual([[], false])
    else
      expect([[...new Set(tasks)], sends]).toEqual([
        sentWithOrdinals.includes(name) ? tasks : [1],
        sentWithOrdinals.includes(name),
      ])
  })
})
