import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { schema } from '../../gen/prisma/schema.js'
import { ImportRecordSchema } from '../../gen/svc/v2/import_record_pb.js'
import { fixture, type InsertedApiKey, insertApiKey, insertFixture, insertUserToken } from '../support/fixture.js'
import { type Sent, type SentQueries, watchSentQueries } from '../support/sent-queries.js'
import { type RestCall, startTestService, type TestService } from '../support/service.js'
import { standardSamples, tableOf } from '../support/standard-resources.js'
import { eventWrites } from '../support/statement-count.js'
import { statements } from '../support/statements.js'

const { accessPolicies, appResources, entityTypes, it: team, journeys, priorities, users } = fixture

interface Credentials {
  readonly key: InsertedApiKey
  readonly userToken: string
}

type Operation = [line: string, call: (credentials: Credentials) => RestCall, sent: Sent[]]

/** With the token of a key: what is sent after its look-up. */
function byKey(line: string, json: unknown, sent: Sent[]): Operation {
  const call = ({ key: { token } }: Credentials) => (json === undefined ? { token } : { token, json })
  return [line, call, ['select_key_of_token', ...sent]]
}

function inTransaction(...sent: string[]): Sent {
  return { transaction: 'Prisma', sent }
}

const operations: Operation[] = [
  byKey(
    `POST /v2/access-policies/${accessPolicies.it}/approval-procedures`,
    { steps: [{ approvers: [{ appOwner: {} }, { user: { userId: users.agent } }] }] },
    [
      inTransaction(
        'lock_access_policies_for_share',
        'lock_memberships_for_key_share',
        'approvalProcedure.create',
        'print_approval_procedures',
        ...eventWrites,
      ),
    ],
  ),
  byKey('PUT /v2/app-resources/batch', { resources: [{ id: appResources.it, name: 'New', externalId: 'new' }] }, [
    inTransaction(
      'lock_app_resources_of_batch_for_update',
      'lock_app_instances_for_no_key_update',
      'update_app_resources',
      ...eventWrites,
    ),
  ]),
  [
    `PATCH /v2/priorities/${priorities.it}`,
    ({ userToken: token }) => ({ token, json: { name: 'New' } }),
    ['select_member_of_token', 'update_priority'],
  ],
  byKey(`GET /v2/app-instances?teamId=${team}`, undefined, ['list_app_instances_10000']),
  byKey('GET /v2/app-instances?teamId=-&q=app', undefined, ['search_app_instances']),
  byKey(`GET /v2/journeys/${journeys.it}`, undefined, ['print_journey']),
  byKey('GET /v2/journeys', undefined, ['list_journeys']),
  byKey('GET /v2/journeys?isOverdue=true&includeTotal=true', undefined, [
    'list_journeys_by_lateness',
    'count_journeys',
  ]),
  byKey('GET /v2/users?includeTotal=true', undefined, ['list_users_10000', 'count_users', 'count_users']),
  byKey(`GET /v2/entity-ingestion-configs?teamId=${team}`, undefined, ['list_configs']),
  byKey('GET /v2/entity-ingestion-configs?teamId=-', undefined, ['list_entity_ingestion_configs']),
  byKey(`GET /v2/entity-field-mappings?entityTypeId=${entityTypes.it}`, undefined, ['list_mappings']),
  byKey(`GET /v2/teams/${team}/sla-definitions`, undefined, ['list_sla_definitions_of_team']),
  byKey('GET /v2/teams/-/sla-definitions?q=sla', undefined, ['search_sla_definitions']),
  byKey(
    `PUT /v2/users/${users.agent}`,
    {
      firstName: 'New',
      department: 'New',
      primaryPhone: '+14155552671',
      pinFields: ['USER_PROFILE_FIELD_FIRST_NAME'],
    },
    [
      inTransaction(
        'take_locks',
        'find_value_holders',
        'lock_memberships_for_no_key_update',
        'change_members',
        'departmentOption.findMany',
        'departmentOption.createMany',
        ...eventWrites,
        'print_user',
      ),
    ],
  ),
  byKey('POST /v2/users', { email: 'new@example.com', firstName: 'New' }, [
    inTransaction('take_locks', 'find_value_holders', 'membership.create', ...eventWrites, 'print_user'),
  ]),
  byKey('POST /v2/user-relationships', { userId: users.agent, relatedUserId: users.manager }, [
    inTransaction(
      'take_locks',
      'lock_memberships_for_no_key_update',
      'read_manager_chains',
      'change_members',
      ...eventWrites,
    ),
  ]),
  byKey(`DELETE /v2/user-relationships/${users.agent}`, undefined, [
    inTransaction('lock_memberships_for_no_key_update', 'change_members', ...eventWrites),
  ]),
  // Last, because it ends the key.
  [
    'POST /v2/auth/revoke',
    ({ key: { secret } }) => ({ form: { secret } }),
    [
      'admit_address',
      inTransaction(
        'apiKey.findFirst',
        'lock_api_keys_for_no_key_update',
        'apiKey.updateManyAndReturn',
        'apiKeySession.deleteMany',
        ...eventWrites,
        'eventOutbox.deleteMany',
      ),
    ],
  ],
]

describe('an operation sends to the database', () => {
  let service: TestService
  let queries: SentQueries
  let credentials: Credentials
  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    credentials = {
      key: await insertApiKey(service.database, { organizationId: fixture.acme }),
      userToken: await insertUserToken(service.database, { userId: users.manager }),
    }
    // The key that opens tokens is read once.
    await service.rest('GET', '/v2/teams', { token: credentials.userToken })
    queries = watchSentQueries(service.database)
  })
  afterAll(() => service.stop())

  it.each(operations)('%s', async (line, call, sent) => {
    const [method = '', path = ''] = line.split(' ')
    queries.take()
    expect((await service.rest(method, path, call(credentials))).status).toBe(200)
    expect(queries.take()).toEqual(sent)
  })
})

describe('the stores', () => {
  const kinds = ImportRecordSchema.fields.map(({ name }) => name).join('|')
  const ofKind = new RegExp(`(?<=^(?:export|import|stage)_)(?:${kinds})(?=_|$)`)
  // Of the same text with another limit, with a filter or in another order.
  const variant = /(?:_(?:whole|\d+|of_(?:email|config|app_instance|actions)|by_lateness|by_end))+$/
  /** Of `createRowLock`: the same text with another table, other columns and another strength. */
  const rowLock = /^.*_for_(?:(?:no_)?key_)?(?:update|share)$/
  const ofSearches = /(?<=^list_)directory_(?:members|groups)$/
  /** Of `createFilteredPages`: the same text with another table, other filters and another order. */
  const filteredPages = /^(?:list_(?:objects|team_members|webhook_deliveries)|search_(?:objects|users))$/
  /** Of `createOwnedList`: the same text with another table, another order and, perhaps, a condition. */
  const ownedList = /^list_(?:configs|mappings|sla_definitions_of_team)$/
  /** Of `createCount`: the same text with another table and other filters. */
  const count = /^count_(?!import_).*$/
  const ofStandardMethods = new RegExp(
    `(?<=^(?:print|list|search)_)(?:${['api_keys', 'teams', 'groups', ...standardSamples.map(tableOf)].join('|')})$`,
  )
  /** The texts of two that a cluster takes one after the other. */
  const together = /^insert_told_events$/
  const part = /(?<=_child)_.*$/

  it('register few statements, counting variants by kind, page size and the like once', () => {
    const names = [...statements.keys()].map((name) =>
      name
        .replace(ofKind, 'kind')
        .replace(ofStandardMethods, 'objects')
        .replace(ofSearches, 'found')
        .replace(rowLock, 'lock_rows')
        .replace(part, '')
        .replace(variant, '')
        .replace(filteredPages, 'list_filtered')
        .replace(ownedList, 'list_owned')
        .replace(count, 'count')
        .replace(together, 'insert_audit_events'),
    )
    expect(new Set(names).size).toBeLessThanOrEqual(57)
  })

  it('use models', () => {
    const models = Object.keys(schema).map((name) => name.charAt(0).toLowerCase() + name.slice(1))
    const operation =
      '(?:find(?:Unique|First|Many)|create|update|upsert|delete|count|aggregate|groupBy)(?:Many)?(?:AndReturn|OrThrow)?'
    const call = new RegExp(`\\b(?:${models.join('|')})\\s*\\.${operation}\\(`, 'g')
    const folder = join(import.meta.dirname, '..', '..', 'src', 'store')
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    const sources = files.filter((path) => path.endsWith('.ts') && path !== 'demo.ts')
    const texts = sources.map((path) => readFileSync(join(folder, path), 'utf8'))
    const calls = texts.flatMap((text) => text.match(call) ?? [])
    // Each has a creation, an update and a deletion through its model.
    const standardStores = texts.flatMap((text) => text.match(/= createStandardStore\(/g) ?? [])
    expect(calls.length + 3 * standardStores.length).toBeGreaterThanOrEqual(80)
  })
})
