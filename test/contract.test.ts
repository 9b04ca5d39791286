import { type DescMessage, type DescMethod, getOption, hasOption, isFieldSet, toBinary } from '@bufbuild/protobuf'
import { DescriptorProtoSchema, MethodOptions_IdempotencyLevel, MethodOptionsSchema } from '@bufbuild/protobuf/wkt'
import { describe, expect, it } from '@jest/globals'
import { field as rules } from '../gen/buf/validate/validate_pb.js'
import { http } from '../gen/google/api/annotations_pb.js'
import { ErrorReasonSchema } from '../gen/svc/v2/error_reason_pb.js'
import { UpdateUserRequestSchema, UserProfileFieldSchema, UserSchema, UserUpdateSchema } from '../gen/svc/v2/user_pb.js'
import { accessRulesOf } from '../src/admission/access-rule.js'
import { governedFields } from '../src/domain/profile/field-ownership.js'
import { fieldNames } from '../src/domain/profile/profile-value.js'
import { errorCodes } from '../src/errors.js'
import { services } from '../src/handlers/routes.js'
import { standardRoutes } from './support/standard-resources.js'

const methods = services.flatMap((service) => service.methods)
const named = methods.map((method): [string, DescMethod] => [`${method.parent.name}.${method.name}`, method])

/** The routes that clients were promised. */
const routes: Record<string, string> = {
  'AuthService.RevokeLeakedKey': 'post /v2/auth/revoke',
  'AuthService.CreateToken': 'post /v2/auth/token',
  'ApiKeyService.GetApiKey': 'get /v2/api-keys/{id}',
  'ApiKeyService.ListApiKeys': 'get /v2/api-keys',
  'ApiKeyService.CreateApiKey': 'post /v2/api-keys',
  'ApiKeyService.RotateApiKey': 'post /v2/api-keys/{id}:rotate',
  'ApiKeyService.RevokeApiKey': 'post /v2/api-keys/{id}:revoke',
  'AppResourceService.BatchCreateAppResources': 'post /v2/app-resources/batch',
  'AppResourceService.BatchUpdateAppResources': 'put /v2/app-resources/batch',
  'AppInstanceService.ListAppInstances': 'get /v2/app-instances',
  'AppInstanceService.ListAppInstanceShares': 'get /v2/app-instances/{id}/shares',
  'AppInstanceService.ShareAppInstance': 'put /v2/app-instances/{id}/shares/{team_id}',
  'AppInstanceService.UnshareAppInstance': 'delete /v2/app-instances/{id}/shares/{team_id}',
  'JourneyService.GetJourney': 'get /v2/journeys/{id}',
  'JourneyService.ListJourneys': 'get /v2/journeys',
  'EntityIngestionConfigService.ListEntityIngestionConfigs': 'get /v2/entity-ingestion-configs',
  'EntityFieldMappingService.ListEntityFieldMappings': 'get /v2/entity-field-mappings',
  'SlaDefinitionService.ListSlaDefinitions': 'get /v2/teams/{team_id}/sla-definitions',
  'SlaDefinitionService.ArchiveSlaDefinition': 'post /v2/sla-definitions/{id}:archive',
  'SlaDefinitionService.UnarchiveSlaDefinition': 'post /v2/sla-definitions/{id}:unarchive',
  'TeamService.GetTeam': 'get /v2/teams/{id}',
  'TeamService.ListTeams': 'get /v2/teams',
  'TeamService.CreateTeam': 'post /v2/teams',
  'TeamService.UpdateTeam': 'patch /v2/teams/{id}',
  'TeamService.DeleteTeam': 'delete /v2/teams/{id}',
  'GroupService.GetGroup': 'get /v2/groups/{id}',
  'GroupService.ListGroups': 'get /v2/groups',
  'GroupService.CreateGroup': 'post /v2/groups',
  'GroupService.UpdateGroup': 'patch /v2/groups/{id}',
  'GroupService.DeleteGroup': 'delete /v2/groups/{id}',
  'GroupService.ListGroupMembers': 'get /v2/groups/{group_id}/members',
  'GroupService.ListUserGroups': 'get /v2/users/{user_id}/groups',
  'TeamService.ListUserTeams': 'get /v2/users/{user_id}/teams',
  'EventService.ListEvents': 'get /v2/events',
  'EventService.WatchEvents': 'get /v2/events:watch',
  'GroupService.AddGroupMember': 'put /v2/groups/{group_id}/members/{user_id}',
  'GroupService.RemoveGroupMember': 'delete /v2/groups/{group_id}/members/{user_id}',
  'TeamService.GetTeamMember': 'get /v2/teams/{team_id}/members/{user_id}',
  'TeamService.ListTeamMembers': 'get /v2/teams/{team_id}/members',
  'TeamService.SetTeamMember': 'put /v2/teams/{team_id}/members/{user_id}',
  'TeamService.RemoveTeamMember': 'delete /v2/teams/{team_id}/members/{user_id}',
  'WebhookEndpointService.RotateWebhookEndpointSecret': 'post /v2/webhook-endpoints/{id}:rotateSecret',
  'WebhookEndpointService.EnableWebhookEndpoint': 'post /v2/webhook-endpoints/{id}:enable',
  'WebhookEndpointService.DisableWebhookEndpoint': 'post /v2/webhook-endpoints/{id}:disable',
  'WebhookEndpointService.TestWebhookEndpoint': 'post /v2/webhook-endpoints/{id}:test',
  'WebhookEndpointService.RecoverWebhookEndpoint': 'post /v2/webhook-endpoints/{id}:recover',
  'WebhookEndpointService.ReplayWebhookEndpoint': 'post /v2/webhook-endpoints/{id}:replay',
  'WebhookEndpointService.ListWebhookDeliveries': 'get /v2/webhook-endpoints/{webhook_endpoint_id}/deliveries',
  'WebhookEndpointService.ResendWebhookDelivery':
    'post /v2/webhook-endpoints/{webhook_endpoint_id}/deliveries/{id}:resend',
  'UserService.UpdateUser': 'put /v2/users/{id}',
  'UserService.CreateUser': 'post /v2/users',
  'UserService.BatchUpdateUsers': 'put /v2/users/batch',
  'UserService.DeactivateUser': 'post /v2/users/{id}:deactivate',
  'UserService.ReactivateUser': 'post /v2/users/{id}:reactivate',
  'UserService.EndUserSessions': 'post /v2/users/{id}:endSessions',
  'UserService.ListUserSessions': 'get /v2/users/{user_id}/sessions',
  'UserService.GetUser': 'get /v2/users/{id}',
  'UserService.ListUsers': 'get /v2/users',
  'UserService.ListDepartmentOptions': 'get /v2/department-options',
  'UserService.DeleteDepartmentOption': 'delete /v2/department-options/{id}',
  'UserRelationshipService.CreateUserRelationship': 'post /v2/user-relationships',
  'UserRelationshipService.DeleteUserRelationship': 'delete /v2/user-relationships/{user_id}',
  'UserRelationshipService.GetUserRelationship': 'get /v2/user-relationships/{user_id}',
  'UserIngestionService.IngestUserProfiles': 'post /v2/user-ingestion/profiles',
  'UserIngestionService.RepublishUser': 'post /v2/users/{id}:republish',
  'AuditLogService.ListAuditEvents': 'get /v2/audit-events',
  'AuditLogService.ListAuditActions': 'get /v2/audit-actions',
  'CallerService.GetCaller': 'get /v2/caller',
  'CallerService.ListNames': 'get /v2/names',
  'DirectoryService.GetDirectoryStatus': 'get /v2/directory-status',
  'OrganizationService.GetOrganization': 'get /v2/organization',
  'OrganizationService.UpdateOrganization': 'patch /v2/organization',
  'TransferService.ImportRecords': 'post /v2/imports',
  'TransferService.ExportRecords': 'get /v2/exports',
  ...standardRoutes,
}

describe('the contract', () => {
  it('has exactly the promised methods and routes', () => {
    expect(Object.fromEntries(named.map(([name, method]) => [name, routeOf(method)]))).toEqual(routes)
  })

  it('declares for every method who may call it', () => {
    expect(accessRulesOf(services).size).toBe(methods.length)
  })

  it.each(named)('%s declares whether it may be repeated', (_, method) => {
    const { options } = method.proto
    expect(hasOption(method, http)).toBe(true)
    expect(options && isFieldSet(options, MethodOptionsSchema.field.idempotencyLevel)).toBe(true)
    const isRead = routeOf(method)?.startsWith('get') ?? false
    expect(method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS).toBe(isRead)
  })

  it.each(named)('%s requires the parameters of its path', (_, method) => {
    for (const [, name] of (routeOf(method) ?? '').matchAll(/\{(\w+)\}/g)) {
      const field = method.input.fields.find((each) => each.name === name)
      expect(field && getOption(field, rules).required).toBe(true)
    }
  })

  it('documents every reason in the catalogue, and lists every documented reason', () => {
    const documented = ErrorReasonSchema.values.map(({ name }) => name.replace('ERROR_REASON_', ''))
    expect(documented).toEqual(['UNSPECIFIED', ...Object.keys(errorCodes)])
  })

  it('names each governed field of the tables and its field of a user, in the same order', () => {
    const named = UserProfileFieldSchema.values.map(({ name }) => name.replace('USER_PROFILE_FIELD_', ''))
    expect(named).toEqual(['UNSPECIFIED', ...governedFields])
    const ofUser = UserSchema.fields.map(({ localName }) => localName)
    expect(Object.values(fieldNames).filter((name) => !ofUser.includes(name))).toEqual([])
  })

  it('says of a user in a batch what it says of one alone', () => {
    const fieldsOf = ({ proto }: DescMessage) => toBinary(DescriptorProtoSchema, { ...proto, name: '' })
    expect(fieldsOf(UserUpdateSchema)).toEqual(fieldsOf(UpdateUserRequestSchema))
  })

  it('is not served if a method lacks an access rule', () => {
    const [service] = services
    const [method] = methods
    if (service === undefined || method === undefined) throw new Error('there is no service')
    const parent = { ...service, proto: { ...service.proto, options: undefined } }
    const stranger = { ...method, parent, name: 'Stranger', proto: { ...method.proto, options: undefined } }
    expect(() => accessRulesOf([{ ...service, methods: [stranger] }])).toThrow(/Stranger has no svc\.v2\.access option/)
  })
})

function routeOf(method: DescMethod): string | undefined {
  const { pattern } = getOption(method, http)
  return pattern.case === undefined || pattern.case === 'custom' ? undefined : `${pattern.case} ${pattern.value}`
}
