import { EntityFieldMappingService } from '../../../../gen/svc/v2/entity_field_mapping_pb.js'
import { type StandardMethods, standardMethods } from '../../api/standard-methods.js'
import { services } from '../../api/things.js'
import { AppShares } from './app-shares.js'
import type { ResourceDeclaration } from './declaration.js'
import { ingestion, mapping } from './entity-sentences.js'
import { GroupMembers } from './group-members.js'
import { Procedures } from './procedure/procedures.js'
import { promise } from './sla-sentences.js'
import { TeamMembers } from './team-members.js'
import { WebhookActions, WebhookDeliveries } from './webhook-parts.js'

const all = { ...services, mappings: EntityFieldMappingService }

/** What is their own of the resources with the standard methods. */
const own: readonly (Omit<ResourceDeclaration, keyof StandardMethods> & { readonly path: keyof typeof all })[] = [
  {
    path: 'teams',
    title: 'Teams',
    one: 'team',
    columns: ['memberCount'],
    Parts: TeamMembers,
    empty: 'A team owns apps, tickets and entities. Create the first one.',
  },
  {
    path: 'groups',
    title: 'Groups',
    one: 'group',
    columns: ['memberCount', 'directoryManaged'],
    Parts: GroupMembers,
    empty: 'A group approves requests. Create one, or let a directory bring its groups in.',
  },
  {
    path: 'apps',
    title: 'Apps',
    one: 'app',
    columns: ['teamId', 'customServiceName', 'accessRequestsEnabled'],
    related: { path: 'resources', by: 'appInstanceId' },
    Parts: AppShares,
    empty: 'An app is what people are given access to. Create the first one, or share one from another team.',
  },
  {
    path: 'resources',
    title: 'Resources',
    one: 'resource',
    columns: ['resourceType', 'appInstanceId', 'externalId'],
    owner: 'appInstanceId',
    empty: 'People are granted access to resources of an app. Create one, or let an import bring them in.',
  },
  {
    path: 'policies',
    title: 'Policies',
    one: 'policy',
    columns: ['teamId'],
    Parts: Procedures,
    empty: 'A policy says how access is approved. Create the first one.',
  },
  {
    path: 'priorities',
    title: 'Priorities',
    one: 'priority',
    columns: ['priority', 'teamId', 'isAiSelectable'],
    empty: 'A priority says how urgent a ticket is. Create the first one of a team.',
  },
  {
    path: 'slas',
    title: 'SLAs',
    one: 'SLA',
    columns: ['teamId', 'metric', 'targetDurationSeconds', 'archivedAt'],
    sentence: promise,
    empty: 'An SLA promises how long a ticket takes. Create the first one.',
  },
  {
    path: 'entity-types',
    title: 'Entity types',
    one: 'entity type',
    columns: ['teamId'],
    related: { path: 'mappings', by: 'entityTypeId' },
    empty: 'An entity type is what a team ingests, such as devices. Create the first one.',
  },
  {
    path: 'ingestion',
    title: 'Ingestion',
    one: 'ingestion config',
    columns: ['appInstanceId', 'workflowName', 'enabled', 'syncIntervalSeconds'],
    sentence: ingestion,
    empty: 'A config brings entities in from an app. Create the first one.',
  },
  {
    path: 'mappings',
    title: 'Field mappings',
    one: 'field mapping',
    columns: ['externalFieldPath', 'ingestionConfigId', 'priority'],
    owner: 'entityTypeId',
    sentence: mapping,
    empty: 'A mapping fills a field of an entity from an external one. Create the first one of the type.',
  },
  {
    path: 'webhooks',
    title: 'Webhooks',
    one: 'webhook',
    columns: ['status', 'failingSince', 'description'],
    Parts: WebhookDeliveries,
    Actions: WebhookActions,
    empty: 'A webhook receives events as they happen. Create the first one.',
  },
]

/** The resources with the standard methods. */
export const declarations = own.map((each): ResourceDeclaration => ({ ...each, ...standardMethods(all[each.path]) }))

/** The declaration behind an address; undefined where there is none. */
export function declarationAt(path: string): ResourceDeclaration | undefined {
  return declarations.find((each) => each.path === path)
}
