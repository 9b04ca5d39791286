import { type DescService, getOption } from '@bufbuild/protobuf'
import type { ConnectRouter, Interceptor } from '@connectrpc/connect'
import { access } from '../../gen/svc/v2/access_pb.js'
import { AccessPolicyApprovalProcedureService } from '../../gen/svc/v2/access_policy_approval_procedure_pb.js'
import {
  AccessPolicyService,
  CreateAccessPolicyResponseSchema,
  DeleteAccessPolicyResponseSchema,
  GetAccessPolicyResponseSchema,
  ListAccessPoliciesResponseSchema,
  UpdateAccessPolicyResponseSchema,
} from '../../gen/svc/v2/access_policy_pb.js'
import { AppInstanceService, ListAppInstancesResponseSchema } from '../../gen/svc/v2/app_instance_pb.js'
import { AppResourceService, BatchUpdateAppResourcesResponseSchema } from '../../gen/svc/v2/app_resource_pb.js'
import { AuditLogService, ListAuditEventsResponseSchema } from '../../gen/svc/v2/audit_log_pb.js'
import { AuthService } from '../../gen/svc/v2/auth_pb.js'
import {
  EntityFieldMappingService,
  ListEntityFieldMappingsResponseSchema,
} from '../../gen/svc/v2/entity_field_mapping_pb.js'
import {
  EntityIngestionConfigService,
  ListEntityIngestionConfigsResponseSchema,
} from '../../gen/svc/v2/entity_ingestion_config_pb.js'
import {
  CreateEntityTypeResponseSchema,
  DeleteEntityTypeResponseSchema,
  EntityTypeService,
  GetEntityTypeResponseSchema,
  ListEntityTypesResponseSchema,
  UpdateEntityTypeResponseSchema,
} from '../../gen/svc/v2/entity_type_pb.js'
import { GetJourneyResponseSchema, JourneyService } from '../../gen/svc/v2/journey_pb.js'
import {
  CreatePriorityResponseSchema,
  DeletePriorityResponseSchema,
  GetPriorityResponseSchema,
  ListPrioritiesResponseSchema,
  PriorityService,
  UpdatePriorityResponseSchema,
} from '../../gen/svc/v2/priority_pb.js'
import { SlaDefinitionService } from '../../gen/svc/v2/sla_definition_pb.js'
import { UserIngestionService } from '../../gen/svc/v2/user_ingestion_pb.js'
import { UserService } from '../../gen/svc/v2/user_pb.js'
import { UserRelationshipService } from '../../gen/svc/v2/user_relationship_pb.js'
import { accessPolicies } from '../domain/access-policy.js'
import { listAppInstances } from '../domain/app-instance.js'
import { batchUpdateAppResources } from '../domain/app-resource.js'
import { listAuditEvents } from '../domain/audit-log.js'
import { listEntityFieldMappings } from '../domain/entity-field-mapping.js'
import { listEntityIngestionConfigs } from '../domain/entity-ingestion-config.js'
import { entityTypes } from '../domain/entity-type.js'
import { getJourney } from '../domain/journey.js'
import type { PageTokens } from '../domain/paging.js'
import { newPriority, priorities, updatePriority } from '../domain/priority.js'
import { entityTagOf } from '../domain/value/entity-tag.js'
import { invalidField } from '../errors.js'
import { type LimitCheck, refuseLimits } from '../limits/limit-check.js'
import { suggestion } from '../protojson/nearest.js'
import { type AuditAction, auditActions, isAuditAction } from '../store/audit-action.js'
import { createAccessPolicyApprovalProcedureHandlers } from './access-policy-approval-procedure.js'
import { type AuthHandlersOptions, createAuthHandlers } from './auth.js'
import { printedAnswer, printedPage } from './printed-answer.js'
import { scopeOf } from './request-context.js'
import { slaDefinitionHandlers } from './sla-definition.js'
import { standard } from './standard-methods.js'
import { createUserHandlers } from './user.js'
import { createUserIngestionHandlers } from './user-ingestion.js'
import { createUserRelationshipHandlers } from './user-relationship.js'

/** Every service of the API. */
export const services: readonly DescService[] = [
  AccessPolicyApprovalProcedureService,
  AccessPolicyService,
  AppInstanceService,
  AppResourceService,
  AuditLogService,
  AuthService,
  EntityFieldMappingService,
  EntityIngestionConfigService,
  EntityTypeService,
  JourneyService,
  PriorityService,
  SlaDefinitionService,
  UserIngestionService,
  UserRelationshipService,
  UserService,
]

/** What handlers depend on; each takes the part that it needs. */
export interface RoutesOptions extends AuthHandlersOptions {
  readonly pageTokens: PageTokens
  readonly limitCheck: LimitCheck
}

/**
 * Registers every service: those of a few lines are written here, the others in a file each. A method without an
 * implementation answers `unimplemented`.
 */
export function createRoutes(options: RoutesOptions): (router: ConnectRouter) => void {
  const { pageTokens } = options
  return (router) => {
    router.service(AccessPolicyApprovalProcedureService, createAccessPolicyApprovalProcedureHandlers(options))
    router.service(AuthService, createAuthHandlers(options))
    router.service(SlaDefinitionService, slaDefinitionHandlers)
    router.service(UserIngestionService, createUserIngestionHandlers(options))
    router.service(UserRelationshipService, createUserRelationshipHandlers(options))
    router.service(UserService, createUserHandlers(options))
    router.service(AccessPolicyService, {
      getAccessPolicy: standard.get(GetAccessPolicyResponseSchema, accessPolicies),
      listAccessPolicies: standard.list(ListAccessPoliciesResponseSchema, accessPolicies, pageTokens, ofTeam),
      createAccessPolicy: standard.create(CreateAccessPolicyResponseSchema, accessPolicies, nameInTeam),
      updateAccessPolicy: standard.update(UpdateAccessPolicyResponseSchema, accessPolicies, newName),
      deleteAccessPolicy: standard.delete(DeleteAccessPolicyResponseSchema, accessPolicies),
    })
    router.service(AppInstanceService, {
      listAppInstances: async (request, context) =>
        printedPage(ListAppInstancesResponseSchema, await listAppInstances(scopeOf(context), request, pageTokens)),
    })
    router.service(AppResourceService, {
      batchUpdateAppResources: async ({ resources }, context) =>
        printedAnswer(
          BatchUpdateAppResourcesResponseSchema,
          await batchUpdateAppResources(scopeOf(context), resources),
        ),
    })
    router.service(AuditLogService, {
      listAuditEvents: async (request, context) => {
        const query = { ...request, action: auditActionFrom(request.action) }
        return printedPage(ListAuditEventsResponseSchema, await listAuditEvents(scopeOf(context), query, pageTokens))
      },
    })
    router.service(EntityFieldMappingService, {
      listEntityFieldMappings: async (request, context) =>
        printedAnswer(ListEntityFieldMappingsResponseSchema, await listEntityFieldMappings(scopeOf(context), request)),
    })
    router.service(EntityIngestionConfigService, {
      listEntityIngestionConfigs: async (request, context) =>
        printedAnswer(
          ListEntityIngestionConfigsResponseSchema,
          await listEntityIngestionConfigs(scopeOf(context), request),
        ),
    })
    router.service(EntityTypeService, {
      getEntityType: standard.get(GetEntityTypeResponseSchema, entityTypes),
      listEntityTypes: standard.list(ListEntityTypesResponseSchema, entityTypes, pageTokens, ofTeam),
      createEntityType: standard.create(CreateEntityTypeResponseSchema, entityTypes, nameInTeam),
      updateEntityType: standard.update(UpdateEntityTypeResponseSchema, entityTypes, newName),
      deleteEntityType: standard.delete(DeleteEntityTypeResponseSchema, entityTypes),
    })
    router.service(JourneyService, {
      getJourney: async ({ id }, context) =>
        printedAnswer(GetJourneyResponseSchema, await getJourney(scopeOf(context), id)),
    })
    router.service(PriorityService, {
      getPriority: standard.get(GetPriorityResponseSchema, priorities),
      listPriorities: standard.list(ListPrioritiesResponseSchema, priorities, pageTokens, ofTeam),
      createPriority: standard.create(CreatePriorityResponseSchema, priorities, newPriority),
      updatePriority: async (request, context) => {
        const priority = await updatePriority(scopeOf(context), request)
        context.responseHeader.set('etag', entityTagOf(priority))
        return printedAnswer(UpdatePriorityResponseSchema, priority)
      },
      deletePriority: standard.delete(DeletePriorityResponseSchema, priorities),
    })
  }
}

/** The filter of lists that can be those of one team. */
const ofTeam = ({ teamId }: { readonly teamId: string }) => ({ teamId })

/** What a new object contains that has nothing but a name in its team, and what an update changes about it. */
const nameInTeam = ({ teamId, name }: { readonly teamId: string; readonly name: string }) => ({ teamId, name })
const newName = ({ name }: { readonly name?: string | undefined }) => (name === undefined ? {} : { name })

/** The action to filter by; empty for none. Throws `FIELD_INVALID` with the nearest one. */
function auditActionFrom(text: string): AuditAction | '' {
  if (text === '' || isAuditAction(text)) return text
  throw invalidField('action', `is unknown: ${suggestion(text, auditActions)}`)
}

/**
 * Refuses requests that break limits of the schema, over every door: after the caller is admitted and the request is
 * read, and before anything is looked up. Methods that check their resource first check the limits themselves.
 */
export function createLimits(check: LimitCheck): Interceptor {
  // Reading an option decodes it anew, in about 8 us: not in every call.
  const judgedLater = new Set(
    services.flatMap(({ methods }) => methods.filter((method) => getOption(method, access).resourceBeforeLimits)),
  )
  return (next) => (request) => {
    if (!request.stream && !judgedLater.has(request.method)) {
      refuseLimits(check(request.method.input, request.message))
    }
    return next(request)
  }
}
