import { type Client, createClient as createServiceClient, type Transport } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-web'
import { AccessPolicyApprovalProcedureService } from '../../gen/svc/v2/access_policy_approval_procedure_pb.js'
import { AccessPolicyService } from '../../gen/svc/v2/access_policy_pb.js'
import { ApiKeyService } from '../../gen/svc/v2/api_key_pb.js'
import { AppInstanceService } from '../../gen/svc/v2/app_instance_pb.js'
import { AppResourceService } from '../../gen/svc/v2/app_resource_pb.js'
import { AuditLogService } from '../../gen/svc/v2/audit_log_pb.js'
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
import { SlaDefinitionService } from '../../gen/svc/v2/sla_definition_pb.js'
import { TeamService } from '../../gen/svc/v2/team_pb.js'
import { TransferService } from '../../gen/svc/v2/transfer_pb.js'
import { UserIngestionService } from '../../gen/svc/v2/user_ingestion_pb.js'
import { UserService } from '../../gen/svc/v2/user_pb.js'
import { UserRelationshipService } from '../../gen/svc/v2/user_relationship_pb.js'
import { WebhookEndpointService } from '../../gen/svc/v2/webhook_endpoint_pb.js'
import { type AccessTokens, createAuthorization, createFetchedTokens, createGivenTokens } from './access-token.js'
import { checkOptions } from './check-options.js'
import type { ClientOptions, Credentials } from './client-options.js'
import { createRetries } from './retry.js'
import { type ClientTiming, machineTiming } from './timing.js'
import { createUnreachable } from './unreachable.js'

/** The services by the names of their members. */
const services = {
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

type ServiceClients = { readonly [Name in keyof typeof services]: Client<(typeof services)[Name]> }

/** The service, one member per resource. Methods throw a `ConnectError`; see `reasonOf`. */
export interface SvcClient extends ServiceClients {
  /** For a generated client of another service on the same address, with the same credentials and retries. */
  readonly transport: Transport
}

const DEFAULT_TIMEOUT_MILLIS = 30_000

/**
 * Creates a client for Node and for browsers. It holds no connection: there is nothing to close. Throws a `TypeError` for
 * a base address without a scheme and for credentials that are missing.
 */
export function createClient(options: ClientOptions): SvcClient {
  checkOptions(options)
  const timing = options.timing ?? machineTiming
  const common = {
    baseUrl: options.baseUrl,
    defaultTimeoutMs: options.timeoutMillis ?? DEFAULT_TIMEOUT_MILLIS,
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  }
  const retry = options.retry ?? {}
  const unreachable = createUnreachable(options.baseUrl)
  // An extra token does no harm, so fetching one can always be repeated.
  const anonymous = createConnectTransport({
    ...common,
    interceptors: [createRetries(retry, timing, () => true), unreachable],
  })
  const tokens = accessTokensFrom(options.credentials, anonymous, timing)
  const transport = createConnectTransport({
    ...common,
    interceptors: [createRetries(retry, timing), createAuthorization(tokens), unreachable],
  })
  const clients = Object.entries(services).map(([name, service]) => [name, createServiceClient(service, transport)])
  // What is made of each service has its type.
  const members: object = Object.fromEntries(clients)
  return { ...(members as ServiceClients), transport }
}

function accessTokensFrom(credentials: Credentials, anonymous: Transport, timing: ClientTiming): AccessTokens {
  if ('token' in credentials) return createGivenTokens(credentials.token)
  const { clientId, clientSecret } = credentials
  const auth = createServiceClient(AuthService, anonymous)
  return createFetchedTokens(async () => {
    const answer = await auth.createToken({ grantType: 'client_credentials', clientId, clientSecret })
    return { token: answer.accessToken, expiresInSeconds: answer.expiresIn }
  }, timing)
}
