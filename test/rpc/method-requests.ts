import { fixture } from '../support/fixture.js'
import type { RequestJson } from '../support/method-doors.js'
import { methodsOf, type StandardSample, type StandardVerb, standardSamples } from '../support/standard-resources.js'

/** Who calls: a key of the organization with all permissions, its admin, a caller without any, or no one. */
export type CallerName = 'key' | 'admin' | 'member' | 'nobody'

/** One call and what becomes of it: an HTTP status of the Connect protocol. */
export type MethodRequest = readonly [caller: CallerName, status: number, request: RequestJson]

const nothing = '00000000-0000-7000-8000-000000000000'
const { it, accessPolicies, appInstances, appResources, entityTypes, journeys, priorities, slaDefinitions, users } =
  fixture
const profile = { externalId: 'e1', email: 'e1@example.com', firstName: 'É', primaryPhone: '+12025550123' }
const resources = [{ id: appResources.it, name: 'Renamed “twice”' }, { id: appResources.itSecond }]

/** Calls of every method with their outcomes: answers, refusals of the caller, and what the rules and the data refuse. */
export const methodRequests: Readonly<Record<string, readonly MethodRequest[]>> = {
  ...Object.fromEntries(standardSamples.flatMap(standardRequests)),
  'AccessPolicyApprovalProcedureService/CreateAccessPolicyApprovalProcedure': [
    ['key', 200, { accessPolicyId: accessPolicies.it, steps: [{ approvers: [{ manager: {}, notify: true }] }] }],
    ['key', 400, { accessPolicyId: accessPolicies.it, timeoutSeconds: 1 }],
    ['key', 404, { accessPolicyId: nothing, steps: [{ approvers: [{ manager: {} }] }] }],
  ],
  'AppInstanceService/ListAppInstances': [
    ['key', 200, { teamId: it }],
    ['key', 200, { teamId: it, pageSize: 1 }],
    ['key', 400, { teamId: it, pageSize: -1 }],
    ['key', 404, { teamId: nothing }],
  ],
  'AppResourceService/BatchUpdateAppResources': [
    ['key', 200, { resources }],
    ['key', 400, { resources: [] }],
    ['key', 404, { resources: [...resources, { id: nothing }] }],
    ['key', 409, { resources: resources.map(({ id }) => ({ id, externalId: 'same' })) }],
  ],
  'AuditLogService/ListAuditEvents': [
    ['admin', 200, {}],
    ['admin', 400, { since: 'yesterday' }],
    ['admin', 400, { pageToken: 'x' }],
  ],
  'AuthService/CreateToken': [
    ['nobody', 400, {}],
    ['nobody', 401, { grant_type: 'client_credentials', client_id: nothing, client_secret: 'none' }],
  ],
  'AuthService/RevokeLeakedKey': [
    ['nobody', 200, { secret: 'no secret' }],
    ['nobody', 400, {}],
  ],
  'EntityFieldMappingService/ListEntityFieldMappings': [
    ['key', 200, { entityTypeId: entityTypes.it }],
    ['key', 400, {}],
    ['key', 404, { entityTypeId: nothing }],
  ],
  'EntityIngestionConfigService/ListEntityIngestionConfigs': [
    ['key', 200, { teamId: it, appInstanceId: appInstances.it }],
    ['key', 400, {}],
    ['key', 404, { teamId: fixture.globexIt }],
  ],
  'JourneyService/GetJourney': [
    ['key', 200, { id: journeys.it }],
    ['key', 400, { id: 'no-uuid' }],
    ['key', 404, { id: nothing }],
  ],
  'PriorityService/UpdatePriority': [
    [
      'admin',
      200,
      { id: priorities.it, name: 'Ünïcödé \u{1f680}', description: 'd'.repeat(1500), isAiSelectable: false },
    ],
    ['admin', 400, { id: priorities.it, name: '' }],
    ['admin', 404, { id: nothing }],
    ['key', 403, { id: priorities.it }],
  ],
  'SlaDefinitionService/ArchiveSlaDefinition': [
    ['key', 200, { id: slaDefinitions.it }],
    ['member', 403, { id: slaDefinitions.it }],
    ['key', 404, { id: nothing }],
  ],
  'SlaDefinitionService/UnarchiveSlaDefinition': [
    ['key', 200, { id: slaDefinitions.it }],
    ['member', 403, { id: slaDefinitions.it }],
    ['key', 404, { id: nothing }],
  ],
  'SlaDefinitionService/ListSlaDefinitions': [
    ['key', 200, { teamId: it }],
    ['key', 404, { teamId: nothing }],
  ],
  'UserIngestionService/IngestUserProfiles': [
    ['key', 200, { source: 'hr', profiles: [profile] }],
    ['key', 400, { source: 'hr', profiles: [{ ...profile, email: 'none' }] }],
  ],
  'UserIngestionService/RepublishUser': [
    ['key', 200, { id: users.agent }],
    ['key', 404, { id: nothing }],
  ],
  'UserRelationshipService/CreateUserRelationship': [
    ['admin', 200, { userId: users.agent, relatedUserId: users.manager }],
    ['admin', 400, { userId: users.agent, relatedUserId: users.agent }],
    ['admin', 404, { userId: nothing, relatedUserId: users.manager }],
  ],
  'UserRelationshipService/DeleteUserRelationship': [
    ['admin', 200, { userId: users.viewer }],
    ['admin', 404, { userId: nothing }],
  ],
  'UserRelationshipService/GetUserRelationship': [
    ['key', 200, { userId: users.agent }],
    ['key', 404, { userId: nothing }],
  ],
  'UserService/CreateUser': [
    ['admin', 200, { email: 'new@example.com', firstName: 'New' }],
    ['admin', 400, { email: 'new' }],
    ['admin', 409, { email: `${users.agent}@example.com` }],
  ],
  'UserService/GetUser': [
    ['key', 200, { id: users.agent }],
    ['member', 403, { id: users.agent }],
    ['key', 404, { id: nothing }],
  ],
  'UserService/ListDepartmentOptions': [
    ['key', 200, {}],
    ['nobody', 401, {}],
  ],
  'UserService/ListUsers': [
    ['key', 200, {}],
    ['key', 400, { pageSize: -1 }],
  ],
  'UserService/UpdateUser': [
    ['key', 200, { id: users.agent, jobTitle: 'Agent', pinFields: ['USER_PROFILE_FIELD_JOB_TITLE'] }],
    ['key', 400, { id: users.agent, pinFields: ['USER_PROFILE_FIELD_JOB_TITLE'] }],
    ['key', 404, { id: nothing, jobTitle: 'Agent' }],
  ],
}

/** Calls of the standard methods of a resource. */
function standardRequests(sample: StandardSample): (readonly [method: string, requests: readonly MethodRequest[]])[] {
  const { fixture: ids, create, change, referrers, writtenByUsersOnly } = sample
  const { it: id } = ids
  const writer = writtenByUsersOnly ? 'admin' : 'key'
  const requests: Readonly<Record<StandardVerb, readonly MethodRequest[]>> = {
    Get: [
      ['key', 200, { id }],
      ['key', 404, { id: nothing }],
    ],
    List: [
      ['key', 200, { includeTotal: true }],
      ['key', 400, { pageSize: -1 }],
    ],
    Create: [
      [writer, 200, create(1)],
      [writer, 400, {}],
      [writer, 404, { ...create(2), teamId: nothing }],
    ],
    Update: [
      [writer, 200, { id, ...change(1) }],
      ['member', 403, { id }],
      [writer, 404, { id: nothing }],
    ],
    Delete: [[writer, 404, { id: nothing }], ...(referrers === undefined ? [] : [[writer, 400, { id }] as const])],
  }
  return methodsOf(sample).map(([verb, name]) => [`${sample.name}Service/${name}`, requests[verb]] as const)
}
