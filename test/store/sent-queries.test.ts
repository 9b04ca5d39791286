import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { eventually } from '../support/eventually.js'
import { fixture, type InsertedApiKey, insertApiKey, insertFixture, insertUserToken } from '../support/fixture.js'
import { type Sent, type SentQueries, watchSentQueries } from '../support/sent-queries.js'
import { type RestCall, startTestService, type TestService } from '../support/service.js'
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
  byKey(`GET /v2/app-instances?teamId=${team}`, undefined, ['team.findUnique', 'list_app_instances']),
  byKey('GET /v2/app-instances?teamId=-&q=app', undefined, ['list_app_instances']),
  byKey(`GET /v2/journeys/${journeys.it}`, undefined, ['print_journey']),
  byKey('GET /v2/journeys', undefined, ['list_journeys']),
  byKey('GET /v2/journeys?isOverdue=true&includeTotal=true', undefined, [
    'list_journeys_by_lateness',
    'count_journeys',
  ]),
  byKey('GET /v2/users?includeTotal=true', undefined, ['list_users', 'count_users']),
  byKey(`GET /v2/entity-ingestion-configs?teamId=${team}`, undefined, ['list_entity_ingestion_configs_of_teams']),
  byKey('GET /v2/entity-ingestion-configs?teamId=-', undefined, ['list_entity_ingestion_configs']),
  byKey(`GET /v2/entity-field-mappings?entityTypeId=${entityTypes.it}`, undefined, [
    'list_entity_field_mappings_of_entity_types',
  ]),
  byKey(`GET /v2/teams/${team}/sla-definitions`, undefined, ['list_sla_definitions_of_teams']),
  byKey('GET /v2/teams/-/sla-definitions?q=sla', undefined, ['list_sla_definitions']),
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
        'lock_memberships_for_no_key_update',
        'take_locks',
        'find_value_holders',
        'change_user',
        'lock_department_options_for_key_share',
        'departmentOption.createMany',
        ...eventWrites,
      ),
    ],
  ),
  byKey('POST /v2/users', { email: 'new@example.com', firstName: 'New' }, [
    inTransaction('take_locks', 'find_value_holders', 'membership.create', ...eventWrites, 'print_user'),
  ]),
  byKey('POST /v2/user-relationships', { userId: users.agent, relatedUserId: users.manager }, [
    inTransaction(
      'lock_memberships_for_no_key_update',
      'take_locks',
      'read_manager_chains',
      'membership.update',
      ...eventWrites,
    ),
  ]),
  byKey(`DELETE /v2/user-relationships/${users.agent}`, undefined, [
    inTransaction('lock_memberships_for_no_key_update', 'membership.update', ...eventWrites),
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
    // The first sweep is over.
    await eventually(async () => {
      queries.take()
      await wait(500)
      expect(queries.take()).toEqual([])
    })
  })
  afterAll(() => service.stop())

  it.each(operations)('%s', async (line, call, sent) => {
    const [method = '', path = ''] = line.split(' ')
    queries.take()
    expect((await service.rest(method, path, call(credentials))).status).toBe(200)
    expect(queries.take()).toEqual(sent)
  })
})

/** What operations send beside calls of models. */
const besideModels: Readonly<Record<string, RegExp>> = {
  'who calls, and how often': /^(?:select_(?:key|member)_of_token|admit_address)$/,
  'locks, which read what they lock': /^(?:take_locks|lock_\w+)$/,
  'a set from outside, and recursion': /^(?:find_value_holders|read_manager_chains)$/,
  'events, a set from outside': new RegExp(`^(?:${eventWrites.join('|')})$`),
  'the answer of a write': /^print_(?:approval_procedures|user)$/,
}
/** The reasons are in docs/adr/0005-prisma-behind-every-service.md. */
const exceptions = [
  'PUT /v2/app-resources/batch',
  'PATCH /v2/priorities',
  'PUT /v2/users',
  'GET /v2/app-instances',
  'GET /v2/journeys',
  'GET /v2/users',
  'GET /v2/entity-ingestion-configs',
  'GET /v2/entity-field-mappings',
  'GET /v2/teams',
]

describe('an operation reads, creates and changes by models', () => {
  it.each(operations.map(([line, , sent]) => [line, sent] as const))('%s, or is a named exception', (line, sent) => {
    const names = sent.flatMap((each) => (typeof each === 'string' ? [each] : each.sent))
    const others = names.filter(
      (name) => !name.includes('.') && !Object.values(besideModels).some((reason) => reason.test(name)),
    )
    expect(others.length > 0).toBe(exceptions.some((exception) => line.startsWith(exception)))
  })
})

/** What a call of a model cannot do; the names of those that have another reason follow. */
const reasons: Readonly<Record<string, RegExp>> = {
  'prints JSON in the database': /\bto_json\(|\bjsonb?_(?:build_object|agg)\(/,
  'locks rows or values': /\bFOR (?:(?:NO KEY )?UPDATE|(?:KEY )?SHARE)\b|\bpg_advisory_xact_lock\(/,
  'takes a set of rows as one parameter': /\bunnest\(|\bjson_(?:to_recordset|populate_recordset|array_elements)\(/,
  'reads or takes a page': /\bLIMIT (?:\$?\d|\(SELECT \$\d)/,
  recurs: /\bWITH RECURSIVE\b/,
  'works on rows that an import has staged': /\b(?:staged_\w+|import_rows)\b/,
  'counts by the condition of its list': /^SELECT count\(\*\)/,
}
const otherReasons: Readonly<Record<string, string>> = {
  claim_idempotency_key: 'replaces a row only if it has expired',
  delete_revoke_attempts: 'compares the last one of a list of times',
  import_statistics: 'is ANALYZE',
  insert_event_outbox: 'is the second half of insert_events_and_outbox, for a cluster',
  read_feed_states: 'reads two tables at one moment',
  recover_webhook_deliveries: 'compares a time with another of the same row',
  sequence_events: 'calls a function of the database',
}

describe('a statement bypasses the models', () => {
  it('only to do what they cannot', () => {
    const without = [...statements.values()]
      .filter(({ text }) => !Object.values(reasons).some((reason) => reason.test(text.trim())))
      .map(({ name }) => name)
    expect(without.toSorted()).toEqual(Object.keys(otherReasons))
  })
})
