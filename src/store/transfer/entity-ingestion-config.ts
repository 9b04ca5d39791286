import { Prisma } from '../../../gen/prisma/client.js'
import { timestampText } from '../timestamp-text.js'
import { organizationCheck, referenceCheck } from './checks.js'
import { idKey, ownedByTeam, sameColumns, type TransferTable } from './transfer-table.js'

const place = {
  table: Prisma.sql`entity_ingestion_configs`,
  staged: Prisma.sql`staged_entity_ingestion_config`,
  key: idKey,
}

/** Configs of entity ingestion. */
export const entityIngestionConfigTable: TransferTable = {
  ...place,
  columns: {
    id: 'text',
    team_id: 'text',
    app_instance_id: 'text',
    internal_entity_type_id: 'text',
    workflow_id: 'text',
    service_name: 'text',
    workflow_name: 'text',
    enabled: 'boolean',
    is_workflow_published: 'boolean',
    has_ingestion_context: 'boolean',
    sync_deletions: 'boolean',
    sync_interval_seconds: 'integer',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
  owner: ownedByTeam,
  values: {
    ...sameColumns('organization_id', 'team_id', 'app_instance_id', 'internal_entity_type_id', 'workflow_id'),
    ...sameColumns('service_name', 'workflow_name', 'enabled', 'is_workflow_published', 'has_ingestion_context'),
    ...sameColumns('sync_deletions', 'sync_interval_seconds'),
    created_at: Prisma.sql`coalesce(s.created_at, t.created_at, now())`,
    updated_at: Prisma.sql`coalesce(s.updated_at, t.updated_at, s.created_at, now())`,
  },
  checks: {
    organization: organizationCheck(place),
    app_instance_id: referenceCheck({
      staged: place.staged,
      column: Prisma.sql`s.app_instance_id`,
      field: Prisma.sql`'appInstanceId'`,
      noun: 'app instance',
      table: 'app_instances',
    }),
    internal_entity_type_id: referenceCheck({
      staged: place.staged,
      column: Prisma.sql`s.internal_entity_type_id`,
      field: Prisma.sql`'internalEntityTypeId'`,
      noun: 'entity type',
      table: 'entity_types',
    }),
  },
  children: [],
  finalChecks: {},
  select: Prisma.sql`
SELECT json_build_object('id', c.id, 'appInstanceId', c.app_instance_id, 'workflowId', c.workflow_id,
  'teamId', c.team_id, 'serviceName', c.service_name, 'workflowName', c.workflow_name,
  'internalEntityTypeId', c.internal_entity_type_id, 'enabled', c.enabled,
  'isWorkflowPublished', c.is_workflow_published, 'hasIngestionContext', c.has_ingestion_context,
  'syncDeletions', c.sync_deletions, 'createdAt', ${timestampText(Prisma.sql`c.created_at`)}, 'updatedAt', ${timestampText(Prisma.sql`c.updated_at`)},
  'syncIntervalSeconds', c.sync_interval_seconds) AS record
FROM entity_ingestion_configs c ORDER BY c.ordinal`,
}
