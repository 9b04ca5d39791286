import { randomUUID } from 'node:crypto'
import { services } from '../../../src/handlers/routes.js'
import { fixture, insertRow } from '../../support/fixture.js'
import { methodNamed, type RequestJson, restFormOf } from '../../support/method-forms.js'
import type { Sql } from '../../support/sql.js'
import {
  isNested,
  methodsOf,
  ownerColumn,
  ownerOf,
  requestFor,
  type StandardSample,
  standardSamples,
  tableOf,
} from '../../support/standard-resources.js'

const { acme, appInstances, entityTypes, it, groups: groupIds, priorities, users } = fixture
/** A walk ends here, even if it never ends. */
const MOST = 4_000

/** A list, and what changes it. */
export interface PagedList {
  readonly name: string
  add(): Promise<void>
  remove(id: string): Promise<void>
  /** Whether rows are removed during walks too, not only between them. */
  readonly isRemovedFrom: boolean
  /** The ids that the list has. */
  ids(): Promise<string[]>
  /** The ids of all pages, in the order in which they come. */
  walk(pageSize: number): Promise<string[]>
}

/** Who writes and lists. */
export interface PagesClients {
  readonly api: Send
  readonly scim: Send
}

/** Sends requests with a credential. Throws for any failure but 404, which a removal of the same row leads to. */
export type Send = (method: string, path: string, body?: object) => Promise<Answer>

// biome-ignore lint/suspicious/noExplicitAny: the parts of answers that are read have no common type.
type Answer = any

export function clientOf(origin: string, token: string): Send {
  return async (method, path, body) => {
    const response = await fetch(origin + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok && response.status !== 404) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
}

/** Calls a method by its REST form. */
function call(api: Send, method: string, request: RequestJson): Promise<Answer> {
  const { verb, path, json } = restFormOf(methodNamed(method), request)
  return api(verb, path, json)
}

async function newUser(api: Send): Promise<string> {
  const { data } = await call(api, 'CreateUser', { email: `${randomUUID()}@example.com` })
  return data.id
}

/** The names of the methods that list in pages. */
export function pagedMethods(): string[] {
  return services.flatMap(({ methods }) =>
    methods.flatMap(({ name, input }) => (input.fields.some((field) => field.name === 'page_token') ? name : [])),
  )
}

/** Every list in pages. */
export function listsOf(sql: Sql, { api, scim }: PagesClients): PagedList[] {
  const people = {
    add: async () => {
      await newUser(api)
    },
    remove: async (id: string) => {
      if (id !== users.admin) await scim('DELETE', `/Users/${id}`)
    },
    ids: () =>
      idsIn(sql, 'SELECT user_id AS id FROM memberships WHERE organization_id = $1 AND deactivated_at IS NULL'),
  }
  const groups = {
    add: async () => {
      await scim('POST', '/Groups', {
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
        displayName: randomUUID(),
      })
    },
    remove: async (id: string) => {
      await scim('DELETE', `/Groups/${id}`)
    },
    isRemovedFrom: false,
    ids: () => idsIn(sql, 'SELECT id FROM groups WHERE organization_id = $1'),
  }
  return [
    // First, because the others add events and users.
    {
      name: 'ListAuditEvents',
      add: async () => {
        await api('PATCH', `/v2/priorities/${priorities.it}`, { description: randomUUID() })
      },
      remove: async (id) => {
        await sql.execute('DELETE FROM audit_events WHERE id::text = $1', [id])
      },
      isRemovedFrom: true,
      ids: () => idsIn(sql, 'SELECT id::text AS id FROM audit_events WHERE organization_id = $1'),
      walk: (size) => walkTokens(api, 'ListAuditEvents', {}, size),
    },
    {
      name: 'ListUsers',
      ...people,
      isRemovedFrom: true,
      walk: (size) => walkTokens(api, 'ListUsers', {}, size),
    },
    // A position is not a key: rows removed before it move the others.
    {
      name: 'Users of SCIM, rows added',
      ...people,
      isRemovedFrom: false,
      ids: () => scimIds(sql),
      walk: (size) => walkPositions(scim, '/Users', size),
    },
    ...standardSamples.flatMap((sample) => standardList(sql, api, sample)),
    ...['Team', 'Group'].map((name) => organizationList(sql, api, name)),
    appInstanceShares(sql, api),
    teamMembers(sql, api),
    groupMembers(sql, api),
    userTeams(sql, api),
    userGroups(sql, api),
    {
      name: 'ListApiKeys',
      add: async () => {
        await call(api, 'CreateApiKey', { name: 'Paged', permissions: ['tickets:read'] })
      },
      remove: async (id) => {
        await sql.execute('DELETE FROM api_keys WHERE id = $1 AND name = $2', [id, 'Paged'])
      },
      isRemovedFrom: true,
      ids: () => idsIn(sql, 'SELECT id FROM api_keys WHERE organization_id = $1'),
      walk: (size) => walkTokens(api, 'ListApiKeys', {}, size),
    },
    webhookDeliveries(sql, api),
    rowList(sql, api, { name: 'ListAppInstances', table: 'app_instances', query: { teamId: it } }),
    rowList(sql, api, {
      name: 'ListSlaDefinitions',
      table: 'sla_definitions',
      query: { teamId: '-' },
      columns: { target_duration_seconds: 60, starting_point: 'TICKET_CREATED', metric: 'RESOLUTION' },
    }),
    rowList(sql, api, {
      name: 'ListEntityIngestionConfigs',
      table: 'entity_ingestion_configs',
      named: 'service_name',
      query: { teamId: '-' },
      columns: { app_instance_id: appInstances.it, internal_entity_type_id: entityTypes.it },
    }),
    rowList(sql, api, { name: 'ListJourneys', table: 'journeys', query: {} }),
    // Last, because only the directory can remove its groups.
    { name: 'Groups of SCIM, rows added', ...groups, walk: (size) => walkPositions(scim, '/Groups', size) },
  ]
}

/** What an endpoint has not accepted: an event of the audit log each. */
function webhookDeliveries(sql: Sql, api: Send): PagedList {
  const name = 'ListWebhookDeliveries'
  const webhookEndpointId = fixture.webhookEndpoints.it
  let position = 0
  return {
    name,
    add: async () => {
      const id = randomUUID()
      const target = { organization_id: acme, target_type: 'team', target_id: it }
      await insertRow(sql, 'audit_events', { id, ...target, actor_kind: 'SYSTEM', action: 'team.update' })
      const delivery = { event_id: id, endpoint_id: webhookEndpointId, position: ++position, due_at: new Date() }
      await insertRow(sql, 'webhook_deliveries', { ...target, ...delivery })
    },
    remove: async (id) => {
      await sql.execute('DELETE FROM webhook_deliveries WHERE event_id::text = $1', [id])
    },
    isRemovedFrom: true,
    ids: () => idsIn(sql, 'SELECT event_id::text AS id FROM webhook_deliveries WHERE organization_id = $1'),
    walk: (size) => walkTokens(api, name, { webhookEndpointId }, size),
  }
}

/** The list of a standard resource, if it has one: what has its team from a parent is listed by parent. */
function standardList(sql: Sql, api: Send, sample: StandardSample): PagedList[] {
  const name = methodsOf(sample).find(([verb]) => verb === 'List')?.[1]
  if (name === undefined) return []
  const { field, fixture: owners } = ownerOf(sample)
  const query: RequestJson = isNested(sample) ? { [field]: owners.it } : {}
  const where = isNested(sample) ? ` AND ${ownerColumn(sample)} = $2` : ''
  const known: readonly string[] = Object.values(sample.fixture)
  let serial = 0
  return [
    {
      name,
      add: async () => {
        await call(api, `Create${sample.name}`, sample.create(++serial))
      },
      remove: async (id) => {
        if (!known.includes(id)) await call(api, `Delete${sample.name}`, requestFor(sample, id))
      },
      isRemovedFrom: true,
      ids: () =>
        idsIn(
          sql,
          `SELECT id FROM ${tableOf(sample)} WHERE organization_id = $1${where}`,
          ...(where === '' ? [] : [owners.it]),
        ),
      walk: (size) => walkTokens(api, name, query, size),
    },
  ]
}

/** The list of what belongs to the organization itself. */
function organizationList(sql: Sql, api: Send, name: string): PagedList {
  return {
    name: `List${name}s`,
    add: async () => {
      await call(api, `Create${name}`, { name: randomUUID() })
    },
    remove: async (id) => {
      if (/^[0-9a-f-]{36}$/.test(id)) await call(api, `Delete${name}`, { id })
    },
    isRemovedFrom: true,
    ids: () => idsIn(sql, `SELECT id FROM ${name.toLowerCase()}s WHERE organization_id = $1`),
    walk: (size) => walkTokens(api, `List${name}s`, {}, size),
  }
}

/** What is listed of which table. */
interface RowList {
  readonly name: string
  readonly table: string
  /** The column of names; default: `name`. */
  readonly named?: string
  readonly query: RequestJson
  /** What else a row needs. */
  readonly columns?: Readonly<Record<string, unknown>>
}

/** A list whose rows are written as they are stored. */
function rowList(sql: Sql, api: Send, { name, table, named = 'name', query, columns = {} }: RowList): PagedList {
  const owner = { organization_id: acme, team_id: it }
  return {
    name,
    add: () => insertRow(sql, table, { id: randomUUID(), ...owner, [named]: 'Paged', ...columns }),
    remove: async (id) => {
      await sql.execute(`DELETE FROM ${table} WHERE id::text = $1 AND ${named} = $2`, [id, 'Paged'])
    },
    isRemovedFrom: true,
    ids: () => idsIn(sql, `SELECT id::text AS id FROM ${table} WHERE organization_id = $1 AND ${named} = $2`, 'Paged'),
    walk: (size) => walkTokens(api, name, query, size),
  }
}

function teamMembers(sql: Sql, api: Send): PagedList {
  const teamId = it
  return {
    name: 'ListTeamMembers',
    add: async () => {
      await call(api, 'SetTeamMember', { teamId, userId: await newUser(api), role: 'TEAM_USER_ROLE_AGENT' })
    },
    remove: async (userId) => {
      await call(api, 'RemoveTeamMember', { teamId, userId })
    },
    isRemovedFrom: true,
    ids: () => idsIn(sql, 'SELECT user_id AS id FROM team_members WHERE organization_id = $1 AND team_id = $2', teamId),
    walk: (size) => walkTokens(api, 'ListTeamMembers', { teamId }, size),
  }
}

function userTeams(sql: Sql, api: Send): PagedList {
  const userId = users.admin
  return {
    name: 'ListUserTeams',
    add: async () => {
      const { data } = await call(api, 'CreateTeam', { name: randomUUID() })
      await call(api, 'SetTeamMember', { teamId: data.id, userId, role: 'TEAM_USER_ROLE_AGENT' })
    },
    remove: async (teamId) => {
      await call(api, 'RemoveTeamMember', { teamId, userId })
    },
    isRemovedFrom: true,
    ids: () => idsIn(sql, 'SELECT team_id AS id FROM team_members WHERE organization_id = $1 AND user_id = $2', userId),
    walk: (size) => walkTokens(api, 'ListUserTeams', { userId }, size, 'teamId'),
  }
}

function userGroups(sql: Sql, api: Send): PagedList {
  const userId = users.admin
  return {
    name: 'ListUserGroups',
    add: async () => {
      const { data } = await call(api, 'CreateGroup', { name: randomUUID() })
      await call(api, 'AddGroupMember', { groupId: data.id, userId })
    },
    remove: async (groupId) => {
      await call(api, 'RemoveGroupMember', { groupId, userId })
    },
    isRemovedFrom: true,
    ids: () =>
      idsIn(sql, 'SELECT group_id AS id FROM group_members WHERE organization_id = $1 AND user_id = $2', userId),
    walk: (size) => walkTokens(api, 'ListUserGroups', { userId }, size),
  }
}

function appInstanceShares(sql: Sql, api: Send): PagedList {
  const id = appInstances.itSecond
  return {
    name: 'ListAppInstanceShares',
    add: async () => {
      const { data } = await call(api, 'CreateTeam', { name: randomUUID() })
      await call(api, 'ShareAppInstance', { id, teamId: data.id })
    },
    remove: async (teamId) => {
      await call(api, 'UnshareAppInstance', { id, teamId })
    },
    isRemovedFrom: true,
    ids: () =>
      idsIn(
        sql,
        'SELECT team_id AS id FROM app_instance_shares WHERE organization_id = $1 AND app_instance_id = $2',
        id,
      ),
    walk: (size) => walkTokens(api, 'ListAppInstanceShares', { id }, size),
  }
}

function groupMembers(sql: Sql, api: Send): PagedList {
  const groupId = groupIds.it
  return {
    name: 'ListGroupMembers',
    add: async () => {
      await call(api, 'AddGroupMember', { groupId, userId: await newUser(api) })
    },
    remove: async (userId) => {
      await call(api, 'RemoveGroupMember', { groupId, userId })
    },
    isRemovedFrom: true,
    ids: () =>
      idsIn(sql, 'SELECT user_id AS id FROM group_members WHERE organization_id = $1 AND group_id = $2', groupId),
    walk: (size) => walkTokens(api, 'ListGroupMembers', { groupId }, size),
  }
}

/** The ids of all pages of a method; members have those of their users, and shares those of their teams. */
async function walkTokens(
  api: Send,
  method: string,
  query: RequestJson,
  pageSize: number,
  id?: 'teamId',
): Promise<string[]> {
  const ids: string[] = []
  let pageToken = ''
  do {
    const { data, nextPageToken } = await call(api, method, { ...query, pageSize, pageToken })
    ids.push(...data.map((item: Item) => (id && item[id]) ?? item.id ?? item.userId ?? item.teamId))
    pageToken = nextPageToken
  } while (pageToken !== '' && ids.length < MOST)
  return ids
}

/** What has its own id, or those of what it is about. */
interface Item {
  readonly id?: string
  readonly userId?: string
  readonly teamId: string
}

async function walkPositions(send: Send, path: string, size: number): Promise<string[]> {
  const ids: string[] = []
  for (;;) {
    const { Resources = [] } = await send('GET', `${path}?startIndex=${ids.length + 1}&count=${size}&attributes=id`)
    if (Resources.length === 0 || ids.length > MOST) return ids
    ids.push(...Resources.map(({ id }: { readonly id: string }) => id))
  }
}

async function scimIds(sql: Sql): Promise<string[]> {
  return idsIn(sql, 'SELECT user_id AS id FROM memberships WHERE organization_id = $1 AND directory_deleted_at IS NULL')
}

async function idsIn(sql: Sql, query: string, ...values: readonly string[]): Promise<string[]> {
  return (await sql.query<{ id: string }>(query, [acme, ...values])).map(({ id }) => id)
}
