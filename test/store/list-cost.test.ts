import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type pg from 'pg'
import type { Tables } from '../../src/db/tables.js'
import { listAppInstances } from '../../src/domain/app-instance.js'
import { appResources } from '../../src/domain/app-resource.js'
import { type AuditEventListRequest, listAuditEvents } from '../../src/domain/audit-log.js'
import { apiKeys } from '../../src/domain/auth/api-key.js'
import { type Caller, permissions } from '../../src/domain/caller/caller.js'
import { listEntityFieldMappings } from '../../src/domain/entity-field-mapping.js'
import { groups, listGroupMembers } from '../../src/domain/group.js'
import { type JourneyListRequest, listJourneys } from '../../src/domain/journey.js'
import { governedFields } from '../../src/domain/profile/field-ownership.js'
import { listSlaDefinitions } from '../../src/domain/sla-definition.js'
import { listObjects } from '../../src/domain/standard-methods.js'
import { type StandardResource, standardResource } from '../../src/domain/standard-resource.js'
import { listTeamMembers } from '../../src/domain/team-member.js'
import { createUser, updateUser } from '../../src/domain/user/user.js'
import { listDepartmentOptions, listUsers, type UserListRequest } from '../../src/domain/user/user-list.js'
import { accessPolicyStore } from '../../src/store/access-policy.js'
import { entityTypeStore } from '../../src/store/entity-type.js'
import type { StandardKey } from '../../src/store/standard-writes.js'
import { teamStore } from '../../src/store/team.js'
import { sentWithOrdinals } from '../support/cluster-rules.js'
import { fixture } from '../support/fixture.js'
import {
  createPlannedDatabase,
  pagesRead,
  planOf,
  recordedTables,
  rowsRead,
  type SentStatement,
  scannedRows,
} from '../support/query-plan.js'
import { scopeOn } from '../support/scope.js'
import type { Database } from '../support/sql.js'
import { listConfigs, listsAcrossTeams, wholeList } from './lists-across-teams.js'

const { acme, globex, it: few, people: many } = fixture
const all = new Set(permissions)
const keyOf = (organizationId: string): Caller => ({
  kind: 'ORGANIZATION_API_KEY',
  id: 'key-1',
  name: 'Reader',
  organizationId,
  reach: { scope: 'organization', permissions: all },
})
const manager: Caller = {
  kind: 'USER_TOKEN',
  id: fixture.users.manager,
  name: 'Manager',
  organizationId: acme,
  reach: { scope: 'teams', teams: new Map([[few, all]]) },
}
/** Rows that the parts of a plan read, those of a page in each part that passes them on, and pages. */
const FEW = 350
const page = { pageSize: 40, pageToken: '' }
const anyEvent = {
  ...page,
  targetId: '',
  targetType: '',
  actions: [],
  actorId: '',
  actorKind: '' as const,
  teamId: '',
  requestId: '',
  since: '',
  until: '',
}

/** Filters of users that few of very many match, to whom an index leads. */
const indexedUserFilters: Record<string, Partial<UserListRequest>> = {
  'the beginning of a name': { q: 'zoë q' },
  'the beginning of a family name': { q: 'QUIST' },
  'the beginning of an address': { q: '11999@EXAMPLE' },
  manager: { managerUserId: 'bulk-6000' },
}
/** Others that few match, and one that most do. */
const userFilters: Record<string, Partial<UserListRequest>> = {
  'the domain of everybody': { q: 'example.com' },
  department: { department: 'Few' },
  role: { role: 'ORG_GUEST' },
  deactivation: { isDeactivated: true },
  activity: { isDeactivated: false, department: '' },
  ...Object.fromEntries(
    governedFields.map((field) => [`the owner of ${field}`, { field, owner: 'DIRECTORY', includeDeactivated: true }]),
  ),
}
/** Filters that nearly all users match. Together with one that few match, they cost no more than that one. */
const common: Partial<UserListRequest> = {
  isDeactivated: false,
  role: 'ORG_MEMBER',
  field: 'LOCALE',
  owner: 'AUTOMATION',
}
const userLists = (filters: Record<string, Partial<UserListRequest>>) =>
  Object.fromEntries(
    Object.entries(filters).flatMap(([name, filter]) =>
      [filter, { ...common, ...filter }].map((given, index) => [
        `users by ${name}${['', ' and what nearly all match'][index]}`,
        (sql: Database) =>
          listUsers(scopeOn(sql, keyOf(acme)), { ...page, includeDeactivated: false, email: '', ...given }),
      ]),
    ),
  )
const listApiKeys = (sql: Database, caller: Caller, teamId: string) =>
  listObjects(scopeOn(sql, caller), apiKeys, { ...page, includeTotal: false, filters: { teamId } })
/** Every combination of filters on app resources that an index leads to, of callers who see few and who see all. */
const resourceLists = (named: readonly Readonly<Record<string, string>>[]) =>
  Object.fromEntries(
    Object.entries({ 'a key': keyOf(acme), 'a manager': manager }).flatMap(([name, caller]) =>
      named.map((given) => {
        const filters = { appInstanceId: '', resourceType: '', externalId: '', q: '', ...given }
        const read = (sql: Database) =>
          listObjects(scopeOn(sql, caller), appResources, { ...page, includeTotal: false, filters })
        return [`app resources for ${name} with the filters ${JSON.stringify(given)}`, read]
      }),
    ),
  )

/** Filters on journeys, of which few of very many match some, and most match the others. */
const journeyFilters: readonly Partial<JourneyListRequest>[] = [
  ...[true, false].flatMap((value) => [{ isArchived: value }, { isOverdue: value }, { isFailing: value }]),
  ...[0, 1, 2, 3, 4, 5, 6, 7].map((chosen) => ({
    isArchived: (chosen & 1) > 0,
    isOverdue: (chosen & 2) > 0,
    isFailing: (chosen & 4) > 0,
  })),
]
/** Who reaches all that there is, what one team has, and what most teams have. */
const readers: Readonly<Record<string, Caller>> = {
  'a key': keyOf(acme),
  'a manager': manager,
  'a manager of two teams': {
    ...manager,
    reach: { scope: 'teams', teams: new Map([few, many].map((id) => [id, all])) },
  },
}
/** The same, and who reaches none but related journeys. */
const journeyCallers: Readonly<Record<string, Caller>> = {
  ...readers,
  'a requester': { ...manager, id: 'bulk-1', reach: { scope: 'teams', teams: new Map() } },
  'the manager of requesters': { ...manager, id: 'bulk-2', reach: { scope: 'teams', teams: new Map() } },
}
const journeyLists = (filters: typeof journeyFilters) =>
  Object.fromEntries(
    Object.entries(journeyCallers).flatMap(([name, caller]) =>
      filters.map((filter) => {
        // Each row of a page passes through a dozen parts of its plan.
        const request = {
          ...page,
          pageSize: 10,
          includeTotal: false,
          teamId: '',
          requesterUserId: '',
          includeNextTasks: false,
          q: '',
          ...filter,
        }
        const read = (sql: Database) => listJourneys(scopeOn(sql, caller), request)
        return [`journeys for ${name} with the filter ${JSON.stringify(filter)}`, read]
      }),
    ),
  )

/** What is found by its name among very many rows. */
const rareOf = <Of extends StandardKey>(resource: StandardResource<Of>) => [
  `each ${resource.name} by the beginning of a name`,
  (sql: Database) =>
    listObjects(scopeOn(sql, keyOf(acme)), resource, {
      ...page,
      includeTotal: false,
      filters: { teamId: '', q: 'rare 29999' },
    }),
]
const memberLists = (q: string) => ({
  [`members of a group by ${q}`]: (sql: Database) =>
    listGroupMembers(scopeOn(sql, keyOf(acme)), { ...page, groupId: fixture.groups.it, q }),
  [`members of a team by ${q}`]: (sql: Database) =>
    listTeamMembers(scopeOn(sql, keyOf(acme)), { ...page, teamId: many, expiresBefore: '', q }),
})

const eventsOf = (filter: Partial<AuditEventListRequest>, caller = keyOf(acme)) => [
  `audit events with the filter ${JSON.stringify(filter)}`,
  (sql: Database) => listAuditEvents(scopeOn(sql, caller), { ...anyEvent, ...filter }),
]

/** What belongs to teams, across teams: those with a search find nearly all, or next to none. */
const acrossTeams = Object.entries(listsAcrossTeams(readers))
const findsAll = ([name]: readonly [name: string, read: unknown]) => name.includes('BULK')

/** Each list for an owner of few rows beside one that has nearly all of the table. */
const lists: Record<string, (database: Database) => Promise<unknown>> = {
  'API keys of a team': (sql) => listApiKeys(sql, keyOf(acme), few),
  'API keys for a manager': (sql) => listApiKeys(sql, manager, ''),
  'app instances': (sql) => listAppInstances(scopeOn(sql, keyOf(acme)), { ...page, teamId: few, q: '' }),
  ...resourceLists([{}, { appInstanceId: 'app-it' }, { appInstanceId: 'app-people' }, { q: 'bulk 29999' }]),
  ...journeyLists([{}, { teamId: few }, { requesterUserId: fixture.users.requester }, { q: 'rare 29999' }]),
  ...Object.fromEntries([
    rareOf(groups),
    rareOf(standardResource(teamStore)),
    rareOf(standardResource(accessPolicyStore)),
    rareOf(standardResource(entityTypeStore)),
  ]),
  ...Object.fromEntries(acrossTeams.filter((list) => !findsAll(list))),
  'ingestion configs': (sql) => listConfigs(sql, keyOf(acme), { teamId: few, q: '', ...wholeList }),
  'field mappings': (sql) =>
    listEntityFieldMappings(scopeOn(sql, keyOf(acme)), { entityTypeId: fixture.entityTypes.it, ingestionConfigId: '' }),
  'SLA definitions': (sql) => listSlaDefinitions(scopeOn(sql, keyOf(acme)), { teamId: few, q: '', ...wholeList }),
  users: (sql) => listUsers(scopeOn(sql, keyOf(globex)), { ...page, includeDeactivated: false, email: '' }),
  'users of an address': (sql) =>
    listUsers(scopeOn(sql, keyOf(acme)), { ...page, includeDeactivated: false, email: '7@EXAMPLE.com' }),
  ...userLists(indexedUserFilters),
  ...memberLists('zoë q'),
  'department options': (sql) => listDepartmentOptions(scopeOn(sql, keyOf(globex))),
  ...Object.fromEntries([
    eventsOf({}),
    eventsOf({ targetId: 'few' }),
    eventsOf({ targetId: 'few', actions: ['user.create', 'group.delete'] }),
    eventsOf({ since: '2100-01-01T00:00:00Z' }),
  ]),
}

/** Lists with a filter that no index serves: they read what the organization has. */
const filtered: Record<string, (database: Database) => Promise<unknown>> = {
  ...resourceLists([
    { resourceType: 'user' },
    { externalId: 'nobody' },
    { appInstanceId: 'app-people', resourceType: 'user' },
    { q: 'resource', resourceType: 'user' },
  ]),
  ...Object.fromEntries(acrossTeams.filter(findsAll)),
  ...userLists(userFilters),
  ...memberLists('example.com'),
  ...journeyLists(journeyFilters),
  ...Object.fromEntries([
    eventsOf({ actorId: 'few' }),
    eventsOf({ actorKind: 'WORKER' }),
    eventsOf({ targetType: 'few' }),
    eventsOf({ teamId: few }),
    eventsOf({ requestId: 'few' }),
    eventsOf({ actions: ['user.create', 'group.delete'], teamId: many }),
  ]),
  'audit events of a manager': (sql) => listAuditEvents(scopeOn(sql, manager), anyEvent),
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
  `INSERT INTO api_keys (id, organization_id, team_id, kind, secret_hash, chain_id)
   SELECT id, '${acme}', '${many}', 'pk', sha256(id::bytea), id FROM (SELECT 'bulk-' || n AS id FROM ${series}) k`,
  `INSERT INTO api_keys (id, organization_id, team_id, kind, secret_hash, chain_id)
   VALUES ('few', '${acme}', '${few}', 'pk', sha256('few'), 'few')`,
  `INSERT INTO app_instances (id, organization_id, team_id, name)
   SELECT 'bulk-' || n, '${acme}', '${many}', 'Bulk ' || n FROM ${series}`,
  `INSERT INTO app_resources (id, organization_id, team_id, app_instance_id, resource_type, name, external_id, scoped_id, tag_ids)
   SELECT 'bulk-' || n, '${acme}', '${many}', 'app-people', (ARRAY['group', 'role'])[n % 2 + 1],
          (ARRAY['Bulk ', 'Resource '])[n % 2 + 1] || n, 'external-' || n, 'bulk-' || n, '{}' FROM ${series}`,
  `UPDATE app_instances SET name = 'Rare ' || id WHERE id IN ('bulk-11', 'bulk-29999')`,
  `INSERT INTO entity_ingestion_configs (id, organization_id, team_id, app_instance_id, internal_entity_type_id, service_name)
   SELECT 'bulk-' || n, '${acme}', '${many}', 'app-people', 'type-people', 'Bulk ' || n FROM ${series}`,
  `INSERT INTO entity_field_mappings (id, organization_id, entity_type_id, ingestion_config_id, internal_field_id)
   SELECT 'bulk-' || n, '${acme}', 'type-people', 'config-people', 'field-' || n FROM ${series}`,
  `INSERT INTO sla_definitions (id, organization_id, team_id, name, target_duration_seconds, starting_point, metric)
   SELECT 'bulk-' || n, '${acme}', '${many}', 'Bulk ' || n, 3600, 'TICKET_CREATED', 'RESOLUTION' FROM ${series}`,
  `INSERT INTO memberships (organization_id, user_id, email)
   SELECT '${acme}', 'bulk-' || n, n || '@example.com' FROM ${peopleSeries}`,
  // So that the foreign key of the roles is looked up by its index.
  'ANALYZE memberships',
  `INSERT INTO team_members (organization_id, team_id, user_id, role, expires_at)
   SELECT '${acme}', '${many}', 'bulk-' || n, 'VIEWER', timestamptz '2090-01-01' + n * interval '1 hour' FROM ${peopleSeries}`,
  `UPDATE memberships SET deactivated_at = now() WHERE user_id IN ('bulk-17', 'bulk-11999')`,
  `UPDATE memberships SET ${governedFields.map((field) => `${field.toLowerCase()}_owner = 'DIRECTORY'`).join()},
          first_name = 'Zoë', last_name = 'Quist', department = 'Few', role = 'ORG_GUEST', manager_user_id = 'bulk-6000',
          manager_assigned_at = now() WHERE user_id IN ('bulk-11000', 'bulk-11998')`,
  // The last few are as no others are.
  `INSERT INTO journeys (id, organization_id, team_id, name, archived_at, requester_user_id, requester_manager_user_id,
                         overdue_from, is_failing)
   SELECT gen_random_uuid(), '${acme}', '${many}', 'Journey', CASE WHEN n <= 29990 THEN now() END, 'bulk-1', 'bulk-2',
          CASE WHEN n <= 29990 THEN date '2020-01-01' + n % 365 ELSE 'infinity' END, n > 29990 FROM ${series}`,
  // In the order of time, as they are recorded. The planner learns of one action, as if there were no others.
  `INSERT INTO audit_events (id, occurred_at, organization_id, actor_kind, action, target_type, target_id, team_id)
   SELECT (lpad(to_hex(extract(epoch FROM now())::bigint * 1000 + n * 1000), 12, '0') || '70008000' || repeat('0', 12))::uuid,
          now() + n * interval '1 second', '${acme}', 'SYSTEM', 'priority.update', 'priority',
          'pri-people', '${many}' FROM ${series}`,
  `UPDATE journeys SET name = 'Rare 29999' WHERE ordinal = (SELECT max(ordinal) FROM journeys)`,
  ...['teams', 'groups'].map(
    (table) => `INSERT INTO ${table} (id, organization_id, name)
      SELECT 'bulk-' || n, '${acme}', CASE n WHEN 29999 THEN 'Rare ' ELSE 'Bulk ' END || n FROM ${series}`,
  ),
  `INSERT INTO group_members (organization_id, group_id, user_id, position)
   SELECT '${acme}', of, 'bulk-' || n, n FROM ${peopleSeries}, LATERAL (VALUES ('${fixture.groups.it}'), ('bulk-' || n)) g (of)`,
  ...['access_policies', 'entity_types'].map(
    (table) => `INSERT INTO ${table} (id, organization_id, team_id, name)
      SELECT 'bulk-' || n, '${acme}', '${many}', CASE n WHEN 29999 THEN 'Rare ' ELSE 'Bulk ' END || n FROM ${series}`,
  ),
  `INSERT INTO department_options (id, organization_id, name) SELECT 'bulk-' || n, '${acme}', 'Department ' || n FROM ${series}`,
  'ANALYZE',
]

describe('lists and writes', () => {
  let database: Database
  let client: pg.Client
  let drop: () => Promise<void>

  beforeAll(async () => {
    ;({ database, client, drop } = await createPlannedDatabase(bulk))
  })
  afterAll(() => drop())

  it.each(Object.entries(lists))('read few rows for %s', async (_, read) => {
    const sent: SentStatement[] = []
    await read(recordedTables(database, sent))
    const list = sent.findLast(({ text }) => text.includes('ORDER BY'))
    if (list === undefined) throw new Error('no list was read')
    const plan = await planOf(client, list)
    expect(rowsRead(plan)).toBeLessThan(FEW)
    expect(pagesRead(plan)).toBeLessThan(FEW)
  })

  it.each(Object.entries(filtered))('read each row once for %s', async (_, read) => {
    const sent: SentStatement[] = []
    await read(recordedTables(database, sent))
    const list = sent.findLast(({ text }) => text.includes('ORDER BY'))
    if (list === undefined) throw new Error('no list was read')
    const plan = await planOf(client, list)
    const version = await client.query<{ number: number }>(
      `SELECT current_setting('server_version_num')::int AS number`,
    )
    // Before PostgreSQL 17, each value of an array goes down the index by itself.
    const goesDown = Number(version.rows[0]?.number) < 170_000 && list.text.includes('.user_id = ANY (ARRAY(')
    let pages = 0
    for (const [table, rows] of scannedRows(plan)) {
      const { rows: sizes } = await client.query<{ rows: number; pages: number }>(
        `SELECT count(*)::int AS rows, ((pg_table_size($1) + pg_indexes_size($1)) / 8192)::int AS pages FROM ${table}`,
        [table],
      )
      pages += (sizes[0]?.pages ?? 0) + (goesDown ? 3 * rows : 0)
      expect([table, rows <= (sizes[0]?.rows ?? 0) + FEW]).toEqual([table, true])
    }
    expect(pagesRead(plan)).toBeLessThan(pages)
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
      // A cluster does not explain statements whose rows its coordinator gathers.
      if (process.env['TEST_ON'] === 'citus' && sentWithOrdinals.includes(statement.name ?? '')) continue
      expect([statement.name, rowsRead(await planOf(client, statement)) < FEW]).toEqual([statement.name, true])
    }
    await client.query('ROLLBACK')
  })
})
