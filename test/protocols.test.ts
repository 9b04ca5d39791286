import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { fromJson, type JsonObject, toJson } from '@bufbuild/protobuf'
import { ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { BadRequestSchema, ErrorInfoSchema } from '../gen/google/rpc/error_details_pb.js'
import { PriorityService } from '../gen/svc/v2/priority_pb.js'
import { SlaDefinitionService } from '../gen/svc/v2/sla_definition_pb.js'
import { importRecords } from '../src/transfer/import-records.js'
import { insertDemoCallers } from './support/demo-requests.js'
import { methodNamed, restFormOf } from './support/method-forms.js'
import { readCalls } from './support/read-calls.js'
import { protocols, startTestService, type TestService } from './support/service.js'

/** Every method that reads, except the feed, which may grow in the meantime, and streams. */
const reads = readCalls.flatMap(([name, request, isStream]): [string, JsonObject][] =>
  isStream || name === 'ListEvents' ? [] : [[name, request]],
)

/** Methods with requests as JSON. */
const rows: readonly (readonly [name: string, request: JsonObject])[] = [
  ...reads,
  ['ListJourneys', { isOverdue: true, isArchived: false, pageSize: 1, includeTotal: true }],
  ['ListUsers', { includeDeactivated: true }],
  [
    'CreateAccessPolicyApprovalProcedure',
    { accessPolicyId: 'policy_standard', stages: [{ steps: [{ approvers: [{ manager: {}, notify: true }] }] }] },
  ],
  ['BatchUpdateAppResources', { resources: [{ id: 'resource_arm_control', name: 'Arm control' }] }],
  ['UpdatePriority', { id: 'pri_urgent', isAiSelectable: false }],
]

describe('every protocol gives the same response as REST', () => {
  let service: TestService
  let token: string

  beforeAll(async () => {
    service = await startTestService()
    const demo = createReadStream(join(import.meta.dirname, '..', 'demo', 'organization.ndjson'))
    await importRecords(service.database, demo, { runtime: service.runtime })
    token = (await insertDemoCallers(service.database)).administrator
  })
  afterAll(() => service.stop())

  describe.each(rows)('%s with %j', (name, request) => {
    const method = methodNamed(name)
    it.each(protocols)('over %s', async (protocol) => {
      const { verb, path, json } = restFormOf(method, request)
      const answer = await service.rest(verb, path, { token, ...(json && { json }) })
      expect([answer.status, answer.text]).toEqual([200, answer.text])
      const call: unknown = Reflect.get(service.client(method.parent, token, protocol), method.localName)
      if (typeof call !== 'function') throw new Error(`the client has no ${method.localName}`)
      const message = await call(fromJson(method.input, request))
      expect(withoutNewIds(toJson(method.output, message, { alwaysEmitImplicit: true }))).toEqual(
        withoutNewIds(answer.json),
      )
    })
  })

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
