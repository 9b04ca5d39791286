import type { DescService } from '@bufbuild/protobuf'
import type { ConnectRouter, ServiceImpl } from '@connectrpc/connect'
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
import type { Database } from '../db/database.js'
import type { PageTokens } from '../domain/paging/page-token.js'
import type { LimitCheck } from '../limits/limit-check.js'
import type { Runtime } from '../runtime/runtime.js'
import { createAccessPolicyApprovalProcedureHandlers } from './access-policy-approval-procedure.js'
import { createAppInstanceHandlers } from './app-instance.js'
import { createAppResourceHandlers } from './app-resource.js'
import { createAuditLogHandlers } from './audit-log.js'
import { type AuthHandlersOptions, createAuthHandlers } from './auth.js'
import { onDatabaseOfCall } from './call-database.js'
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
  readonly database: Database
  readonly runtime: Runtime
  readonly pageTokens: PageTokens
  readonly limitCheck: LimitCheck
  readonly tally?: Tally | undefined
  /** Whether calls may have a database of their own, under `callDatabaseKey`; default false. */
  readonly hasCallDatabases?: boolean
}

/** Registers every service. A method without an implementation answers `unimplemented`. */
export function createRoutes(given: RoutesOptions): (router: ConnectRouter) => void {
  const options = { ...given, ...createPrintedAnswers(given.preprintMessage ?? readPrinted) }
  const { database, hasCallDatabases = false } = given
  const handlersOf = <Service extends DescService>(create: (on: typeof options) => ServiceImpl<Service>) =>
    hasCallDatabases
      ? onDatabaseOfCall(database, (own) => create(Object.assign({}, options, { database: own })))
      : create(options)
  return (router) => {
    router.service(AccessPolicyApprovalProcedureService, handlersOf(createAccessPolicyApprovalProcedureHandlers))
    router.service(AppInstanceService, handlersOf(createAppInstanceHandlers))
    router.service(AppResourceService, handlersOf(createAppResourceHandlers))
    router.service(AuditLogService, handlersOf(createAuditLogHandlers))
    router.service(AuthService, handlersOf(createAuthHandlers))
    router.service(EntityFieldMappingService, handlersOf(createEntityFieldMappingHandlers))
    router.service(EntityIngestionConfigService, handlersOf(createEntityIngestionConfigHandlers))
    router.service(JourneyService, handlersOf(createJourneyHandlers))
    router.service(PriorityService, handlersOf(createPriorityHandlers))
    router.service(SlaDefinitionService, handlersOf(createSlaDefinitionHandlers))
    router.service(UserIngestionService, handlersOf(createUserIngestionHandlers))
    router.service(UserRelationshipService, handlersOf(createUserRelationshipHandlers))
    router.service(UserService, handlersOf(createUserHandlers))
  }
}
