import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { services } from '../src/handlers/routes.js'
import { fixture, insertFixture, insertManagedKeys, insertUserToken } from './support/fixture.js'
import { startTestService, type TestService } from './support/service.js'

/** Every update of one object: where it is read, how it is written, and what else of it cannot change. */
const updates: readonly (readonly [method: string, verb: 'PUT' | 'PATCH', path: string, fixed?: string])[] = [
  ['AccessPolicyService.UpdateAccessPolicy', 'PATCH', `access-policies/${fixture.accessPolicies.it}`, 'teamId'],
  [
    'AccessPolicyApprovalProcedureService.UpdateAccessPolicyApprovalProcedure',
    'PUT',
    `access-policies/${fixture.accessPolicies.it}/approval-procedures/${fixture.approvalProcedures.it}`,
  ],
  ['AppInstanceService.UpdateAppInstance', 'PATCH', `app-instances/${fixture.appInstances.it}`, 'teamId'],
  ['EntityTypeService.UpdateEntityType', 'PATCH', `entity-types/${fixture.entityTypes.it}`, 'teamId'],
  [
    'EntityIngestionConfigService.UpdateEntityIngestionConfig',
    'PATCH',
    `entity-ingestion-configs/${fixture.ingestionConfigs.it}`,
    'teamId',
  ],
  [
    'EntityFieldMappingService.UpdateEntityFieldMapping',
    'PATCH',
    `entity-field-mappings/${fixture.fieldMappings.it}`,
    'entityTypeId',
  ],
  ['GroupService.UpdateGroup', 'PATCH', `groups/${fixture.groups.it}`],
  ['OrganizationService.UpdateOrganization', 'PATCH', 'organization', 'region'],
  ['PriorityService.UpdatePriority', 'PATCH', `priorities/${fixture.priorities.it}`, 'teamId'],
  ['SlaDefinitionService.UpdateSlaDefinition', 'PATCH', `sla-definitions/${fixture.slaDefinitions.it}`, 'teamId'],
  ['TeamService.UpdateTeam', 'PATCH', `teams/${fixture.it}`],
  ['TeamService.SetTeamMember', 'PUT', `teams/${fixture.it}/members/${fixture.users.viewer}`],
  ['UserService.UpdateUser', 'PUT', `users/${fixture.users.viewer}`],
  [
    'WebhookEndpointService.UpdateWebhookEndpoint',
    'PATCH',
    `webhook-endpoints/${fixture.webhookEndpoints.it}`,
    'teamId',
  ],
]

describe('what GET answers', () => {
  let service: TestService
  let token: string

  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    await insertManagedKeys(service.database)
    token = await insertUserToken(service.database, { userId: fixture.users.admin })
    const procedure = `access-policies/${fixture.accessPolicies.it}/approval-procedures/${fixture.approvalProcedures.it}`
    await write('PUT', procedure, { steps: [{ approvers: [{ manager: {} }] }] })
  })
  afterAll(() => service.stop())

  const read = async (path: string) => (await service.rest('GET', `/v2/${path}`, { token })).json.data
  const write = (verb: string, path: string, body: object) =>
    service.rest(verb, path.startsWith('/') ? path : `/v2/${path}`, {
      token,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  it('has a row for every update of one object', () => {
    const methods = services.flatMap((each) => each.methods.map(({ name }) => `${each.name}.${name}`))
    const named = methods.filter((name) => /\.(?:Update|Set)[A-Z]/.test(name))
    expect(updates.map(([name]) => name).sort()).toEqual(named.sort())
  })

  it.each(updates)('can be sent back whole: %s', async (method, verb, path) => {
    const before = await read(path)
    const sent = await write(verb, path, before)
    expect([sent.status, sent.json.message]).toEqual([200, undefined])
    const { updatedAt: _, fieldOwnership: __, ...after } = await read(path)
    expect(before).toMatchObject(after)

    const [serviceName, name] = method.split('.')
    // Paths name what lies above an object, requests over Connect do so in a field.
    const above = /^(?:access-policies|teams)\/[^/]+\//.test(path) ? parentOf(path) : {}
    const connect = await write('POST', `/svc.v2.${serviceName}/${name}`, { ...before, ...above })
    expect([connect.status, connect.json.message]).toEqual([200, undefined])
  })

  it.each(updates)('may have no other unknown name: %s', async (_, verb, path) => {
    const before = await read(path)
    for (const name of ['colour', 'UpdatedAt', 'ids']) {
      const { status, json } = await write(verb, path, { ...before, [name]: 'x' })
      expect([status, json.message]).toEqual([400, expect.stringContaining(`${name}: no such field`)])
    }
  })

  it.each(updates.filter(([, , , fixed]) => fixed !== undefined))(
    'keeps what an update cannot change: %s',
    async (_, verb, path, fixed = '') => {
      const before = await read(path)
      const { status, json } = await write(verb, path, { ...before, [fixed]: 'other' })
      expect([status, json.detail.debug.fieldViolations]).toEqual([
        400,
        [expect.objectContaining({ field: fixed, description: expect.stringContaining('is not the present one: ') })],
      ])
      expect(await read(path)).toEqual(before)
    },
  )

  it.each(['id', 'createdAt', 'archivedAt', 'updatedAt'])(
    'a new object takes no %s from the one it is made after',
    async (name) => {
      const {
        conditions: _,
        actionDefinitions: __,
        ...before
      } = await read(`sla-definitions/${fixture.slaDefinitions.it}`)
      const { status, json } = await write('POST', 'sla-definitions', { ...before, [name]: '2020-01-01T00:00:00.000Z' })
      expect(status).toBe(200)
      expect(json.data.id).not.toBe(before.id)
      expect(Object.values(json.data)).not.toContain('2020-01-01T00:00:00.000Z')
    },
  )

  describe('for app resources', () => {
    const resource = { resourceType: 'ROLE', name: 'Reader', tagIds: ['tag_a', 'tag_b'] }
    let before: object
    beforeAll(async () => {
      const created = await write('POST', 'app-resources', { ...resource, appInstanceId: fixture.appInstances.it })
      before = created.json.data
    })

    it.each(['/v2/app-resources/batch', '/svc.v2.AppResourceService/BatchUpdateAppResources'])(
      'can be sent back whole in a batch to %s',
      async (path) => {
        const verb = path.startsWith('/v2/') ? 'PUT' : 'POST'
        const { status, json } = await write(verb, path, { resources: [{ ...before, name: 'Writer' }] })
        expect([status, json.data]).toEqual([200, [{ ...before, name: 'Writer' }]])
      },
    )

    it.each([
      ['appInstanceId', 'other', 'a resource cannot move to another app instance'],
      ['tagIds', ['tag_b'], 'tags cannot be changed here'],
    ])('keeps what a batch cannot change: %s', async (field, other, hint) => {
      const resources = [
        { ...before, name: 'Never' },
        { ...before, id: fixture.appResources.it, [field]: other },
      ]
      const { status, json } = await write('PUT', 'app-resources/batch', { resources })
      const [violation] = json.detail.debug.fieldViolations
      const fault = { field: `resources[1].${field}`, description: `is not the present one: ${hint}` }
      expect([status, violation]).toEqual([400, expect.objectContaining(fault)])
      expect(await read(`app-resources/${Reflect.get(before, 'id')}`)).not.toMatchObject({ name: 'Never' })
    })
  })

  it('can be sent back in a batch of users', async () => {
    const { json } = await service.rest('GET', '/v2/users', { token })
    const { status, json: answer } = await write('PUT', 'users/batch', { users: json.data, validateOnly: true })
    expect([status, answer.message]).toEqual([200, undefined])
  })
})

function parentOf(path: string): Record<string, string> {
  const [collection, id = ''] = path.split('/')
  return collection === 'teams' ? { teamId: id } : { accessPolicyId: id }
}
