import { fixture } from '../support/fixture.js'
import type { RequestJson } from '../support/method-forms.js'
import {
  methodsOf,
  ownerOf,
  requestFor,
  type StandardSample,
  type StandardVerb,
  standardSamples,
} from '../support/standard-resources.js'

/** Who calls: a key of the organization with all permissions, its admin, a caller without any, or no one. */
export type CallerName = 'key' | 'admin' | 'member' | 'nobody'

/** One call and what becomes of it: an HTTP status of the Connect protocol. */
export type MethodRequest = readonly [caller: CallerName, status: number, request: RequestJson]

const nothing = '00000000-0000-7000-8000-000000000000'
const { it, appInstances, appResources, entityTypes, journeys, priorities, slaDefinitions, users } = fixture
const profile = { externalId: 'e1', email: 'e1@example.com', firstName: 'É', primaryPhone: '+12025550123' }
const created = { appInstanceId: appInstances.it, resourceType: 'group', name: 'New' }
const resources = [{ id: appResources.it, name: 'Renamed “twice”' }, { id: appResources.itSecond }]

/** Calls of every method with their outcomes: answers, refusals of the caller, and what the rules and the data refuse. */
export const methodRequests: Readonly<Record<string, readonly MethodRequest[]>> = {
  ...Object.fromEntries(standardSamples.flatMap(standardRequests)),
  'AuditLogService/ListAuditActions': [
    ['key', 200, {}],
    ['member', 403, {}],
  ],
  'CallerService/GetCaller': [
    ['key', 200, {}],
    ['member', 200, {}],
  ],
  'CallerService/ListNames': [
    ['key', 200, { objects: [`team/${it}`, `user/${users.guest}`, `team/${nothing}`] }],
    ['member', 200, { objects: [`team/${it}`] }],
    ['key', 400, { objects: ['tema/x'] }],
  ],
  'EventService/ListEvents': [
    ['key', 200, { cursor: 'latest' }],
    ['key', 400, { cursor: 'changed' }],
    ['member', 403, {}],
  ],
  'DirectoryService/GetDirectoryStatus': [
    ['admin', 200, {}],
    ['member', 403, {}],
  ],
  'OrganizationService/GetOrganization': [['member', 200, {}]],
  'OrganizationService/UpdateOrganization': [['member', 403, { name: 'Renamed' }]],
  'GroupService/CreateGroup': [['key', 200, { name: 'New' }]],
  'GroupService/GetGroup': [['key', 404, { id: nothing }]],
  'GroupService/ListGroups': [['key', 200, { pageSize: 1 }]],
  'GroupService/UpdateGroup': [['key', 404, { id: nothing, name: 'Renamed' }]],
  'GroupService/DeleteGroup': [['key', 404, { id: nothing }]],
  'GroupService/ListGroupMembers': [['key', 404, { groupId: nothing }]],
  'GroupService/ListUserGroups': [['key', 200, { userId: users.guest }]],
  'GroupService/AddGroupMember': [['key', 404, { groupId: nothing, userId: users.guest }]],
  'GroupService/RemoveGroupMember': [['key', 404, { groupId: nothing, userId: users.guest }]],
  'TeamService/CreateTeam': [['key', 200, { name: 'New' }]],
  'TeamService/GetTeam': [
    ['key', 200, { id: it }],
    ['key', 404, { id: nothing }],
  ],
  'TeamService/ListTeams': [['key', 200, { pageSize: 1 }]],
  'TeamService/UpdateTeam': [['key', 404, { id: nothing, name: 'Renamed' }]],
  'TeamService/DeleteTeam': [['key', 404, { id: nothing }]],
  'TeamService/GetTeamMember': [
    ['key', 200, { teamId: it, userId: users.manager }],
    ['key', 404, { teamId: it, userId: nothing }],
  ],
  'TeamService/ListTeamMembers': [
    ['key', 200, { teamId: it }],
    ['key', 200, { teamId: '-', expiresBefore: '2100-01-01T00:00:00Z' }],
    ['key', 400, { teamId: '-', expiresBefore: 'tomorrow' }],
  ],
  'TeamService/ListUserTeams': [['key', 200, { userId: users.guest }]],
  'TeamService/SetTeamMember': [['key', 404, { teamId: nothing, userId: users.guest, role: 'TEAM_USER_ROLE_AGENT' }]],
  'TeamService/RemoveTeamMember': [['key', 404, { teamId: nothing, userId: users.guest }]],
  'TransferService/ImportRecords': [['member', 403, { records: [] }]],
  'UserService/BatchUpdateUsers': [
    ['key', 200, { users: [{ id: users.builder, locale: 'en-GB' }] }],
    ['key', 400, { users: [] }],
  ],
  'UserService/DeactivateUser': [['key', 404, { id: nothing }]],
  'UserService/ReactivateUser': [['key', 404, { id: nothing }]],
  'UserService/EndUserSessions': [['key', 404, { id: nothing }]],
  'ApiKeyService/GetApiKey': [
    ['admin', 200, { id: 'managed-1' }],
    ['admin', 404, { id: nothing }],
    ['key', 403, { id: 'managed-1' }],
  ],
  'ApiKeyService/ListApiKeys': [
    ['admin', 200, { teamId: it, pageSize: 2 }],
    ['admin', 400, { pageSize: -1 }],
  ],
  'ApiKeyService/CreateApiKey': [
    ['admin', 400, { name: 'Nothing' }],
    ['admin', 404, { teamId: nothing, permissions: ['tickets:read'] }],
    ['member', 403, { permissions: ['tickets:read'] }],
  ],
  'ApiKeyService/RotateApiKey': [
    ['admin', 400, { id: 'managed-2', overlapSeconds: -1 }],
    ['admin', 404, { id: nothing }],
  ],
  'ApiKeyService/RevokeApiKey': [
    ['admin', 200, { id: 'managed-3' }],
    ['admin', 404, { id: nothing }],
  ],
  'AppInstanceService/ListAppInstances': [
    ['key', 200, { teamId: it }],
    ['key', 200, { teamId: it, pageSize: 1 }],
    ['key', 200, { teamId: '-', q: 'app' }],
    ['key', 400, { teamId: it, pageSize: -1 }],
    ['key', 404, { teamId: nothing }],
  ],
  'AppInstanceService/ListAppInstanceShares': [
    ['key', 200, { id: appInstances.itSecond }],
    ['key', 400, { id: appInstances.itSecond, pageSize: -1 }],
    ['key', 404, { id: nothing }],
  ],
  'AppInstanceService/ShareAppInstance': [
    ['key', 200, { id: appInstances.itSecond, teamId: fixture.people }],
    ['key', 400, { id: appInstances.it, teamId: it }],
    ['key', 404, { id: nothing, teamId: it }],
  ],
  'AppInstanceService/UnshareAppInstance': [
    ['key', 200, { id: appInstances.itSecond, teamId: fixture.people }],
    ['key', 400, { id: appInstances.it, teamId: it }],
    ['key', 404, { id: nothing, teamId: it }],
  ],
  'AppResourceService/BatchCreateAppResources': [
    ['key', 200, { resources: [created] }],
    ['key', 400, { resources: [] }],
    ['key', 404, { resources: [created, { ...created, appInstanceId: nothing }] }],
    ['key', 409, { resources: [{ ...created, externalId: 'external-it' }] }],
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
    ['key', 200, { teamId: '-', pageSize: 1 }],
    ['key', 400, {}],
    ['key', 404, { teamId: fixture.globexIt }],
  ],
  'JourneyService/GetJourney': [
    ['key', 200, { id: journeys.it }],
    ['key', 400, { id: 'no-uuid' }],
    ['key', 404, { id: nothing }],
  ],
  'JourneyService/ListJourneys': [
    ['key', 200, { isOverdue: false, includeTotal: true }],
    ['member', 200, {}],
    ['key', 400, { pageSize: -1 }],
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
    ['key', 200, { teamId: '-', q: 'sla' }],
    ['key', 404, { teamId: nothing }],
  ],
  'UserIngestionService/IngestUserProfiles': [
    ['key', 200, { source: 'hr', profiles: [profile] }],
    ['key', 400, { source: 'hr', profiles: [profile, profile] }],
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
  'UserService/ListUserSessions': [
    ['key', 200, { userId: users.agent }],
    ['member', 403, { userId: users.agent }],
    ['key', 404, { userId: nothing }],
  ],
  'UserService/ListDepartmentOptions': [
    ['key', 200, {}],
    ['nobody', 401, {}],
  ],
  'UserService/DeleteDepartmentOption': [
    ['key', 200, { id: 'department-0' }],
    ['key', 404, { id: nothing }],
    ['nobody', 401, { id: nothing }],
  ],
  'UserService/ListUsers': [
    ['key', 200, {}],
    ['key', 400, { pageSize: -1 }],
  ],
  'WebhookEndpointService/RotateWebhookEndpointSecret': [['key', 404, { id: nothing }]],
  'WebhookEndpointService/EnableWebhookEndpoint': [['key', 404, { id: nothing }]],
  'WebhookEndpointService/DisableWebhookEndpoint': [['key', 404, { id: nothing }]],
  'WebhookEndpointService/TestWebhookEndpoint': [['key', 404, { id: nothing }]],
  'WebhookEndpointService/RecoverWebhookEndpoint': [['key', 404, { id: nothing }]],
  'WebhookEndpointService/ReplayWebhookEndpoint': [['key', 404, { id: nothing, position: 1 }]],
  'WebhookEndpointService/ListWebhookDeliveries': [
    ['key', 200, { webhookEndpointId: fixture.webhookEndpoints.it }],
    ['key', 404, { webhookEndpointId: nothing }],
  ],
  'WebhookEndpointService/ResendWebhookDelivery': [
    ['key', 404, { webhookEndpointId: fixture.webhookEndpoints.it, id: nothing }],
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
  const known = requestFor(sample, ids.it)
  const unknown = requestFor(sample, nothing)
  const { id: _, ...list } = known
  const writer = writtenByUsersOnly ? 'admin' : 'key'
  const requests: Readonly<Record<StandardVerb, readonly MethodRequest[]>> = {
    Get: [
      ['key', 200, known],
      ['key', 404, unknown],
    ],
    List: [
      ['key', 200, { ...list, includeTotal: true }],
      ['key', 400, { ...list, pageSize: -1 }],
    ],
    Create: [
      [writer, 200, create(1)],
      [writer, 400, {}],
      [writer, 404, { ...create(2), [ownerOf(sample).field]: nothing }],
    ],
    Update: [
      [writer, 200, { ...known, ...change?.(1) }],
      ['member', 403, known],
      [writer, 404, unknown],
    ],
    Delete: [[writer, 404, unknown], ...(referrers === undefined ? [] : [[writer, 400, known] as const])],
  }
  return methodsOf(sample).map(([verb, name]) => [`${sample.name}Service/${name}`, requests[verb]] as const)
}
