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
import type { Database } from '../db/database.js'
import type { Runtime } from '../domain/runtime.js'
import { type AuthHandlersOptions, createAuthHandlers } from './auth.js'

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

/** What handlers stand on; each takes the part that it needs. */
export type RoutesOptions = AuthHandlersOptions & {
  readonly database: Database
  readonly runtime: Runtime
}

/** Registers every service. A method without an implementation answers `unimplemented`. */
export function createRoutes(options: RoutesOptions): (router: ConnectRouter) => void {
  return (router) => {
    router.service(AuthService, createAuthHandlers(options))
    for (const service of services.filter((each) => each !== AuthService)) router.service(service, {})
  }
}
