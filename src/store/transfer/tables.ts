import { Prisma } from '../../../gen/prisma/client.js'
import { appResourceResource } from '../app-resource.js'
import { entityIngestionConfigResource } from '../entity-ingestion-config.js'
import { journeyResource } from '../journey.js'
import { priorityResource } from '../priority.js'
import { slaDefinitionResource } from '../sla-definition.js'
import { approvalProcedureTable } from './approval-procedure.js'
import type { RecordKind } from './record-kind.js'
import {
  accessPolicyResource,
  appInstanceRecord,
  entityFieldMappingRecord,
  entityTypeResource,
  groupResource,
  organizationResource,
  teamResource,
} from './resources.js'
import { ownedBy, ownedByOrganization, ownedByTeam, type TransferTable } from './transfer-table.js'
import { userTable } from './user.js'

/** Handles that the server makes where neither the record nor the row that stands has one. */
const withScopedId = {
  extras: { new_scoped_id: 'text' },
  values: { scoped_id: Prisma.sql`coalesce(nullif(s.scoped_id, ''), t.scoped_id, s.new_scoped_id)` },
}

/** How each kind of record goes in and out. */
export const transferTables: Readonly<Record<RecordKind, TransferTable>> = {
  organization: { resource: organizationResource },
  team: { resource: teamResource, owner: ownedByOrganization },
  user: userTable,
  group: { resource: groupResource, owner: ownedByOrganization },
  accessPolicy: { resource: accessPolicyResource, owner: ownedByTeam },
  approvalProcedure: approvalProcedureTable,
  appInstance: {
    resource: appInstanceRecord,
    owner: ownedByTeam,
    listValues: {
      sharedWithTeamIds: {
        app_instance_ordinal: Prisma.sql`(
  SELECT i.ordinal FROM app_instances i WHERE i.organization_id = s.organization_id AND i.id = s.id)`,
      },
    },
  },
  // They belong to the team of their app instance.
  appResource: {
    resource: appResourceResource,
    owner: ownedBy('app_instances', 'appInstanceId', 'app instance', { team_id: Prisma.sql`owner.team_id` }),
    unique: { scopedId: ['team_id', 'scoped_id'], externalId: ['app_instance_id', 'resource_type', 'external_id'] },
    ...withScopedId,
  },
  priority: {
    resource: priorityResource,
    owner: ownedByTeam,
    unique: { scopedId: ['team_id', 'scoped_id'] },
    ...withScopedId,
  },
  journey: {
    resource: journeyResource,
    owner: ownedByTeam,
    references: { 'tasks.assignedToUserId': 'memberships' },
  },
  entityType: { resource: entityTypeResource, owner: ownedByTeam },
  entityIngestionConfig: {
    resource: entityIngestionConfigResource,
    owner: ownedByTeam,
  },
  entityFieldMapping: {
    resource: entityFieldMappingRecord,
    owner: ownedBy('entity_types', 'entityTypeId', 'entity type'),
  },
  slaDefinition: { resource: slaDefinitionResource, owner: ownedByTeam },
}
