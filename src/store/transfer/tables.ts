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
import { listed, rowColumns } from './staged-table.js'
import { ownedBy, ownedByOrganization, ownedByTeam, type TransferTable } from './transfer-table.js'
import { userTable } from './user.js'

/** Handles that the server generates if neither the record nor the existing row has one. */
const withScopedId = {
  extras: { new_scoped_id: 'text' },
  values: { scoped_id: Prisma.sql`coalesce(nullif(s.scoped_id, ''), t.scoped_id, s.new_scoped_id)` },
}

const resourceColumns = Object.keys(rowColumns(appResourceResource)).filter((column) => column !== 'team_id')

const resourcesOfMovedApps = Prisma.sql`
INSERT INTO staged_app_resource (first_line, line, organization_id, team_id, owner_id, ${listed(resourceColumns)})
SELECT a.first_line, a.line, r.organization_id, a.team_id, a.id, ${listed(resourceColumns.map((column) => `r.${column}`))}
FROM staged_app_instance a
JOIN app_resources r ON r.organization_id = a.organization_id AND r.app_instance_id = a.id AND r.team_id <> a.team_id
LEFT JOIN staged_app_resource s ON s.organization_id = r.organization_id AND s.id = r.id
WHERE s.line IS NULL`

/** How each kind of record is imported and exported. */
export const transferTables: Readonly<Record<RecordKind, TransferTable>> = {
  organization: { resource: organizationResource },
  team: { resource: teamResource, owner: ownedByOrganization },
  user: userTable,
  group: { resource: groupResource, owner: ownedByOrganization, values: { updated_at: Prisma.sql`now()` } },
  accessPolicy: { resource: accessPolicyResource, owner: ownedByTeam },
  approvalProcedure: approvalProcedureTable,
  appInstance: {
    resource: appInstanceRecord,
    owner: ownedByTeam,
    listValues: {
      sharedWithTeamIds: {
        app_instance_ordinal: Prisma.sql`i.ordinal`,
      },
    },
    listJoins: {
      sharedWithTeamIds: Prisma.sql`JOIN app_instances i ON i.organization_id = s.organization_id AND i.id = s.id`,
    },
  },
  // They belong to the team of their app instance, and move to another team with it.
  appResource: {
    followers: { of: 'appInstance', text: resourcesOfMovedApps },
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

/** Every table that an import fills. */
export const writtenTables: readonly string[] = [
  'users',
  'approval_steps',
  'approval_step_approvers',
  ...Object.values(transferTables).flatMap(({ resource: { table, fields } }) => [
    table.name,
    ...fields.flatMap(({ source }) =>
      source.kind === 'parts' ? source.resource.table.name : source.kind === 'values' ? source.table.name : [],
    ),
  ]),
]
