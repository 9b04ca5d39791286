import { AccessPolicyService } from '../../../../gen/svc/v2/access_policy_pb.js'
import { AppInstanceService } from '../../../../gen/svc/v2/app_instance_pb.js'
import { AppResourceService } from '../../../../gen/svc/v2/app_resource_pb.js'
import { EntityFieldMappingService } from '../../../../gen/svc/v2/entity_field_mapping_pb.js'
import { EntityIngestionConfigService } from '../../../../gen/svc/v2/entity_ingestion_config_pb.js'
import { EntityTypeService } from '../../../../gen/svc/v2/entity_type_pb.js'
import { GroupService } from '../../../../gen/svc/v2/group_pb.js'
import { PriorityService } from '../../../../gen/svc/v2/priority_pb.js'
import { SlaDefinitionService } from '../../../../gen/svc/v2/sla_definition_pb.js'
import { TeamService } from '../../../../gen/svc/v2/team_pb.js'
import { WebhookEndpointService } from '../../../../gen/svc/v2/webhook_endpoint_pb.js'
import { standardMethods } from '../../api/standard-methods.js'
import { AppShares } from './app-shares.js'
import type { ResourceDeclaration } from './declaration.js'
import { ingestion, mapping } from './entity-sentences.js'
import { GroupMembers } from './group-members.js'
import { Procedures } from './procedure/procedures.js'
import { promise } from './sla-sentences.js'
import { TeamMembers } from './team-members.js'
import { WebhookActions, WebhookDeliveries } from './webhook-parts.js'

/** The resources with the standard methods, each with what is its own. */
export const declarations: readonly ResourceDeclaration[] = [
  {
    path: 'teams',
    title: 'Teams',
    one: 'team',
    ...standardMethods(TeamService),
    columns: ['memberCount'],
    filters: ['q'],
    Parts: TeamMembers,
    empty: 'A team owns apps, tickets and entities. Create the first one.',
  },
  {
    path: 'groups',
    title: 'Groups',
    one: 'group',
    ...standardMethods(GroupService),
    columns: ['memberCount', 'directoryManaged'],
    filters: ['q'],
    Parts: GroupMembers,
    empty: 'A group approves requests. Create one, or let a directory bring its groups in.',
  },
  {
    path: 'apps',
    title: 'Apps',
    one: 'app',
    ...standardMethods(AppInstanceService),
    columns: ['teamId', 'customServiceName', 'accessRequestsEnabled'],
    filters: ['q', 'teamId'],
    related: { path: 'resources', by: 'appInstanceId' },
    Parts: AppShares,
    empty: 'An app is what people are given access to. Create the first one, or share one from another team.',
  },
  {
    path: 'resources',
    title: 'Resources',
    one: 'resource',
    ...standardMethods(AppResourceService),
    columns: ['resourceType', 'appInstanceId', 'externalId'],
    filters: ['q', 'appInstanceId'],
    empty: 'People are granted access to resources of an app. Create one, or let an import bring them in.',
  },
  {
    path: 'policies',
    title: 'Policies',
    one: 'policy',
    ...standardMethods(AccessPolicyService),
    columns: ['teamId'],
    filters: ['q', 'teamId'],
    Parts: Procedures,
    empty: 'A policy says how access is approved. Create the first one.',
  },
  {
    path: 'priorities',
    title: 'Priorities',
    one: 'priority',
    ...standardMethods(PriorityService),
    columns: ['priority', 'teamId', 'isAiSelectable'],
    filters: ['q', 'teamId'],
    empty: 'A priority says how urgent a ticket is. Create the first one of a team.',
  },
  {
    path: 'slas',
    title: 'SLAs',
    one: 'SLA',
    ...standardMethods(SlaDefinitionService),
    archive: {
      begin: SlaDefinitionService.method.archiveSlaDefinition,
      end: SlaDefinitionService.method.unarchiveSlaDefinition,
    },
    columns: ['teamId', 'metric', 'targetDurationSeconds', 'archivedAt'],
    filters: ['q', 'teamId'],
    sentence: promise,
    empty: 'An SLA promises how long a ticket takes. Create the first one.',
  },
  {
    path: 'entity-types',
    title: 'Entity types',
    one: 'entity type',
    ...standardMethods(EntityTypeService),
    columns: ['teamId'],
    filters: ['q', 'teamId'],
    related: { path: 'mappings', by: 'entityTypeId' },
    empty: 'An entity type is what a team ingests, such as devices. Create the first one.',
  },
  {
    path: 'ingestion',
    title: 'Ingestion',
    one: 'ingestion config',
    ...standardMethods(EntityIngestionConfigService),
    columns: ['appInstanceId', 'workflowName', 'enabled', 'syncIntervalSeconds'],
    filters: ['q', 'teamId'],
    sentence: ingestion,
    empty: 'A config brings entities in from an app. Create the first one.',
  },
  {
    path: 'mappings',
    title: 'Field mappings',
    one: 'field mapping',
    ...standardMethods(EntityFieldMappingService),
    columns: ['externalFieldPath', 'ingestionConfigId', 'priority'],
    filters: ['q', 'entityTypeId'],
    sentence: mapping,
    empty: 'A mapping fills a field of an entity from an external one. Create the first one of the type.',
  },
  {
    path: 'webhooks',
    title: 'Webhooks',
    one: 'webhook',
    ...standardMethods(WebhookEndpointService),
    columns: ['status', 'failingSince', 'description'],
    filters: ['q', 'teamId'],
    Parts: WebhookDeliveries,
    Actions: WebhookActions,
    empty: 'A webhook receives events as they happen. Create the first one.',
  },
]

/** The declaration behind an address; undefined where there is none. */
export function declarationAt(path: string): ResourceDeclaration | undefined {
  return declarations.find((each) => each.path === path)
}
