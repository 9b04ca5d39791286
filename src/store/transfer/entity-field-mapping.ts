import { Prisma } from '../../../gen/prisma/client.js'
import { timestampText } from '../timestamp-text.js'
import { organizationCheck, referenceCheck } from './checks.js'
import { idKey, sameColumns, type TransferTable } from './transfer-table.js'

const place = { table: Prisma.sql`entity_field_mappings`, staged: Prisma.sql`staged_entity_field_mapping`, key: idKey }

/** Field mappings of entities. */
export const entityFieldMappingTable: TransferTable = {
  ...place,
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
    ...{ table: 'entity_types', column: 'entity_type_id', field: 'entityTypeId', noun: 'entity type' },
    gives: { organization_id: Prisma.sql`owner.organization_id` },
  },
  values: {
    ...sameColumns('organization_id', 'entity_type_id', 'ingestion_config_id', 'internal_field_id'),
    ...sameColumns('external_field_path', 'priority'),
    created_at: Prisma.sql`coalesce(s.created_at, t.created_at, now())`,
    updated_at: Prisma.sql`coalesce(s.updated_at, t.updated_at, s.created_at, now())`,
  },
  checks: {
    organization: organizationCheck(place),
    ingestion_config_id: referenceCheck({
      staged: place.staged,
      column: Prisma.sql`s.ingestion_config_id`,
      field: Prisma.sql`'ingestionConfigId'`,
      noun: 'ingestion config',
      table: 'entity_ingestion_configs',
    }),
  },
  children: [],
  finalChecks: {},
  select: Prisma.sql`
SELECT json_build_object('id', m.id, 'ingestionConfigId', m.ingestion_config_id,
  'internalFieldId', m.internal_field_id, 'externalFieldPath', m.external_field_path, 'priority', m.priority,
  'createdAt', ${timestampText(Prisma.sql`m.created_at`)}, 'updatedAt', ${timestampText(Prisma.sql`m.updated_at`)},
  'entityTypeId', m.entity_type_id) AS record
FROM entity_field_mappings m ORDER BY m.ordinal`,
}
