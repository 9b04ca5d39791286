import { type DescMethod, getOption, hasOption } from '@bufbuild/protobuf'
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import { describe, expect, it } from '@jest/globals'
import { field as rules } from '../gen/buf/validate/validate_pb.js'
import { http } from '../gen/google/api/annotations_pb.js'
import { ErrorReasonSchema } from '../gen/svc/v2/error_reason_pb.js'
import { UserProfileFieldSchema, UserSchema } from '../gen/svc/v2/user_pb.js'
import { methodAccessOf } from '../src/admission/access-rule.js'
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
  'AccessPolicyApprovalProcedureService.CreateAccessPolicyApprovalProcedure':
    'post /v2/access-policies/{access_policy_id}/approval-procedures',
  'AppResourceService.BatchUpdateAppResources': 'put /v2/app-resources/batch',
  'AppInstanceService.ListAppInstances': 'get /v2/app-instances',
  'JourneyService.GetJourney': 'get /v2/journeys/{id}',
  'EntityIngestionConfigService.ListEntityIngestionConfigs': 'get /v2/entity-ingestion-configs',
  'EntityFieldMappingService.ListEntityFieldMappings': 'get /v2/entity-field-mappings',
  'SlaDefinitionService.ListSlaDefinitions': 'get /v2/teams/{team_id}/sla-definitions',
  'SlaDefinitionService.ArchiveSlaDefinition': 'post /v2/sla-definitions/{id}:archive',
  'SlaDefinitionService.UnarchiveSlaDefinition': 'post /v2/sla-definitions/{id}:unarchive',
  'UserService.UpdateUser': 'put /v2/users/{id}',
  'UserService.CreateUser': 'post /v2/users',
  'UserService.GetUser': 'get /v2/users/{id}',
  'UserService.ListUsers': 'get /v2/users',
  'UserService.ListDepartmentOptions': 'get /v2/department-options',
  'UserRelationshipService.CreateUserRelationship': 'post /v2/user-relationships',
  'UserRelationshipService.DeleteUserRelationship': 'delete /v2/user-relationships/{user_id}',
  'UserRelationshipService.GetUserRelationship': 'get /v2/user-relationships/{user_id}',
  'UserIngestionService.IngestUserProfiles': 'post /v2/user-ingestion/profiles',
  'UserIngestionService.RepublishUser': 'post /v2/users/{id}:republish',
  'AuditLogService.ListAuditEvents': 'get /v2/audit-events',
  ...standardRoutes,
}

describe('the contract', () => {
  it('has exactly the promised methods and routes', () => {
    expect(Object.fromEntries(named.map(([name, method]) => [name, routeOf(method)]))).toEqual(routes)
  })

  it('declares for every method who may call it', () => {
    expect(methodAccessOf(services).size).toBe(methods.length)
  })

  it.each(named)('%s declares whether it may be repeated', (_, method) => {
    expect(hasOption(method, http)).toBe(true)
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

  it('is not served if a method lacks an access rule', () => {
    const [service] = services
    const [method] = methods
    if (service === undefined || method === undefined) throw new Error('there is no service')
    const stranger = { ...method, name: 'Stranger', proto: { ...method.proto, options: undefined } }
    expect(() => methodAccessOf([{ ...service, methods: [stranger] }])).toThrow(
      /Stranger has no svc\.v2\.access option/,
    )
  })
})

function routeOf(method: DescMethod): string | undefined {
  const { pattern } = getOption(method, http)
  return pattern.case === undefined || pattern.case === 'custom' ? undefined : `${pattern.case} ${pattern.value}`
}
