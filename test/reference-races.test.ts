import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { fixture, insertApiKey, insertFixture, insertRow, insertUserToken } from './support/fixture.js'
import { untilLockWaits } from './support/lock-wait.js'
import { callMethod, formsOf, type Outcome, type RequestJson } from './support/method-forms.js'
import { startTestService, type TestService } from './support/service.js'
import type { Sql } from './support/sql.js'

const { acme, it: team, accessPolicies, appInstances, entityTypes, ingestionConfigs, users } = fixture

let service: TestService
let admin: string
let serial = 0

beforeAll(async () => {
  service = await startTestService()
  await insertFixture(service.database)
  admin = await insertUserToken(service.database, { userId: users.admin })
})
afterAll(() => service.stop())

const call = (name: string, request: RequestJson): Promise<Outcome> =>
  callMethod(service, formsOf(name), { protocol: 'REST', request, token: admin })

/** What others refer to: where it is stored, with what is needed besides ids, and how it is deleted. */
const targets = {
  Team: { table: 'teams', row: { name: 'Gone' } },
  Group: { table: 'groups', row: { name: 'Gone' } },
  AccessPolicy: { table: 'access_policies', row: { team_id: team, name: 'Gone' } },
  AppInstance: { table: 'app_instances', row: { team_id: team, name: 'Gone' } },
  EntityType: { table: 'entity_types', row: { team_id: team, name: 'Gone' } },
  EntityIngestionConfig: {
    table: 'entity_ingestion_configs',
    row: { team_id: team, app_instance_id: appInstances.it, internal_entity_type_id: entityTypes.it },
  },
} as const
type Target = keyof typeof targets

async function newTarget(kind: Target): Promise<string> {
  const { table, row } = targets[kind]
  const id = `target-${++serial}`
  await insertRow(service.database, table, { id, organization_id: acme, ...row })
  return id
}

const record = (kind: string, value: object) => ({ records: [{ [kind]: { id: `record-${++serial}`, ...value } }] })
const approvedBy = (groupId: string) => [{ approvers: [{ group: { groupId } }] }]

/** Every way to refer to something, by what it is. */
const writes: readonly (readonly [method: string, target: Target, request: (id: string) => RequestJson])[] = [
  ['CreatePriority', 'Team', (teamId) => ({ teamId, priority: 'P1', name: 'New' })],
  ['CreateEntityType', 'Team', (teamId) => ({ teamId, name: 'New' })],
  ['CreateAccessPolicy', 'Team', (teamId) => ({ teamId, name: 'New' })],
  ['CreateAppInstance', 'Team', (teamId) => ({ teamId, name: 'New' })],
  ['CreateApiKey', 'Team', (teamId) => ({ teamId, permissions: ['tickets:read'] })],
  ['SetTeamMember', 'Team', (teamId) => ({ teamId, userId: users.viewer, role: 'TEAM_USER_ROLE_VIEWER' })],
  ['ShareAppInstance', 'Team', (teamId) => ({ id: appInstances.itSecond, teamId })],
  ['AddGroupMember', 'Group', (groupId) => ({ groupId, userId: users.viewer })],
  [
    'CreateAccessPolicyApprovalProcedure',
    'Group',
    (groupId) => ({ accessPolicyId: accessPolicies.it, steps: approvedBy(groupId) }),
  ],
  [
    'CreateAccessPolicyApprovalProcedure',
    'AccessPolicy',
    (accessPolicyId) => ({ accessPolicyId, steps: [{ approvers: [{ manager: {} }] }] }),
  ],
  [
    'CreateAppInstance',
    'AccessPolicy',
    (defaultAccessPolicyId) => ({ teamId: team, name: 'A', defaultAccessPolicyId }),
  ],
  ['UpdateAppInstance', 'AccessPolicy', (defaultAccessPolicyId) => ({ id: appInstances.it, defaultAccessPolicyId })],
  ['ShareAppInstance', 'AppInstance', (id) => ({ id, teamId: fixture.people })],
  ['CreateAppResource', 'AppInstance', (appInstanceId) => ({ appInstanceId, resourceType: 'group', name: 'New' })],
  [
    'BatchCreateAppResources',
    'AppInstance',
    (appInstanceId) => ({ resources: [{ appInstanceId, resourceType: 'group', name: 'New' }] }),
  ],
  [
    'CreateEntityIngestionConfig',
    'AppInstance',
    (appInstanceId) => ({ teamId: team, appInstanceId, internalEntityTypeId: entityTypes.it }),
  ],
  [
    'UpdateEntityIngestionConfig',
    'EntityType',
    (internalEntityTypeId) => ({ id: ingestionConfigs.it, internalEntityTypeId }),
  ],
  [
    'CreateEntityFieldMapping',
    'EntityType',
    (entityTypeId) => ({ entityTypeId, ingestionConfigId: ingestionConfigs.it, internalFieldId: 'field' }),
  ],
  [
    'UpdateEntityFieldMapping',
    'EntityIngestionConfig',
    (ingestionConfigId) => ({ id: fixture.fieldMappings.it, ingestionConfigId }),
  ],
  ['ImportRecords', 'Team', (teamId) => record('priority', { teamId, priority: 'P1', name: 'New' })],
  [
    'ImportRecords',
    'AccessPolicy',
    (defaultAccessPolicyId) => record('appInstance', { teamId: team, name: 'New', defaultAccessPolicyId }),
  ],
  [
    'ImportRecords',
    'AppInstance',
    (appInstanceId) =>
      record('appResource', { appInstanceId, resourceType: 'group', name: 'New', scopedId: `ares_${serial}` }),
  ],
]

const withoutId = ({ status, reason, message, fields, metadata }: Outcome, id: string) =>
  JSON.parse(
    JSON.stringify({ status, reason, message, fields, metadata })
      .replaceAll(id, '{id}')
      .replace(/record-\d+|ares_\d+/g, ''),
  )

describe('a write that refers to something', () => {
  it.each(writes)(
    'by %s, to a %s that is being deleted, is refused as if it were gone',
    async (name, kind, request) => {
      const id = await newTarget(kind)
      let answer: Promise<Outcome> | undefined
      await service.database.transaction(async (sql) => {
        await sql.execute(`DELETE FROM ${targets[kind].table} WHERE organization_id = $1 AND id = $2`, [acme, id])
        answer = call(name, request(id))
        await untilLockWaits(service.testDatabase, 1)
      })
      const absent = await call(name, request('target-0'))
      expect(withoutId((await answer) as Outcome, id)).toEqual(withoutId(absent, 'target-0'))
      expect([400, 404]).toContain(absent.status)
    },
  )
})

/** Rows that keep something from being deleted. */
const referrers: readonly (readonly [table: string, target: Target, row: (id: string) => Record<string, unknown>])[] = [
  ['priorities', 'Team', (id) => ({ team_id: id, priority: 'P1', name: 'New', scoped_id: `pri_${id}` })],
  ['app_instances', 'Team', (id) => ({ team_id: id, name: 'New' })],
  ['app_instances', 'AccessPolicy', (id) => ({ team_id: team, name: 'New', default_access_policy_id: id })],
  ['approval_procedures', 'AccessPolicy', (id) => ({ access_policy_id: id, timeout_seconds: 300 })],
  [
    'entity_ingestion_configs',
    'AppInstance',
    (id) => ({ app_instance_id: id, team_id: team, internal_entity_type_id: entityTypes.it }),
  ],
  [
    'entity_field_mappings',
    'EntityType',
    (id) => ({ entity_type_id: id, ingestion_config_id: ingestionConfigs.it, internal_field_id: 'field' }),
  ],
  [
    'entity_field_mappings',
    'EntityIngestionConfig',
    (id) => ({ entity_type_id: entityTypes.it, ingestion_config_id: id, internal_field_id: 'field' }),
  ],
]

describe('a deletion', () => {
  const deleteBeside = async (kind: Target, refer: (sql: Sql, id: string) => Promise<unknown>) => {
    const id = await newTarget(kind)
    let answer: Promise<Outcome> | undefined
    await service.database.transaction(async (sql) => {
      await refer(sql, id)
      answer = call(`Delete${kind}`, { id })
      await untilLockWaits(service.testDatabase, 1)
    })
    return answer
  }

  it.each(referrers)('beside a new row of %s is refused, because the %s is in use', async (table, kind, row) => {
    const refer = (sql: Sql, id: string) =>
      insertRow(sql, table, { id: `referrer-${id}`, organization_id: acme, ...row(id) })
    expect(await deleteBeside(kind, refer)).toMatchObject({ status: 400, reason: 'RESOURCE_IN_USE' })
  })

  it('beside a new key is refused, because the team is in use', async () => {
    const refer = (sql: Sql, teamId: string) => insertApiKey(sql, { organizationId: acme, teamId })
    expect(await deleteBeside('Team', refer)).toMatchObject({ status: 400, reason: 'RESOURCE_IN_USE' })
  })
})
