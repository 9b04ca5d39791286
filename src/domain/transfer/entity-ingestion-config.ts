import { optionalNameLimits } from '../text-field.js'
import { timestampOf } from '../timestamp.js'
import { timestampColumn } from '../timestamp-column.js'
import { idOf, integerOf, textOf } from './field-values.js'
import { lockStatement, organizationCheck, referenceCheck, sameColumns, upsertStatement } from './statements.js'
import type { StagedRow, TransferResource } from './transfer-resource.js'

/** A line of the kind `entityIngestionConfig`. */
export interface EntityIngestionConfigRecord {
  readonly id: string
  readonly appInstanceId: string
  readonly workflowId: string
  readonly teamId: string
  readonly serviceName: string
  readonly workflowName: string
  readonly internalEntityTypeId: string
  readonly enabled: boolean
  readonly isWorkflowPublished: boolean
  readonly hasIngestionContext: boolean
  readonly syncDeletions: boolean
  readonly createdAt: string
  readonly updatedAt: string
  readonly syncIntervalSeconds: number
}

const place = { table: 'entity_ingestion_configs', staged: 'staged_entity_ingestion_config', key: { id: 's.id' } }

function rowOf(record: EntityIngestionConfigRecord): StagedRow {
  return {
    key: idOf('id', record.id),
    values: {
      id: record.id,
      team_id: idOf('teamId', record.teamId),
      app_instance_id: idOf('appInstanceId', record.appInstanceId),
      internal_entity_type_id: idOf('internalEntityTypeId', record.internalEntityTypeId),
      workflow_id: textOf('workflowId', record.workflowId, optionalNameLimits),
      service_name: textOf('serviceName', record.serviceName, optionalNameLimits),
      workflow_name: textOf('workflowName', record.workflowName, optionalNameLimits),
      enabled: record.enabled,
      is_workflow_published: record.isWorkflowPublished,
      has_ingestion_context: record.hasIngestionContext,
      sync_deletions: record.syncDeletions,
      sync_interval_seconds: integerOf('syncIntervalSeconds', record.syncIntervalSeconds, 0),
      created_at: timestampOf('createdAt', record.createdAt),
      updated_at: timestampOf('updatedAt', record.updatedAt),
    },
  }
}

/** Configs of entity ingestion in files. */
export const entityIngestionConfigTransfer: TransferResource<EntityIngestionConfigRecord> = {
  staged: place.staged,
  rowOf,
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
  owner: { table: 'teams', column: 'team_id', field: 'teamId', gives: { organization_id: 'owner.organization_id' } },
  checks: [
    organizationCheck(place.table, place.staged),
    referenceCheck({
      staged: place.staged,
      column: 's.app_instance_id',
      field: `'appInstanceId'`,
      noun: 'app instance',
      table: 'app_instances',
    }),
    referenceCheck({
      staged: place.staged,
      column: 's.internal_entity_type_id',
      field: `'internalEntityTypeId'`,
      noun: 'entity type',
      table: 'entity_types',
    }),
  ],
  lock: lockStatement(place),
  upsert: upsertStatement({
    ...place,
    values: {
      ...sameColumns('organization_id', 'team_id', 'app_instance_id', 'internal_entity_type_id', 'workflow_id'),
      ...sameColumns('service_name', 'workflow_name', 'enabled', 'is_workflow_published', 'has_ingestion_context'),
      ...sameColumns('sync_deletions', 'sync_interval_seconds'),
      created_at: 'coalesce(s.created_at, t.created_at, now())',
      updated_at: 'coalesce(s.updated_at, t.updated_at, s.created_at, now())',
    },
  }),
  children: [],
  finalChecks: [],
  select: `
SELECT json_build_object('id', c.id, 'appInstanceId', c.app_instance_id, 'workflowId', c.workflow_id,
  'teamId', c.team_id, 'serviceName', c.service_name, 'workflowName', c.workflow_name,
  'internalEntityTypeId', c.internal_entity_type_id, 'enabled', c.enabled,
  'isWorkflowPublished', c.is_workflow_published, 'hasIngestionContext', c.has_ingestion_context,
  'syncDeletions', c.sync_deletions, 'createdAt', ${timestampColumn('c.created_at')}, 'updatedAt', ${timestampColumn('c.updated_at')},
  'syncIntervalSeconds', c.sync_interval_seconds) AS record
FROM entity_ingestion_configs c ORDER BY c.ordinal`,
}
