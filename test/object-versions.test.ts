import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { services } from '../src/handlers/routes.js'
import { httpFormOf } from '../src/limits/method-rules.js'
import { disableEndpoint, noteFailing } from '../src/store/webhook-endpoint.js'
import {
  fixture,
  insertApiKey,
  insertFeedEvent,
  insertFixture,
  insertManagedKeys,
  insertUserToken,
} from './support/fixture.js'
import { methodNamed, type RequestJson, restFormOf } from './support/method-forms.js'
import { startTestService, type TestService } from './support/service.js'
import { writeCalls } from './support/write-calls.js'
import { exportLines, importLines } from './transfer/transfer-text.js'

const { acme, groups, users } = fixture

/** The objects that a method reads. */
interface Objects {
  readonly table: string
  /** The path of one, whose row is `x`. */
  readonly path: string
  /** Rows beside its own that belong to it. */
  readonly beside?: string
  /** Whether the tag is of what is shown alone. */
  readonly isOfValues?: true
}

const members =
  'SELECT y.user_id FROM group_members y WHERE y.organization_id = x.organization_id AND y.group_id = x.id'

const objects: Readonly<Record<string, Objects>> = {
  GetAccessPolicy: { table: 'access_policies', path: `'/v2/access-policies/' || x.id` },
  GetAccessPolicyApprovalProcedure: {
    table: 'approval_procedures',
    path: `'/v2/access-policies/' || x.access_policy_id || '/approval-procedures/' || x.id`,
  },
  GetApiKey: { table: 'api_keys', path: `'/v2/api-keys/' || x.id` },
  GetAppInstance: { table: 'app_instances', path: `'/v2/app-instances/' || x.id` },
  GetAppResource: { table: 'app_resources', path: `'/v2/app-resources/' || x.id` },
  GetEntityFieldMapping: { table: 'entity_field_mappings', path: `'/v2/entity-field-mappings/' || x.id` },
  GetEntityIngestionConfig: { table: 'entity_ingestion_configs', path: `'/v2/entity-ingestion-configs/' || x.id` },
  GetEntityType: { table: 'entity_types', path: `'/v2/entity-types/' || x.id` },
  GetGroup: {
    table: 'groups',
    path: `'/v2/groups/' || x.id`,
    beside: members,
  },
  GetOrganization: { table: 'organizations', path: `'/v2/organization'` },
  GetPriority: { table: 'priorities', path: `'/v2/priorities/' || x.id` },
  GetSlaDefinition: { table: 'sla_definitions', path: `'/v2/sla-definitions/' || x.id` },
  GetTeam: {
    table: 'teams',
    path: `'/v2/teams/' || x.id`,
    beside: 'SELECT y.user_id FROM team_members y WHERE y.organization_id = x.organization_id AND y.team_id = x.id',
  },
  GetTeamMember: {
    table: 'team_members',
    path: `'/v2/teams/' || x.team_id || '/members/' || x.user_id`,
    isOfValues: true,
  },
  GetUser: { table: 'memberships', path: `'/v2/users/' || x.user_id` },
  GetUserRelationship: { table: 'memberships', path: `'/v2/user-relationships/' || x.user_id`, isOfValues: true },
  GetWebhookEndpoint: {
    table: 'webhook_endpoints',
    path: `'/v2/webhook-endpoints/' || x.id`,
    beside: `SELECT y.id FROM webhook_secrets y WHERE y.organization_id = x.organization_id AND y.endpoint_id = x.id`,
  },
  'Users/Get': { table: 'memberships', path: `'/scim/v2/Users/' || x.user_id` },
  'Groups/Get': {
    table: 'groups',
    path: `'/scim/v2/Groups/' || x.id`,
    beside: members,
  },
}

/** What an object shows, what is known of it, and its tag. */
interface Seen {
  readonly name: string
  readonly shown: string
  readonly known: string
  readonly tag: string
  readonly version: number
}

let service: TestService
/** The keys that call, whose last use is written while they read. */
const callers = new Set<string>()
/** The objects after the last write. */
let seen: ReadonlyMap<string, Seen> | undefined
const tokens = { admin: '', key: '', directory: '' }

beforeAll(async () => {
  service = await startTestService()
  const { database } = service
  await insertFixture(database)
  await insertFeedEvent(database)
  await insertManagedKeys(database)
  await database.execute(`DELETE FROM api_keys WHERE id ~ '[0-9]{2}$'`)
  await database.execute(`DELETE FROM department_options WHERE id ~ '[0-9]{2}$'`)
  tokens.admin = await insertUserToken(database, { userId: users.admin })
  const [key, directory] = [
    await insertApiKey(database, { organizationId: acme }),
    await insertApiKey(database, { organizationId: acme, kind: 'mk' }),
  ]
  tokens.key = key.token
  tokens.directory = directory.secret
  for (const { id } of [key, directory]) callers.add(`/v2/api-keys/${id}`)
})
afterAll(() => service.stop())

/** Every object of the organization that has a tag, by its path. */
async function seeAll(): Promise<ReadonlyMap<string, Seen>> {
  const found = new Map<string, Seen>()
  for (const [name, { table, path, beside = 'SELECT 1', isOfValues }] of Object.entries(objects)) {
    const owner = table === 'organizations' ? 'id' : 'organization_id'
    const rows = await service.database.query<{ path: string; known: string; version: string }>(
      `SELECT ${path} AS path, coalesce(to_jsonb(x) ->> 'version', '0') AS version,
              jsonb_build_array(to_jsonb(x) - 'version', ARRAY(${beside} ORDER BY 1))::text AS known
         FROM ${table} x WHERE x.${owner} = $1 ORDER BY 1`,
      [acme],
    )
    const read = async (row: (typeof rows)[number]) => {
      const isScim = row.path.startsWith('/scim/')
      const token = isScim ? tokens.directory : tokens.admin
      const answer = await fetch(service.baseUrl + row.path, { headers: { authorization: `Bearer ${token}` } })
      const text = await answer.text()
      if (answer.status === 404) return
      const shown = isScim ? JSON.stringify(withoutNames(JSON.parse(text))) : text
      const known = isOfValues ? shown : row.known
      found.set(row.path, { name, shown, known, tag: answer.headers.get('etag') ?? '', version: Number(row.version) })
    }
    await Promise.all(rows.map(read))
  }
  return found
}

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

/** A resource of SCIM without its version, and without the names of others, which it only repeats. */
function withoutNames({ meta, members, ...resource }: Record<string, unknown>) {
  const ids = Array.isArray(members) ? members.map(({ value }) => value) : members
  const { manager, ...enterprise } = Object(resource[ENTERPRISE])
  const others = { groups: undefined, [ENTERPRISE]: { ...enterprise, manager: manager?.value } }
  return { ...resource, members: ids, meta: { ...Object(meta), version: undefined }, ...others }
}

/**
 * Writes, and expects that the tags of those objects change that show something else, and stay of those of which nothing
 * is changed; returns the paths of the former, but for the callers.
 */
async function expectTagsToFollow(write: () => Promise<unknown>): Promise<string[]> {
  const before = seen ?? (await seeAll())
  await write()
  seen = await seeAll()
  const changed: string[] = []
  const faults: object[] = []
  for (const [path, now] of seen) {
    const then = before.get(path)
    if (then === undefined) continue
    const isOther = now.shown !== then.shown
    if (isOther && !callers.has(path)) changed.push(path)
    const isRight = isOther ? now.tag !== then.tag : now.tag === then.tag || now.known !== then.known
    if (!isRight || now.version < then.version) faults.push({ path, then, now })
  }
  expect(faults).toEqual([])
  return changed
}

it('the objects are those of every method with a tag, and of SCIM', () => {
  const reads = services
    .flatMap(({ methods }) => methods)
    .filter((each) => /^Get/.test(each.name) && httpFormOf(each).entityTag)
  const scim = ['Users/Get', 'Groups/Get']
  expect(Object.keys(objects).toSorted()).toEqual([...reads.map(({ name }) => name), ...scim].toSorted())
})

describe('an object has another version exactly if it is another after', () => {
  const send = (method: string, path: string, token: string, json?: object) =>
    service.rest(method, path, { token, ...(json && { json }) })

  it.each(writeCalls.map(({ name, caller, request }) => ({ name, caller, request })))(
    '$name, and the same again',
    async ({ name, caller, request }) => {
      const { verb, path, json } = restFormOf(methodNamed(name), request(4))
      const call = () => send(verb, path, caller === 'admin' ? tokens.admin : tokens.key, json)
      await expectTagsToFollow(async () => expect((await call()).status).toBe(200))
      await expectTagsToFollow(call)
    },
  )

  const scim = (method: string, path: string, json?: RequestJson) => () =>
    send(method, `/scim/v2${path}`, tokens.directory, json).then(({ status, text }) => {
      if (status >= 300) throw new Error(text)
    })
  const patch = (...Operations: readonly RequestJson[]) => {
    return { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations }
  }

  it('what a directory writes', async () => {
    const user = (more: RequestJson) => {
      return { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'it-agent@example.com', ...more }
    }
    const path = `/Users/${users.agent}`
    const rename = patch({ op: 'replace', path: 'name.givenName', value: 'Ada' })
    const identify = patch({ op: 'replace', path: 'externalId', value: 'agent-1' })
    for (const [name, write] of Object.entries({
      rename: scim('PATCH', path, rename),
      identify: scim('PATCH', path, identify),
    })) {
      expect({ name, paths: await expectTagsToFollow(write) }).toEqual({
        name,
        paths: expect.arrayContaining([`/scim/v2${path}`]),
      })
      expect(await expectTagsToFollow(write)).toEqual([])
    }
    await expectTagsToFollow(scim('PUT', path, user({ title: 'Agent', active: false })))
    const manager = {
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { manager: { value: users.manager } },
    }
    await expectTagsToFollow(scim('PUT', path, user({ active: true, ...manager })))
    await expectTagsToFollow(scim('PATCH', `/Users/${users.manager}`, rename))
    await expectTagsToFollow(scim('POST', '/Users', user({ userName: 'new-one@example.com' })))

    const group = `/Groups/${groups.it}`
    const member = (op: string, value: string) => patch({ op, path: 'members', value: [{ value }] })
    for (const id of [users.agent, users.builder]) {
      expect(await expectTagsToFollow(scim('PATCH', group, member('add', id)))).toContain(`/scim/v2${group}`)
      expect(await expectTagsToFollow(scim('PATCH', group, member('add', id)))).toEqual([])
    }
    await expectTagsToFollow(scim('PATCH', group, member('remove', users.builder)))
    expect(await expectTagsToFollow(scim('DELETE', path))).toContain(`/scim/v2${group}`)
    await expectTagsToFollow(scim('DELETE', group))
  })

  it('an import, which changes nothing when it is repeated', async () => {
    const { database } = service
    // An import needs steps.
    await database.execute(
      'DELETE FROM approval_procedures p WHERE NOT EXISTS (SELECT FROM approval_steps x WHERE x.procedure_id = p.id)',
    )
    const lines = (await exportLines(database)).map((line) => line.trim())
    expect(await expectTagsToFollow(() => importLines(database, lines))).toEqual([])
    const steps = [{ id: 'step', customWorkflow: { workflowId: 'w' }, allowSelfApproval: true }]
    const others: Readonly<Record<string, (record: RequestJson) => RequestJson>> = {
      user: (record) => ({ ...record, firstName: 'Other', teamRoles: [] }),
      approvalProcedure: (record) => ({ ...record, stages: undefined, steps }),
      slaDefinition: (record) => ({ ...record, conditions: [{ id: 'c', conditionType: 'SLA_CONDITION_TYPE_START' }] }),
      entityIngestionConfig: (record) => ({ ...record, workflowName: 'Other' }),
      entityFieldMapping: (record) => ({ ...record, priority: 7 }),
    }
    const changed = lines.map((line) => {
      const [[kind, record] = ['', {}]] = Object.entries<RequestJson>(JSON.parse(line))
      return JSON.stringify({ [kind]: others[kind]?.(record) ?? { ...record, name: 'Other' } })
    })
    const paths = await expectTagsToFollow(() => importLines(database, changed))
    const kinds = new Set(paths.map((path) => seen?.get(path)?.name ?? path))
    const unimported = ['GetApiKey', 'GetTeamMember', 'GetUserRelationship', 'GetWebhookEndpoint']
    expect([...kinds].toSorted()).toEqual(
      Object.keys(objects)
        .toSorted()
        .filter((name) => !unimported.includes(name)),
    )
    expect(await expectTagsToFollow(() => importLines(database, changed))).toEqual([])
    const withMember = changed.map((line) =>
      line.includes(`"organizationId":"${acme}"`)
        ? line.replace(/"userIds":\[[^\]]*\]/, `"userIds":["${users.viewer}"]`)
        : line,
    )
    expect(await expectTagsToFollow(() => importLines(database, withMember))).not.toEqual([])
    const moved = changed.flatMap((line) => (line.includes(`"id":"${users.viewer}"`) ? line : []))
    await expectTagsToFollow(() =>
      importLines(
        database,
        moved.map((line) => line.replaceAll('it-viewer@', 'viewer@')),
      ),
    )
  })

  it('time, the use of a key, and failures of webhooks', async () => {
    const { database } = service
    const { id } = await insertApiKey(database, { organizationId: acme })
    await database.execute(`UPDATE api_keys SET expires_at = now() + interval '2 seconds' WHERE id = $1`, [id])
    seen = undefined
    expect(await expectTagsToFollow(() => delay(2_500))).toContain(`/v2/api-keys/${id}`)
    const key = { organizationId: acme, id: fixture.webhookEndpoints.it }
    const path = `/v2/webhook-endpoints/${key.id}`
    await expectTagsToFollow(() => noteFailing(database, key, null))
    expect(await expectTagsToFollow(() => noteFailing(database, key, new Date()))).toContain(path)
    expect(await expectTagsToFollow(() => noteFailing(database, key, new Date()))).toEqual([])
    await service.rest('POST', `${path}:enable`, { token: tokens.key })
    seen = undefined
    expect(await expectTagsToFollow(() => disableEndpoint(database, key, 'GONE'))).toContain(path)
  })

  it('a team is deleted and imported again', async () => {
    const { database } = service
    const line = JSON.stringify({ team: { id: 'again', organizationId: acme, name: 'Again' } })
    const tag = async () => {
      await importLines(database, [line])
      return (await service.rest('GET', '/v2/teams/again', { token: tokens.admin })).headers.get('etag')
    }
    const first = await tag()
    expect(await tag()).toBe(first)
    await service.rest('DELETE', '/v2/teams/again', { token: tokens.admin })
    expect(await tag()).not.toBe(first)
  })
})
