import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { type DescMethodUnary, type DescService, type MessageInitShape, toJson } from '@bufbuild/protobuf'
import { ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { BadRequestSchema, ErrorInfoSchema } from '../gen/google/rpc/error_details_pb.js'
import { AccessPolicyApprovalProcedureService } from '../gen/svc/v2/access_policy_approval_procedure_pb.js'
import { AppInstanceService } from '../gen/svc/v2/app_instance_pb.js'
import { AppResourceService } from '../gen/svc/v2/app_resource_pb.js'
import { EntityFieldMappingService } from '../gen/svc/v2/entity_field_mapping_pb.js'
import { EntityIngestionConfigService } from '../gen/svc/v2/entity_ingestion_config_pb.js'
import { JourneyService } from '../gen/svc/v2/journey_pb.js'
import { PriorityService } from '../gen/svc/v2/priority_pb.js'
import { SlaDefinitionService } from '../gen/svc/v2/sla_definition_pb.js'
import { UserService } from '../gen/svc/v2/user_pb.js'
import { importRecords } from '../src/transfer/import-records.js'
import { insertUserToken } from './support/fixture.js'
import { protocols, startTestService, type TestService } from './support/service.js'

interface Row {
  readonly service: DescService
  readonly method: DescMethodUnary
  readonly request: MessageInitShape<DescMethodUnary['input']>
  /** The same over REST: method, path and body. */
  readonly rest: readonly [string, string, unknown?]
}

const journey = '0198a1c0-7d00-7000-8000-000000000001'
const stages = [{ steps: [{ approvers: [{ kind: { case: 'manager', value: {} }, notify: true }] }] }]

const rows: readonly Row[] = [
  {
    service: AccessPolicyApprovalProcedureService,
    method: AccessPolicyApprovalProcedureService.method.createAccessPolicyApprovalProcedure,
    request: { accessPolicyId: 'policy_standard', stages },
    rest: [
      'POST',
      '/v2/access-policies/policy_standard/approval-procedures',
      { stages: [{ steps: [{ approvers: [{ manager: {}, notify: true }] }] }] },
    ],
  },
  {
    service: AppResourceService,
    method: AppResourceService.method.batchUpdateAppResources,
    request: { resources: [{ id: 'resource_arm_control', name: 'Arm control' }] },
    rest: ['PUT', '/v2/app-resources/batch', { resources: [{ id: 'resource_arm_control', name: 'Arm control' }] }],
  },
  {
    service: PriorityService,
    method: PriorityService.method.updatePriority,
    request: { id: 'pri_urgent', isAiSelectable: false },
    rest: ['PATCH', '/v2/priorities/pri_urgent', { isAiSelectable: false }],
  },
  {
    service: AppInstanceService,
    method: AppInstanceService.method.listAppInstances,
    request: { teamId: 'team_it' },
    rest: ['GET', '/v2/app-instances?teamId=team_it'],
  },
  {
    service: JourneyService,
    method: JourneyService.method.getJourney,
    request: { id: journey },
    rest: ['GET', `/v2/journeys/${journey}`],
  },
  {
    service: JourneyService,
    method: JourneyService.method.listJourneys,
    request: { isOverdue: true, isArchived: false, pageSize: 1, includeTotal: true },
    rest: ['GET', '/v2/journeys?isOverdue=true&isArchived=false&pageSize=1&includeTotal=true'],
  },
  {
    service: EntityIngestionConfigService,
    method: EntityIngestionConfigService.method.listEntityIngestionConfigs,
    request: { teamId: 'team_it' },
    rest: ['GET', '/v2/entity-ingestion-configs?team_id=team_it'],
  },
  {
    service: EntityFieldMappingService,
    method: EntityFieldMappingService.method.listEntityFieldMappings,
    request: { entityTypeId: 'type_device' },
    rest: ['GET', '/v2/entity-field-mappings?entityTypeId=type_device'],
  },
  {
    service: SlaDefinitionService,
    method: SlaDefinitionService.method.listSlaDefinitions,
    request: { teamId: 'team_it' },
    rest: ['GET', '/v2/teams/team_it/sla-definitions'],
  },
  {
    service: UserService,
    method: UserService.method.listUsers,
    request: { includeDeactivated: true },
    rest: ['GET', '/v2/users?includeDeactivated=true'],
  },
]

describe('every protocol gives the same response as REST', () => {
  let service: TestService
  let token: string

  beforeAll(async () => {
    service = await startTestService()
    const demo = createReadStream(join(import.meta.dirname, '..', 'demo', 'organization.ndjson'))
    await importRecords(service.database, demo, { runtime: service.runtime })
    const [admin] = await service.database.query<{ user_id: string }>(
      `SELECT user_id FROM memberships WHERE organization_id = 'org_acme' AND role = 'ORG_ADMIN' ORDER BY ordinal`,
    )
    token = await insertUserToken(service.database, { userId: admin?.user_id ?? '', organizationId: 'org_acme' })
  })
  afterAll(() => service.stop())

  for (const { service: desc, method, request, rest } of rows) {
    it.each(protocols)(`${method.name} over %s`, async (protocol) => {
      const [verb, path, json] = rest
      const answer = await service.rest(verb, path, { token, json })
      expect(answer.status).toBe(200)
      const call: unknown = Reflect.get(service.client(desc, token, protocol), method.localName)
      if (typeof call !== 'function') throw new Error(`the client has no ${method.localName}`)
      const message = await call(request)
      expect(withoutNewIds(toJson(method.output, message, { alwaysEmitImplicit: true }))).toEqual(
        withoutNewIds(answer.json),
      )
    })
  }

  it.each(protocols)('an error over %s has the same code, message and reason as over REST', async (protocol) => {
    const answer = await service.rest('GET', '/v2/teams/team_nobody/sla-definitions', { token })
    const error = await service
      .client(SlaDefinitionService, token, protocol)
      .listSlaDefinitions({ teamId: 'team_nobody' })
      .then(
        () => undefined,
        (thrown: unknown) => ConnectError.from(thrown),
      )
    expect([answer.status, answer.json.message]).toEqual([404, error?.rawMessage])
    expect(error?.findDetails(ErrorInfoSchema)[0]?.reason).toBe('ERROR_REASON_RESOURCE_NOT_FOUND')
  })

  it.each(protocols)(
    'a violated limit is reported over %s as over REST, before the priority is looked up',
    async (protocol) => {
      const broken = { name: '', description: 'a\u0007' }
      const answer = await service.rest('PATCH', '/v2/priorities/pri_nowhere', { token, json: broken })
      const error = await service
        .client(PriorityService, token, protocol)
        .updatePriority({ id: 'pri_nowhere', ...broken })
        .then(
          () => undefined,
          (thrown: unknown) => ConnectError.from(thrown),
        )
      expect([answer.status, answer.json.message]).toEqual([400, error?.rawMessage])
      const [detail] = error?.findDetails(BadRequestSchema) ?? []
      expect(detail?.fieldViolations.map(({ field, reason }) => [field, reason])).toEqual([
        ['name', 'ERROR_REASON_FIELD_INVALID'],
        ['description', 'ERROR_REASON_FIELD_INVALID'],
      ])
    },
  )

  it.each(protocols)('an id of a million characters over %s is not found, like any unknown id', async (protocol) => {
    const error = await service
      .client(SlaDefinitionService, token, protocol)
      .listSlaDefinitions({ teamId: 'x'.repeat(1_000_000) })
      .then(
        () => undefined,
        (thrown: unknown) => ConnectError.from(thrown),
      )
    expect(error?.findDetails(ErrorInfoSchema)[0]?.reason).toBe('ERROR_REASON_RESOURCE_NOT_FOUND')
  })
})

/** Ids that the server makes anew in each call, by their form (UUIDv7), taken out of an answer. */
function withoutNewIds(value: unknown): unknown {
  const text = JSON.stringify(value)
  return JSON.parse(text.replaceAll(/"id":"01[0-9a-f]{6}-[0-9a-f]{4}-7[0-9a-f-]+"/g, '"id":"new"'))
}
