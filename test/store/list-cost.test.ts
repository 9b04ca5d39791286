import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import pg from 'pg'
import type { Database } from '../../src/db/database.js'
import type { Tables } from '../../src/db/tables.js'
import { listAppInstances } from '../../src/domain/app-instance.js'
import { listAuditEvents } from '../../src/domain/audit-log.js'
import { type Caller, permissions } from '../../src/domain/caller/caller.js'
import { listEntityFieldMappings } from '../../src/domain/entity-field-mapping.js'
import { listEntityIngestionConfigs } from '../../src/domain/entity-ingestion-config.js'
import { createPageTokens } from '../../src/domain/paging.js'
import { listSlaDefinitions } from '../../src/domain/sla-definition.js'
import { createUser, updateUser } from '../../src/domain/user/user.js'
import { listDepartmentOptions, listUsers } from '../../src/domain/user/user-list.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { fixture, insertFixture } from '../support/fixture.js'
import { planOf, rowsRead, type SentStatement } from '../support/query-plan.js'
import { scopeOn } from '../support/scope.js'

const { acme, globex, globexIt, it: few, people: many } = fixture
const all = new Set(permissions)
const keyOf = (organizationId: string): Caller => ({
  kind: 'organization_api_key',
  id: 'key-1',
  name: 'Reader',
  organizationId,
  reach: { scope: 'organization', permissions: all },
})
const manager: Caller = {
  kind: 'user',
  id: fixture.users.manager,
  name: 'Manager',
  organizationId: acme,
  reach: { scope: 'teams', teams: new Map([[few, all]]) },
}
const page = { pageSize: 100, pageToken: '' }
const anyEvent = { ...page, targetId: '', action: '' as const, actorId: '', requestId: '', since: '', until: '' }

/** Each list for an owner of few rows beside one that has nearly all of the table. */
const lists: Record<string, (database: Database) => Promise<unknown>> = {
  'app instances': (sql) =>
    listAppInstances(scopeOn(sql, keyOf(acme)), { ...page, teamId: few }, createPageTokens(sql)),
  'ingestion configs': (sql) =>
    listEntityIngestionConfigs(scopeOn(sql, keyOf(acme)), { teamId: few, appInstanceId: '' }),
  'field mappings': (sql) =>
    listEntityFieldMappings(scopeOn(sql, keyOf(acme)), { entityTypeId: fixture.entityTypes.it, ingestionConfigId: '' }),
  'SLA definitions': (sql) => listSlaDefinitions(scopeOn(sql, keyOf(acme)), few),
  users: (sql) =>
    listUsers(scopeOn(sql, keyOf(globex)), { ...page, includeDeactivated: false, email: '' }, createPageTokens(sql)),
  'users of an address': (sql) =>
    listUsers(
      scopeOn(sql, keyOf(acme)),
      { ...page, includeDeactivated: false, email: '7@EXAMPLE.com' },
      createPageTokens(sql),
    ),
  'department options': (sql) => listDepartmentOptions(scopeOn(sql, keyOf(globex))),
  'audit events': (sql) => listAuditEvents(scopeOn(sql, manager), anyEvent, createPageTokens(sql)),
  'audit events of an actor': (sql) =>
    listAuditEvents(scopeOn(sql, keyOf(acme)), { ...anyEvent, actorId: 'few' }, createPageTokens(sql)),
  'audit events of a request': (sql) =>
    listAuditEvents(scopeOn(sql, keyOf(acme)), { ...anyEvent, requestId: 'few' }, createPageTokens(sql)),
}

const nothingElse = { role: undefined, pinFields: [], releaseFields: [] }

/** Writes of one user beside many. */
const writes: Record<string, (database: Tables) => Promise<unknown>> = {
  update: (database) => {
    const userId = fixture.users.globexAdmin
    const update = { ...nothingElse, userId, email: undefined, profile: { JOB_TITLE: 'Analyst' } }
    return updateUser(scopeOn(database, keyOf(globex)), update)
  },
  creation: (database) => {
    const user = { email: 'new@example.org', role: 'ORG_MEMBER' as const, profile: {}, pinFields: [] }
    return createUser(scopeOn(database, keyOf(globex)), user)
  },
}

const series = 'generate_series(1, 30000) n'
// So many that to read all of them is dear, and so few that a plan for a hundred of them would.
const peopleSeries = 'generate_series(1, 12000) n'
const bulk = [
  `INSERT INTO app_instances (id, organization_id, team_id, name)
   SELECT 'bulk-' || n, '${acme}', '${many}', 'Application' FROM ${series}`,
  `INSERT INTO entity_ingestion_configs (id, organization_id, team_id, app_instance_id, internal_entity_type_id)
   SELECT 'bulk-' || n, '${acme}', '${many}', 'app-people', 'type-people' FROM ${series}`,
  `INSERT INTO entity_field_mappings (id, organization_id, entity_type_id, ingestion_config_id, internal_field_id)
   SELECT 'bulk-' || n, '${acme}', 'type-people', 'config-people', 'field-' || n FROM ${series}`,
  `INSERT INTO sla_definitions (id, organization_id, team_id, name, target_duration_seconds, starting_point, metric)
   SELECT 'bulk-' || n, '${acme}', '${many}', 'SLA', 3600, 'TICKET_CREATED', 'RESOLUTION' FROM ${series}`,
  `INSERT INTO users (id, email, email_key) SELECT 'bulk-' || n, n || '@example.com', n || '@example.com' FROM ${peopleSeries}`,
  `INSERT INTO memberships (organization_id, user_id, email_key) SELECT '${acme}', 'bulk-' || n, n || '@example.com' FROM ${peopleSeries}`,
  `INSERT INTO audit_events (id, organization_id, actor_kind, action, target_type, target_id, team_id)
   SELECT gen_random_uuid(), '${acme}', 'SYSTEM', 'priority.update', 'priority', 'pri-people', '${many}' FROM ${series}`,
  `INSERT INTO department_options (id, organization_id, name) SELECT 'bulk-' || n, '${acme}', 'Department ' || n FROM ${series}`,
  'ANALYZE',
]

describe('lists and writes', () => {
  let testDatabase: TestDatabase
  let database: Database
  let client: pg.Client

  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    database = testDatabase.open()
    await insertFixture(database)
    for (const statement of bulk) await database.execute(statement)
    client = new pg.Client({ connectionString: testDatabase.directUrl })
    await client.connect()
  })
  afterAll(async () => {
    await client.end()
    await testDatabase.drop()
  })

  it.each(Object.entries(lists))('read few rows for %s', async (_, read) => {
    const sent: SentStatement[] = []
    await read({
      ...database,
      query: (text, values = []) => {
        sent.push({ text, values, name: undefined })
        return database.query(text, values)
      },
      run: (statement, values) => {
        const { text, name, planned } = statement
        sent.push({ text, values: statement.values(values), name: planned === 'once' ? name : undefined })
        return database.run(statement, values)
      },
    })
    const list = sent.findLast(({ text }) => text.includes('ORDER BY'))
    if (list === undefined) throw new Error('no list was read')
    expect(rowsRead(await planOf(client, list))).toBeLessThan(300)
  })

  it.each(Object.entries(writes))('read few rows for a single %s', async (_, write) => {
    const sent: SentStatement[] = []
    const undone = database.transaction(async (transaction) => {
      await write({
        ...database,
        transaction: (work) =>
          work({
            ...transaction,
            run: (statement, values) => {
              sent.push({ text: statement.text, values: statement.values(values), name: statement.name })
              return transaction.run(statement, values)
            },
          }),
      })
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await client.query('BEGIN')
    for (const statement of sent.filter(({ text }) => /\b(?:memberships|users)\b/.test(text))) {
      expect([statement.name, rowsRead(await planOf(client, statement)) < 300]).toEqual([statement.name, true])
    }
    await client.query('ROLLBACK')
  })

  it.each([999, 1_000, 1_001])('return all of %i rows in a list without pages', async (count) => {
    await database.execute(
      `INSERT INTO sla_definitions (id, organization_id, team_id, name, target_duration_seconds, starting_point, metric)
       SELECT 'whole-' || n, '${globex}', '${globexIt}', 'SLA', 3600, 'TICKET_CREATED', 'RESOLUTION'
         FROM generate_series(2, ${count}) n ON CONFLICT DO NOTHING`,
    )
    const listed: { readonly id: string }[] = JSON.parse(
      await listSlaDefinitions(scopeOn(database, keyOf(globex)), globexIt),
    )
    expect(listed.map(({ id }) => id)).toEqual([
      fixture.slaDefinitions.globex,
      ...Array.from({ length: count - 1 }, (_, index) => `whole-${index + 2}`),
    ])
  })
})
