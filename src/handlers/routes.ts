import type { DescService } from '@bufbuild/protobuf'
import type { ConnectRouter, Interceptor, ServiceImpl } from '@connectrpc/connect'
import { CredentialKind } from '../../gen/svc/v2/access_pb.js'
import { AccessPolicyApprovalProcedureService } from '../../gen/svc/v2/access_policy_approval_procedure_pb.js'
import { AccessPolicyService } from '../../gen/svc/v2/access_policy_pb.js'
import { ApiKeyService } from '../../gen/svc/v2/api_key_pb.js'
import { AppInstanceService } from '../../gen/svc/v2/app_instance_pb.js'
import { AppResourceService, AppResourceUpdateSchema } from '../../gen/svc/v2/app_resource_pb.js'
import { ActorKind, AuditLogService } from '../../gen/svc/v2/audit_log_pb.js'
import { AuthService } from '../../gen/svc/v2/auth_pb.js'
import { CallerService } from '../../gen/svc/v2/caller_pb.js'
import { DirectoryService } from '../../gen/svc/v2/directory_pb.js'
import { EntityFieldMappingService } from '../../gen/svc/v2/entity_field_mapping_pb.js'
import { EntityIngestionConfigService } from '../../gen/svc/v2/entity_ingestion_config_pb.js'
import { EntityTypeService } from '../../gen/svc/v2/entity_type_pb.js'
import { EventService } from '../../gen/svc/v2/event_pb.js'
import { GroupService } from '../../gen/svc/v2/group_pb.js'
import { JourneyService } from '../../gen/svc/v2/journey_pb.js'
import { OrganizationService } from '../../gen/svc/v2/organization_pb.js'
import { PriorityService } from '../../gen/svc/v2/priority_pb.js'
import { services as servicesByMember } from '../../gen/svc/v2/services.js'
import { SlaDefinitionService } from '../../gen/svc/v2/sla_definition_pb.js'
import { TeamService } from '../../gen/svc/v2/team_pb.js'
import { TransferService } from '../../gen/svc/v2/transfer_pb.js'
import { UserIngestionService } from '../../gen/svc/v2/user_ingestion_pb.js'
import { TeamUserRole, UserRole, UserService } from '../../gen/svc/v2/user_pb.js'
import { UserRelationshipService } from '../../gen/svc/v2/user_relationship_pb.js'
import { WebhookEndpointService } from '../../gen/svc/v2/webhook_endpoint_pb.js'
import {
  approvalProcedures,
  createApprovalProcedure,
  updateApprovalProcedure,
} from '../domain/access-policy-approval-procedure.js'
import { appInstances, listAppInstanceShares, listAppInstances, shareAppInstance } from '../domain/app-instance.js'
import { appResources, batchCreateAppResources, batchUpdateAppResources } from '../domain/app-resource.js'
import { listAuditEvents } from '../domain/audit-log.js'
import { apiKeys } from '../domain/auth/api-key.js'
import { getCaller } from '../domain/caller/caller.js'
import { readDirectoryStatus } from '../domain/directory/directory-status.js'
import { entityFieldMappings, listEntityFieldMappings } from '../domain/entity-field-mapping.js'
import { entityIngestionConfigs, listEntityIngestionConfigs } from '../domain/entity-ingestion-config.js'
import { groups, listGroupMembers, listUserGroups, writeGroupMember } from '../domain/group.js'
import { getJourney, listJourneys } from '../domain/journey.js'
import { listNames } from '../domain/name.js'
import { getOrganization, updateOrganization } from '../domain/organization.js'
import { priorities, updatePriority } from '../domain/priority.js'
import { archiveSlaDefinition, listSlaDefinitions, slaDefinitions } from '../domain/sla-definition.js'
import { type StandardResource, standardResource } from '../domain/standard-resource.js'
import { webhookEndpoints } from '../domain/webhook/endpoint.js'
import { type LimitCheck, refuseLimits } from '../limits/limit-check.js'
import { accessRuleOf } from '../limits/method-rules.js'
import { accessPolicyStore } from '../store/access-policy.js'
import { auditActions } from '../store/audit-action.js'
import { entityTypeStore } from '../store/entity-type.js'
import { organizationFields } from '../store/organization.js'
import type { StandardKey } from '../store/standard-writes.js'
import { teamStore } from '../store/team.js'
import { createMomentSetter } from '../transfer/message-moments.js'
import { createApiKeyHandlers } from './api-key.js'
import { createAuthHandlers } from './auth.js'
import { auditActionFrom, auditActionsFrom, createEventHandlers, targetTypeFrom } from './event.js'
import { type HandlerTools, nameOf } from './handler-tools.js'
import { namedObjectFrom } from './name.js'
import { emptyResponse, listResponse, rawJson, rawJsonList, rawJsonWithEtag, withEtag } from './raw-json.js'
import { callContextOf } from './request-context.js'
import { standardMethods, unchangedCheck } from './standard-methods.js'
import { teamMemberHandlers } from './team.js'
import { createTransferHandlers } from './transfer.js'
import { createUserHandlers } from './user.js'
import { createUserIngestionHandlers } from './user-ingestion.js'
import { createUserRelationshipHandlers } from './user-relationship.js'
import { createWebhookEndpointHandlers } from './webhook-endpoint.js'

export const services: readonly DescService[] = Object.values(servicesByMember)

/**
 * Registers every service: those of a few lines are written here, the others in a file each. A method without an
 * implementation answers `unimplemented`.
 */
export function createRoutes(tools: HandlerTools): (router: ConnectRouter) => void {
  const { limitCheck } = tools
  return (router) => {
    const standard = <Service extends DescService, Row extends StandardKey>(
      service: Service,
      resource: StandardResource<Row>,
      others: Partial<ServiceImpl<Service>> = {},
    ) => router.service(service, { ...standardMethods(service, resource), ...others })
    standard(AccessPolicyApprovalProcedureService, approvalProcedures, {
      createAccessPolicyApprovalProcedure: withEtag((callContext, request, { input }) =>
        createApprovalProcedure(callContext, { ...request, violations: limitCheck(input, request) }),
      ),
      updateAccessPolicyApprovalProcedure: withEtag((callContext, request, { input }) =>
        updateApprovalProcedure(callContext, { ...request, violations: limitCheck(input, request) }),
      ),
    })
    router.service(AuthService, createAuthHandlers(tools))
    router.service(CallerService, {
      getCaller: async (_request, context) => {
        const { kind, id, name, organizationId, role, permissions, teams, expiresAt } = await getCaller(
          callContextOf(context),
        )
        return {
          data: {
            kind: CredentialKind[kind],
            id,
            name,
            organizationId,
            role: UserRole[role ?? 'UNSPECIFIED'],
            permissions: [...permissions],
            teams: teams.map((team) => ({ ...team, role: TeamUserRole[team.role ?? 'UNSPECIFIED'] })),
            ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
          },
        }
      },
      listNames: async ({ objects }, context) =>
        rawJson(context, JSON.stringify(await listNames(callContextOf(context), objects.map(namedObjectFrom)))),
    })
    router.service(EventService, createEventHandlers(tools))
    router.service(TransferService, createTransferHandlers(tools))
    router.service(UserIngestionService, createUserIngestionHandlers(tools))
    router.service(UserRelationshipService, createUserRelationshipHandlers(tools))
    router.service(UserService, createUserHandlers(tools))
    standard(ApiKeyService, apiKeys, createApiKeyHandlers(tools))
    standard(AccessPolicyService, standardResource(accessPolicyStore))
    standard(AppInstanceService, appInstances, {
      listAppInstances: listResponse(listAppInstances),
      listAppInstanceShares: listResponse(listAppInstanceShares),
      shareAppInstance: emptyResponse((callContext, request) => shareAppInstance(callContext, request, true)),
      unshareAppInstance: emptyResponse((callContext, request) => shareAppInstance(callContext, request, false)),
    })
    standard(AppResourceService, appResources, {
      batchCreateAppResources: async ({ resources }, context) => {
        const created = await batchCreateAppResources(callContextOf(context), resources)
        return { data: created.map((resource) => ({ ...resource, externalId: resource.externalId ?? '' })) }
      },
      batchUpdateAppResources: async ({ resources }, context) => {
        const checks = resources.map((each, index) =>
          unchangedCheck(appResources.store, each, AppResourceUpdateSchema, `resources[${index}].`),
        )
        return rawJson(context, await batchUpdateAppResources(callContextOf(context), resources, checks))
      },
    })
    router.service(AuditLogService, {
      listAuditEvents: async (request, context) => {
        const actions = auditActionsFrom(request.actions, 'actions')
        if (request.action !== '') actions.push(auditActionFrom(request.action, 'action'))
        const targetType = targetTypeFrom(request.targetType)
        const query = {
          ...request,
          targetType,
          actions,
          actorKind: nameOf(ActorKind, request.actorKind) ?? ('' as const),
        }
        return rawJsonList(context, await listAuditEvents(callContextOf(context), query))
      },
      listAuditActions: (_request, context) => rawJson(context, JSON.stringify(auditActions)),
    })
    router.service(DirectoryService, {
      getDirectoryStatus: async (_request, context) => {
        const { tables, caller, runtime } = callContextOf(context)
        const status = await readDirectoryStatus(tables, caller.organizationId, runtime.now())
        return rawJson(context, JSON.stringify(status))
      },
    })
    standard(EntityFieldMappingService, entityFieldMappings, {
      listEntityFieldMappings: listResponse(listEntityFieldMappings),
    })
    standard(EntityIngestionConfigService, entityIngestionConfigs, {
      listEntityIngestionConfigs: listResponse(listEntityIngestionConfigs),
    })
    standard(EntityTypeService, standardResource(entityTypeStore))
    standard(GroupService, groups, {
      listGroupMembers: listResponse(listGroupMembers),
      listUserGroups: listResponse(listUserGroups),
      addGroupMember: async (member, context) => ({
        data: await writeGroupMember(callContextOf(context), member, true),
      }),
      removeGroupMember: emptyResponse(
        async (callContext, member) => void (await writeGroupMember(callContext, member, false)),
      ),
    })
    router.service(JourneyService, {
      getJourney: async ({ id }, context) => rawJson(context, await getJourney(callContextOf(context), id)),
      listJourneys: listResponse(listJourneys),
    })
    router.service(OrganizationService, {
      getOrganization: withEtag(getOrganization),
      updateOrganization: async (request, context) => {
        const unchanged = unchangedCheck(organizationFields, request, context.method.input)
        return rawJsonWithEtag(context, await updateOrganization(callContextOf(context), request, unchanged))
      },
    })
    standard(PriorityService, priorities, {
      updatePriority: async (request, context) => {
        const { id, name, description, isAiSelectable } = request
        // Not by the declaration, which would cost a sixth of the call.
        const changes = {
          ...(name !== undefined && { name }),
          ...(description !== undefined && { description }),
          ...(isAiSelectable !== undefined && { isAiSelectable }),
        }
        const requireUnchanged = unchangedCheck(priorities.store, request, context.method.input)
        return rawJsonWithEtag(context, await updatePriority(callContextOf(context), id, changes, requireUnchanged))
      },
    })
    standard(SlaDefinitionService, slaDefinitions, {
      listSlaDefinitions: listResponse(listSlaDefinitions),
      archiveSlaDefinition: withEtag((callContext, { id }) => archiveSlaDefinition(callContext, id, true)),
      unarchiveSlaDefinition: withEtag((callContext, { id }) => archiveSlaDefinition(callContext, id, false)),
    })
    standard(WebhookEndpointService, webhookEndpoints, createWebhookEndpointHandlers(tools))
    standard(TeamService, standardResource(teamStore), teamMemberHandlers)
  }
}

/**
 * Refuses requests that break limits of the schema, over every protocol: after the caller is admitted and the request
 * is read, and before anything is looked up. Converts times to UTC with milliseconds. Methods that check their resource
 * first check the limits themselves.
 */
export function createLimits(check: LimitCheck): Interceptor {
  const judgedLater = new Set(
    services.flatMap(({ methods }) => methods.filter((method) => accessRuleOf(method).resourceBeforeLimits)),
  )
  const setMoments = createMomentSetter()
  return (next) => (request) => {
    if (!request.stream && !judgedLater.has(request.method)) {
      refuseLimits(check(request.method.input, request.message))
      setMoments(request.method.input, request.message)
    }
    return next(request)
  }
}
