import { nameLimits, type TextLimits } from '../text-field.js'
import { timestampOf } from '../timestamp.js'
import { timestampColumn } from '../timestamp-column.js'
import { idOf, textOf } from './field-values.js'
import { lockStatement, organizationCheck, referenceCheck, sameColumns, upsertStatement } from './statements.js'
import type { TransferResource } from './transfer-resource.js'

/** A line of the kind `entityFieldMapping`. */
export interface EntityFieldMappingRecord {
  readonly id: string
  readonly ingestionConfigId: string
  readonly internalFieldId: string
  readonly externalFieldPath: string
  readonly priority: number
  readonly createdAt: string
  readonly updatedAt: string
  readonly entityTypeId: string
}

const pathLimits: TextLimits = { max: 2048 }
const place = { table: 'entity_field_mappings', staged: 'staged_entity_field_mapping', key: { id: 's.id' } }

/** Field mappings of entities in files. */
export const entityFieldMappingTransfer: TransferResource<EntityFieldMappingRecord> = {
  staged: place.staged,
  rowOf: (record) => ({
    key: idOf('id', record.id),
    values: {
      id: record.id,
      entity_type_id: idOf('entityTypeId', record.entityTypeId),
      ingestion_config_id: idOf('ingestionConfigId', record.ingestionConfigId),
      internal_field_id: textOf('internalFieldId', record.internalFieldId, nameLimits),
      external_field_path: textOf('externalFieldPath', record.externalFieldPath, pathLimits),
      priority: record.priority,
      created_at: timestampOf('createdAt', record.createdAt),
      updated_at: timestampOf('updatedAt', record.updatedAt),
    },
  }),
  columns: {
    id: 'text',
    entity_type_id: 'text',
    ingestion_config_id: 'text',
    internal_field_id: 'text',
    external_field_path: 'text',
    priority: 'integer',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
  owner: {
    table: 'entity_types',
    column: 'entity_type_id',
    field: 'entityTypeId',
    gives: { organization_id: 'owner.organization_id' },
  },
  checks: [
    organizationCheck(place.table, place.staged),
    referenceCheck({
      staged: place.staged,
      column: 's.ingestion_config_id',
      field: `'ingestionConfigId'`,
      noun: 'ingestion config',
      table: 'entity_ingestion_configs',
    }),
  ],
  lock: lockStatement(place),
  upsert: upsertStatement({
    ...place,
    values: {
      ...sameColumns('organization_id', 'entity_type_id', 'ingestion_config_id', 'internal_field_id'),
      ...sameColumns('external_field_path', 'priority'),
      created_at: 'coalesce(s.created_at, t.created_at, now())',
      updated_at: 'coalesce(s.updated_at, t.updated_at, s.created_at, now())',
    },
  }),
  children: [],
  finalChecks: [],
  select: `
SELECT json_build_object('id', m.id, 'ingestionConfigId', m.ingestion_config_id,
  'internalFieldId', m.internal_field_id, 'externalFieldPath', m.external_field_path, 'priority', m.priority,
  'createdAt', ${timestampColumn('m.created_at')}, 'updatedAt', ${timestampColumn('m.updated_at')},
  'entityTypeId', m.entity_type_id) AS record
FROM entity_field_mappings m ORDER BY m.ordinal`,
}
