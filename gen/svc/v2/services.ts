import { AccessPolicyService } from "./access_policy_pb.js";
import { ApiKeyService } from "./api_key_pb.js";
import { AppInstanceService } from "./app_instance_pb.js";
import { AppResourceService } from "./app_resource_pb.js";
import { AccessPolicyApprovalProcedureService } from "./access_policy_approval_procedure_pb.js";
import { AuditLogService } from "./audit_log_pb.js";
import { AuthService } from "./auth_pb.js";
import { CallerService } from "./caller_pb.js";
import { DirectoryService } from "./directory_pb.js";
import { EntityFieldMappingService } from "./entity_field_mapping_pb.js";
import { EntityIngestionConfigService } from "./entity_ingestion_config_pb.js";
import { EntityTypeService } from "./entity_type_pb.js";
import { EventService } from "./event_pb.js";
import { GroupService } from "./group_pb.js";
import { JourneyService } from "./journey_pb.js";
import { OrganizationService } from "./organization_pb.js";
import { PriorityService } from "./priority_pb.js";
import { SlaDefinitionService } from "./sla_definition_pb.js";
import { TeamService } from "./team_pb.js";
import { TransferService } from "./transfer_pb.js";
import { UserIngestionService } from "./user_ingestion_pb.js";
import { UserRelationshipService } from "./user_relationship_pb.js";
import { UserService } from "./user_pb.js";
import { WebhookEndpointService } from "./webhook_endpoint_pb.js";

/** Every service, by the name of its member in the client. Generated, do not edit. */
export const services = {
  accessPolicies: AccessPolicyService,
  apiKeys: ApiKeyService,
  appInstances: AppInstanceService,
  appResources: AppResourceService,
  approvalProcedures: AccessPolicyApprovalProcedureService,
  auditLog: AuditLogService,
  auth: AuthService,
  caller: CallerService,
  directory: DirectoryService,
  entityFieldMappings: EntityFieldMappingService,
  entityIngestionConfigs: EntityIngestionConfigService,
  entityTypes: EntityTypeService,
  events: EventService,
  groups: GroupService,
  journeys: JourneyService,
  organization: OrganizationService,
  priorities: PriorityService,
  slaDefinitions: SlaDefinitionService,
  teams: TeamService,
  transfer: TransferService,
  userIngestion: UserIngestionService,
  userRelationships: UserRelationshipService,
  users: UserService,
  webhookEndpoints: WebhookEndpointService,
} as const
