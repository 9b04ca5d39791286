import type { DescService } from '@bufbuild/protobuf'
import type { ConnectRouter } from '@connectrpc/connect'
import { AccessPolicyApprovalProcedureService } from '../../gen/svc/v2/access_policy_approval_procedure_pb.js'
import { AppInstanceService } from '../../gen/svc/v2/app_instance_pb.js'
import { AppResourceService } from '../../gen/svc/v2/app_resource_pb.js'
import { AuditLogService } from '../../gen/svc/v2/audit_log_pb.js'
import { AuthService } from '../../gen/svc/v2/auth_pb.js'
import { EntityFieldMappingService } from '../../gen/svc/v2/entity_field_mapping_pb.js'
import { EntityIngestionConfigService } from '../../gen/svc/v2/entity_ingestion_config_pb.js'
import { JourneyService } from '../../gen/svc/v2/journey_pb.js'
import { PriorityService } from '../../gen/svc/v2/priority_pb.js'
import { SlaDefinitionService } from '../../gen/svc/v2/sla_definition_pb.js'
import { UserIngestionService } from '../../gen/svc/v2/user_ingestion_pb.js'
import { UserService } from '../../gen/svc/v2/user_pb.js'
import { UserRelationshipService } from '../../gen/svc/v2/user_relationship_pb.js'
import type { PageTokens } from '../domain/paging/page-token.js'
import type { LimitCheck } from '../limits/limit-check.js'
import type { Runtime } from '../runtime/runtime.js'
import { createAccessPolicyApprovalProcedureHandlers } from './access-policy-approval-procedure.js'
import { createAppInstanceHandlers } from './app-instance.js'
import { createAppResourceHandlers } from './app-resource.js'
import { createAuditLogHandlers } from './audit-log.js'
import { type AuthHandlersOptions, createAuthHandlers } from './auth.js'
import { createEntityFieldMappingHandlers } from './entity-field-mapping.js'
import { createEntityIngestionConfigHandlers } from './entity-ingestion-config.js'
import { createJourneyHandlers } from './journey.js'
import { createPrintedAnswers, type PreprintMessage, readPrinted } from './printed-answer.js'
import { createPriorityHandlers } from './priority.js'
import { createSlaDefinitionHandlers } from './sla-definition.js'
import type { Tally } from './tally.js'
import { createUserHandlers } from './user.js'
import { createUserIngestionHandlers } from './user-ingestion.js'
import { createUserRelationshipHandlers } from './user-relationship.js'

/** Every service of the API. */
export const services: readonly DescService[] = [
  AccessPolicyApprovalProcedureService,
  AppInstanceService,
  AppResourceService,
  AuditLogService,
  AuthService,
  EntityFieldMappingService,
  EntityIngestionConfigService,
  JourneyService,
  PriorityService,
  SlaDefinitionService,
  UserIngestionService,
  UserRelationshipService,
  UserService,
]

/** What handlers depend on; each takes the part that it needs. */
export type RoutesOptions = AuthHandlersOptions & {
  /** Default: messages whose JSON is known are read at once. */
  readonly preprintMessage?: PreprintMessage | undefined
  readonly runtime: Runtime
  readonly pageTokens: PageTokens
  readonly limitCheck: LimitCheck
  readonly tally?: Tally | undefined
}

/** Registers every service. A method without an implementation answers `unimplemented`. */
export function createRoutes(given: RoutesOptions): (router: ConnectRouter) => void {
  const options = { ...given, ...createPrintedAnswers(given.preprintMessage ?? readPrinted) }
  return (router) => {
    router.service(AccessPolicyApprovalProcedureService, createAccessPolicyApprovalProcedureHandlers(options))
    router.service(AppInstanceService, createAppInstanceHandlers(options))
    router.service(AppResourceService, createAppResourceHandlers(options))
    router.service(AuditLogService, createAuditLogHandlers(options))
    router.service(AuthService, createAuthHandlers(options))
    router.service(EntityFieldMappingService, createEntityFieldMappingHandlers(options))
    router.service(EntityIngestionConfigService, createEntityIngestionConfigHandlers(options))
    router.service(JourneyService, createJourneyHandlers(options))
    router.service(PriorityService, createPriorityHandlers(options))
    router.service(SlaDefinitionService, createSlaDefinitionHandlers(options))
    router.service(UserIngestionService, createUserIngestionHandlers(options))
    router.service(UserRelationshipService, createUserRelationshipHandlers(options))
    router.service(UserService, createUserHandlers(options))
  }
}
