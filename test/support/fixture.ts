import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { ApiKeyKind, TeamUserRole, UserRole } from '../../gen/prisma/enums.js'
import { BEARER_SEAL } from '../../src/domain/auth/bearer-token.js'
import { keyPermissions, type Permission } from '../../src/domain/caller/caller.js'
import { createSealer } from '../../src/domain/value/sealed-text.js'
import type { Sql } from './sql.js'

/** The ids of the fixture. People are named for what they may do; `Else` and `Globex` mark what callers must not see. */
export const fixture = {
  /** The organization of most tests, with two teams. */
  acme: 'acme',
  it: 'acme-it',
  people: 'acme-people',
  /** Another organization, with one team. */
  globex: 'globex',
  globexIt: 'globex-it',
  users: {
    admin: 'admin',
    manager: 'it-manager',
    builder: 'it-builder',
    agent: 'it-agent',
    contributor: 'it-contributor',
    viewer: 'it-viewer',
    /** An organization guest with the team role of an agent in `it`. */
    guest: 'it-guest',
    /** A manager of `people`, without a role in `it`. */
    peopleManager: 'people-manager',
    /** A manager of `it` and a viewer of `people`. */
    both: 'both-teams',
    /** Members without a team: who asks for a journey, and that person's manager. */
    requester: 'requester',
    requesterManager: 'requester-manager',
    globexAdmin: 'globex-admin',
  },
  groups: { it: 'group-it', globex: 'group-globex' },
  accessPolicies: { it: 'policy-it', people: 'policy-people', globex: 'policy-globex' },
  approvalProcedures: { it: 'procedure-it', people: 'procedure-people', globex: 'procedure-globex' },
  appInstances: {
    it: 'app-it',
    itSecond: 'app-it-2',
    people: 'app-people',
    /** Owned by `people`, shared with `it`. */
    shared: 'app-people-shared',
    globex: 'app-globex',
  },
  appResources: { it: 'res-it', itSecond: 'res-it-2', people: 'res-people', globex: 'res-globex' },
  priorities: { it: 'pri-it', people: 'pri-people', globex: 'pri-globex' },
  journeys: {
    it: '018f3b7a-0000-7000-8000-000000000001',
    people: '018f3b7a-0000-7000-8000-000000000002',
    globex: '018f3b7a-0000-7000-8000-000000000003',
  },
  entityTypes: { it: 'type-it', people: 'type-people', globex: 'type-globex' },
  ingestionConfigs: { it: 'config-it', people: 'config-people', globex: 'config-globex' },
  fieldMappings: { it: 'mapping-it', people: 'mapping-people', globex: 'mapping-globex' },
  slaDefinitions: { it: 'sla-it', people: 'sla-people', globex: 'sla-globex' },
  webhookEndpoints: { it: 'webhook-it', people: 'webhook-people', globex: 'webhook-globex' },
} as const

/** Writes the whole fixture into a database that has none of it. */
export async function insertFixture(sql: Sql): Promise<void> {
  const { acme, it, people, globex, globexIt } = fixture
  await insertRow(sql, 'organizations', { id: acme, name: 'Acme' })
  await insertRow(sql, 'organizations', { id: globex, name: 'Globex' })
  await insertRow(sql, 'teams', { id: it, organization_id: acme, name: 'IT' })
  await insertRow(sql, 'teams', { id: people, organization_id: acme, name: 'People' })
  await insertRow(sql, 'teams', { id: globexIt, organization_id: globex, name: 'IT' })
  await insertPeople(sql)
  await insertRow(sql, 'groups', { id: fixture.groups.it, organization_id: acme, name: 'IT' })
  await insertRow(sql, 'groups', { id: fixture.groups.globex, organization_id: globex, name: 'IT' })
  await insertTeamResources(sql, { organizationId: acme, teamId: it, key: 'it' })
  await insertTeamResources(sql, { organizationId: acme, teamId: people, key: 'people' })
  await insertTeamResources(sql, { organizationId: globex, teamId: globexIt, key: 'globex' })
  const owner = { organization_id: acme, team_id: it }
  const { appInstances, appResources, journeys, users } = fixture
  await insertRow(sql, 'app_instances', { id: appInstances.itSecond, ...owner, name: 'Second' })
  await insertRow(sql, 'app_resources', {
    id: appResources.itSecond,
    ...owner,
    app_instance_id: appInstances.it,
    scoped_id: 'ares_it_2',
    resource_type: 'group',
    name: 'Second',
    external_id: 'external-it-2',
  })
  await insertRow(sql, 'app_instances', { id: appInstances.shared, ...owner, team_id: people, name: 'Shared' })
  await shareAppInstance(sql, appInstances.shared, it)
  await sql.execute(`UPDATE journeys SET requester_user_id = $2, requester_manager_user_id = $3 WHERE id = $1`, [
    journeys.it,
    users.requester,
    users.requesterManager,
  ])
}

async function insertPeople(sql: Sql): Promise<void> {
  const { acme, globex, it, people, users } = fixture
  const member = (id: string, teamRoles: Record<string, TeamUserRole> = {}, role: UserRole = 'ORG_MEMBER') =>
    insertUser(sql, { id, organizationId: acme, role, teamRoles })
  await member(users.admin, {}, 'ORG_ADMIN')
  await member(users.manager, { [it]: 'MANAGER' })
  await member(users.builder, { [it]: 'BUILDER' })
  await member(users.agent, { [it]: 'AGENT' })
  await member(users.contributor, { [it]: 'CONTRIBUTOR' })
  await member(users.viewer, { [it]: 'VIEWER' })
  await member(users.guest, { [it]: 'AGENT' }, 'ORG_GUEST')
  await member(users.peopleManager, { [people]: 'MANAGER' })
  await member(users.both, { [it]: 'MANAGER', [people]: 'VIEWER' })
  await member(users.requester)
  await member(users.requesterManager)
  await insertUser(sql, { id: users.globexAdmin, organizationId: globex, role: 'ORG_ADMIN' })
}

/** One resource of every kind for a team. */
async function insertTeamResources(
  sql: Sql,
  { organizationId, teamId, key }: { organizationId: string; teamId: string; key: 'it' | 'people' | 'globex' },
): Promise<void> {
  const owner = { organization_id: organizationId, team_id: teamId }
  const instance = { app_instance_id: fixture.appInstances[key] }
  await insertRow(sql, 'access_policies', { id: fixture.accessPolicies[key], ...owner, name: `Policy ${key}` })
  await insertRow(sql, 'approval_procedures', {
    id: fixture.approvalProcedures[key],
    organization_id: organizationId,
    access_policy_id: fixture.accessPolicies[key],
    timeout_seconds: 300,
  })
  await insertRow(sql, 'app_instances', { id: fixture.appInstances[key], ...owner, name: `App ${key}` })
  await insertRow(sql, 'app_resources', {
    id: fixture.appResources[key],
    ...owner,
    ...instance,
    scoped_id: `ares_${key}`,
    resource_type: 'group',
    name: `Resource ${key}`,
    description: 'As it was',
    external_id: `external-${key}`,
    tag_ids: ['tag-1'],
  })
  await insertRow(sql, 'priorities', {
    id: fixture.priorities[key],
    ...owner,
    scoped_id: `pri_${key}`,
    priority: 'P1',
    name: `Priority ${key}`,
    description: 'As it was',
    is_ai_selectable: true,
  })
  await insertRow(sql, 'journeys', { id: fixture.journeys[key], ...owner, name: `Journey ${key}` })
  await insertRow(sql, 'entity_types', { id: fixture.entityTypes[key], ...owner, name: `Type ${key}` })
  await insertRow(sql, 'entity_ingestion_configs', {
    id: fixture.ingestionConfigs[key],
    ...owner,
    ...instance,
    internal_entity_type_id: fixture.entityTypes[key],
  })
  await insertRow(sql, 'entity_field_mappings', {
    id: fixture.fieldMappings[key],
    organization_id: organizationId,
    entity_type_id: fixture.entityTypes[key],
    ingestion_config_id: fixture.ingestionConfigs[key],
    internal_field_id: `field-${key}`,
  })
  await insertRow(sql, 'sla_definitions', {
    id: fixture.slaDefinitions[key],
    ...owner,
    name: `SLA ${key}`,
    target_duration_seconds: 3600,
    starting_point: 'TICKET_CREATED',
    metric: 'RESOLUTION',
  })
  await insertRow(sql, 'webhook_endpoints', {
    id: fixture.webhookEndpoints[key],
    ...owner,
    url: `https://${key}.invalid/hooks`,
    types: [],
    status: 'DISABLED',
    disabled_reason: 'REQUEST',
    position: 0,
  })
}

/** Writes one row. Arrays are PostgreSQL arrays and objects JSON; a JSON array has to be given as text. */
export async function insertRow(sql: Sql, table: string, row: Readonly<Record<string, unknown>>): Promise<void> {
  const columns = Object.keys(row)
  const places = columns.map((_, index) => `$${index + 1}`)
  await sql.execute(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places.join(', ')})`, Object.values(row))
}

/** Shows an app instance in the list of another team. */
export async function shareAppInstance(sql: Sql, appInstanceId: string, teamId: string): Promise<void> {
  await sql.execute(
    `INSERT INTO app_instance_shares (organization_id, app_instance_id, app_instance_ordinal, team_id)
     SELECT organization_id, id, ordinal, $2 FROM app_instances WHERE id = $1`,
    [appInstanceId, teamId],
  )
}

/** A member to insert; the email address defaults to `<id>@example.com`. */
export interface UserRow {
  readonly id: string
  readonly organizationId: string
  readonly email?: string
  /** Default: `ORG_MEMBER`. */
  readonly role?: UserRole
  /** Team roles by team id. */
  readonly teamRoles?: Readonly<Record<string, TeamUserRole>>
  /** Further columns of the membership. */
  readonly columns?: Readonly<Record<string, unknown>>
}

/** Writes a member with team roles. */
export async function insertUser(sql: Sql, user: UserRow): Promise<void> {
  const email = user.email ?? `${user.id}@example.com`
  await insertRow(sql, 'memberships', {
    organization_id: user.organizationId,
    user_id: user.id,
    email,
    role: user.role ?? 'ORG_MEMBER',
    first_name: user.id,
    ...user.columns,
  })
  for (const [teamId, role] of Object.entries(user.teamRoles ?? {})) {
    await insertRow(sql, 'team_members', {
      organization_id: user.organizationId,
      team_id: teamId,
      user_id: user.id,
      role,
    })
  }
}

/** Puts a user, who has the default address, in a further organization, as an operator's import does. */
export async function shareUser(sql: Sql, id: string, organizationId: string): Promise<void> {
  await insertUser(sql, { id, organizationId })
  await sql.execute('UPDATE memberships SET in_several_organizations = true WHERE user_id = $1', [id])
}

/** A key to insert. */
export interface ApiKeyRow {
  /** Default: a new one. */
  readonly id?: string
  readonly organizationId: string
  /** Absent: a key of the organization. */
  readonly teamId?: string
  /** Default: `pk`. */
  readonly kind?: ApiKeyKind
  /** Default: all. */
  readonly permissions?: readonly Permission[]
}

/** A key with its secret and the token of a one-hour session. */
export interface InsertedApiKey {
  readonly id: string
  readonly secret: string
  readonly token: string
}

/** Writes a key with an active session. */
export async function insertApiKey(sql: Sql, key: ApiKeyRow): Promise<InsertedApiKey> {
  const kind = key.kind ?? 'pk'
  const inserted = {
    id: key.id ?? randomUUID(),
    secret: newSecret(kind),
    token: await newToken(sql, 'svc_token_', key.organizationId),
  }
  await insertRow(sql, 'api_keys', {
    id: inserted.id,
    organization_id: key.organizationId,
    team_id: key.teamId ?? null,
    kind,
    name: `Key ${kind}`,
    secret_hash: sha256(inserted.secret),
    permissions: [...(key.permissions ?? keyPermissions)],
    chain_id: inserted.id,
  })
  await insertRow(sql, 'api_key_sessions', {
    organization_id: key.organizationId,
    token_hash: sha256(inserted.token),
    api_key_id: inserted.id,
    expires_at: inAnHour(),
  })
  return inserted
}

/**
 * Writes 2,000 keys of `it` for tests that rotate some, `managed-0` and so on, as many to revoke, `revocable-0`, and as
 * many departments to delete, `department-0`.
 */
export async function insertManagedKeys(sql: Sql): Promise<void> {
  await sql.execute(
    `INSERT INTO api_keys (id, organization_id, team_id, kind, secret_hash, permissions, chain_id)
     SELECT id, $1, $2, 'pk', sha256(id::bytea), '{tickets:read}', id
       FROM (SELECT kind || n AS id FROM unnest('{managed-,revocable-}'::text[]) kind, generate_series(0, 2000) n) keys`,
    [fixture.acme, fixture.it],
  )
  await sql.execute(
    `INSERT INTO department_options (organization_id, id, name, name_key)
     SELECT $1, 'department-' || n, 'Unused ' || n, 'unused ' || n FROM generate_series(0, 2000) n`,
    [fixture.acme],
  )
}

/** An event of the organization that is in the feed, the first one. */
export const feedEvent = '018f3b7a-0000-7000-8000-000000e10000'

/** Writes that event, before anything else is done. */
export async function insertFeedEvent(sql: Sql): Promise<void> {
  const organization = { organization_id: fixture.acme }
  const done = { action: 'team.create', actor_kind: 'SYSTEM', target_type: 'team', target_id: fixture.it }
  await insertRow(sql, 'audit_events', { id: feedEvent, ...organization, ...done, team_id: fixture.it })
  await insertRow(sql, 'event_feed', {
    ...organization,
    position: 1,
    first_event_id: feedEvent,
    last_event_id: feedEvent,
    event_count: 1,
  })
  await insertRow(sql, 'event_heads', { ...organization, position: 1 })
}

/** Writes a user token that lasts an hour, and returns it. */
export async function insertUserToken(
  sql: Sql,
  { userId, organizationId = fixture.acme }: { userId: string; organizationId?: string },
): Promise<string> {
  const token = await newToken(sql, 'svc_user_', organizationId)
  await insertRow(sql, 'user_tokens', {
    token_hash: sha256(token),
    organization_id: organizationId,
    user_id: userId,
    expires_at: inAnHour(),
  })
  return token
}

async function newToken(sql: Sql, prefix: string, organizationId: string): Promise<string> {
  const [found] = await sql.query<{ key: Buffer }>(`SELECT key FROM signing_keys WHERE name = 'bearer_token'`)
  if (found === undefined) throw new Error('the database has no key for tokens')
  const start = prefix + randomBytes(32).toString('base64url')
  return start + createSealer(found.key, BEARER_SEAL).seal(start, organizationId)
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A secret of the form of docs/secret-scanning.md, with its checksum. */
function newSecret(kind: ApiKeyKind): string {
  const random = Array.from(randomBytes(43), (byte) => BASE62.charAt(byte % 62)).join('')
  const text = `svc_secret_${kind}_${random}`
  let rest = crc32(text)
  let checksum = ''
  for (let digit = 0; digit < 6; digit++) {
    checksum = BASE62.charAt(rest % 62) + checksum
    rest = Math.floor(rest / 62)
  }
  return text + checksum
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function inAnHour(): Date {
  return new Date(Date.now() + 3_600_000)
}
