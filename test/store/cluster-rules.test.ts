import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import pg from 'pg'
import {
  clusterFaults,
  isReturnRefused,
  nonConstantReturns,
  ofOneServer,
  type PlacedTables,
} from '../support/cluster-rules.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { modelWritesReturningEnums } from '../support/model-writes.js'
import { statements } from '../support/statements.js'

/** What inserts on the coordinator alone, or for operators. */
const elsewhere = /^(?:admit_address$|stage_|import_)/

const isOnCluster = process.env['TEST_ON'] === 'citus'
const source = join(import.meta.dirname, '..', '..', 'src')

// PostgreSQL does not mind any of it: what a cluster that distributes the tables by organization asks of statements.
describe('on a cluster, the statements of the stores', () => {
  let testDatabase: TestDatabase
  let client: pg.Client
  const tables: PlacedTables & { distributed: string[] } = { distributed: [], copied: ['signing_keys'] }

  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    client = new pg.Client({ connectionString: testDatabase.connectionString })
    await client.connect()
    await client.query('SET plan_cache_mode = force_generic_plan')
    const { rows } = await client.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.columns
        WHERE table_schema = 'public' AND column_name = 'organization_id'`,
    )
    tables.distributed.push(...rows.map(({ name }) => name), 'organizations')
  })
  afterAll(async () => {
    await client.end()
    await testDatabase.drop()
  })
  // The staging tables of imports last as long as a transaction.
  beforeEach(async () => {
    await client.query('BEGIN')
    for (const { name, text } of statements.values()) if (name.startsWith('stage_')) await client.query(text)
  })
  afterEach(() => client.query('ROLLBACK'))

  it('lock rows of one organization and no rows of people, and return inserted values by an alias', () => {
    const faults = [...statements].map(([name, { text }]) => [name, clusterFaults(text, tables)])
    expect(faults.filter(([, found]) => found?.length !== 0)).toEqual([])
  })

  it('are not in database functions, which refuse what must not happen, move events into their feed or split texts', async () => {
    const { rows } = await client.query<{ name: string; returned: string; body: string }>(
      `SELECT proname AS name, prorettype::regtype::text AS returned, prosrc AS body
         FROM pg_proc WHERE pronamespace = 'public'::regnamespace`,
    )
    const triggers = rows.filter(({ returned }) => returned === 'trigger')
    expect(triggers.map(({ name }) => name)).toContain('refuse_api_key_revival')
    expect(triggers.filter(({ body }) => /\b(?:SELECT|INSERT|UPDATE|DELETE|PERFORM)\b/.test(body))).toEqual([])
    const others = rows.filter(({ returned }) => returned !== 'trigger')
    expect(others.map(({ name }) => name).sort()).toEqual(['search_query', 'search_words', 'sequence_events'])
  })

  it.each([
    [
      'INSERT INTO teams (id) SELECT id FROM named RETURNING id',
      ['teams is inserted from a query and returned without an alias'],
    ],
    [
      'WITH made AS (INSERT INTO teams (id) SELECT id FROM named RETURNING id) SELECT id FROM made',
      ['teams is inserted from a query and returned without an alias'],
    ],
    ['INSERT INTO teams AS made (id) SELECT id FROM named RETURNING made.id', []],
    ['INSERT INTO teams (id) VALUES ($1) RETURNING id', []],
    ['INSERT INTO teams (id) SELECT id FROM named', []],
    ['WITH made AS (INSERT INTO teams (id) VALUES ($1) RETURNING id) INSERT INTO groups (id) SELECT id FROM made', []],
    ['SELECT id FROM teams WHERE id = $1 FOR UPDATE', ['rows of teams are locked in all organizations']],
    ['SELECT id FROM teams WHERE organization_id = $1 FOR UPDATE', []],
    [
      'SELECT (SELECT id FROM teams WHERE id = $2 FOR SHARE) FROM groups WHERE organization_id = $1',
      ['rows of teams are locked in all organizations'],
    ],
    [
      'SELECT id FROM teams WHERE organization_id = ANY ($1) FOR SHARE',
      ['rows of teams are locked in all organizations'],
    ],
    [
      'SELECT t.id FROM teams t JOIN groups g ON g.id = t.id WHERE t.organization_id = $1 FOR NO KEY UPDATE',
      ['rows of groups are locked in all organizations'],
    ],
    ['SELECT t.id FROM teams t JOIN groups g ON g.id = t.id WHERE t.organization_id = $1 FOR NO KEY UPDATE OF t', []],
    ['SELECT FROM organizations WHERE id = $1 FOR KEY SHARE', []],
    [
      'SELECT FROM organizations WHERE name = $1 FOR KEY SHARE',
      ['rows of organizations are locked in all organizations'],
    ],
    [
      'SELECT m.id FROM memberships m JOIN signing_keys k ON k.id = m.user_id WHERE m.organization_id = $1 FOR UPDATE',
      ['rows of signing_keys are locked'],
    ],
    [
      'SELECT m.id FROM memberships m JOIN signing_keys k ON k.id = m.user_id WHERE m.organization_id = $1 FOR UPDATE OF m',
      [],
    ],
    ['SELECT FROM revoke_attempts WHERE client_address = $1 FOR UPDATE', []],
    ['DELETE FROM teams WHERE organization_id = $1 AND ctid = ANY ($2)', ['rows of teams are found by their place']],
    ['DELETE FROM revoke_attempts WHERE ctid = ANY ($1)', []],
    [
      'SELECT pg_advisory_xact_lock(hashtext(t.id)) FROM teams t WHERE t.organization_id = $1',
      ['a word is locked where the rows of teams are'],
    ],
    ['SELECT FROM (VALUES ($1)) named (word) WHERE pg_advisory_xact_lock(hashtext(word)) IS NOT NULL', []],
  ])('are checked correctly: %s', (text, faults) => {
    expect(clusterFaults(text, tables)).toEqual(faults)
  })

  /** A cluster itself is asked whether it refuses them; PostgreSQL, what it would refuse. */
  const expectReturns = async (text: string, nonConstant: readonly string[]) => {
    if (isOnCluster) expect(await isReturnRefused(client, text)).toBe(nonConstant.length > 0)
    else expect(await nonConstantReturns(client, text)).toEqual(nonConstant)
  }

  it.each([...statements].filter(([, { text }]) => /\bRETURNING\b/.test(text)))(
    'return only constants from their writes: %s',
    (_, { text }) => expectReturns(text, []),
  )

  it.each([
    ['UPDATE api_keys SET name = $1 WHERE id = $2 RETURNING *', []],
    ['UPDATE api_keys SET name = $1 WHERE id = $2 RETURNING kind, $3::text', []],
    ['UPDATE api_keys SET name = $1 WHERE id = $2 RETURNING kind::text', ['api_keys: (kind)::text']],
    [
      'UPDATE api_keys k SET name = $1 WHERE id = $2 RETURNING k.expires_at > now()',
      ['api_keys: (expires_at > now())'],
    ],
    ['UPDATE api_keys SET name = $1 WHERE id = $2 RETURNING created_at::text', ['api_keys: (created_at)::text']],
    ['WITH gone AS (DELETE FROM api_keys RETURNING random() AS x) SELECT x FROM gone', ['api_keys: random()']],
    ['UPDATE api_keys SET name = $1 WHERE id = $2 RETURNING extract(epoch FROM expires_at - created_at)', []],
    ['UPDATE journeys SET name = $1 WHERE id = $2 RETURNING metadata, xmax = 0', []],
  ])('are recognized by what they return: %s', (text, nonConstant) => expectReturns(text, nonConstant))

  it('insert rows in statements of their own', () => {
    const ofCalls = [...statements].filter(([name]) => !elsewhere.test(name) && !ofOneServer.includes(name))
    const inserting = ofCalls.filter(([, { text }]) => /\bINSERT INTO\b/.test(text))
    expect(inserting.length).toBeGreaterThan(0)
    expect(inserting.filter(([, { text }]) => !/^\s*INSERT INTO\b/.test(text)).map(([name]) => name)).toEqual([])
  })
})

describe('a write through a model', () => {
  it('returns no enum', () => {
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))
    const texts = files.map((file) => readFileSync(join(source, file), 'utf8'))
    expect(texts.some((text) => text.includes('models.apiKey.create({'))).toBe(true)
    expect(texts.flatMap(modelWritesReturningEnums)).toEqual([])
  })

  it.each([
    ['tables.models.apiKey.create({ data })', ['apiKey.create returns kind, revokedBy']],
    [
      'tables.models.apiKey.create({ data: { id: key({}) }, select: { id: true, kind: true } })',
      ['apiKey.create returns kind'],
    ],
    ['tables.models.apiKey.create({ data, select: { id: true } })', []],
    ['prisma.organization.update({ where, data })', ['organization.update returns region']],
    ['tables.models.userToken.create({ data })', []],
    ['tables.models.apiKey.updateMany({ where, data })', []],
  ])('is checked by what it returns: %s', (text, faults) => {
    expect(modelWritesReturningEnums(text)).toEqual(faults)
  })
})
