import { Prisma } from '../../gen/prisma/client.js'
import type { EntityFieldMappingModel, EntityTypeModel } from '../../gen/prisma/models.js'
import type { PreparedQueryable } from '../db/queryable.js'
import type { Columns, Places } from '../db/statement.js'
import type { OptionalRow } from './optional-row.js'
import { inTeams, type Scope } from './scope.js'
import { timestampText, type WithPrintedTimes } from './timestamp-text.js'
import { createWholeList, readWholeList } from './whole-list.js'

/** A mapping as it is answered. */
export type EntityFieldMappingRow = WithPrintedTimes<
  Omit<EntityFieldMappingModel, 'organizationId' | 'entityTypeId' | 'ordinal'>,
  'createdAt' | 'updatedAt'
>

/** A mapping with the team of its entity type. */
export type ListedFieldMapping = Pick<EntityTypeModel, 'teamId'> & OptionalRow<EntityFieldMappingRow>

interface MappingsOfType extends Scope {
  readonly entityTypeId: string
}

interface MappingsOfConfig extends MappingsOfType {
  readonly ingestionConfigId: string
}

const columns: Columns<Pick<EntityTypeModel, 'teamId'> & EntityFieldMappingRow> = {
  teamId: 'text',
  id: 'text',
  ingestionConfigId: 'text',
  internalFieldId: 'text',
  externalFieldPath: 'text',
  priority: 'int4',
  createdAt: 'text',
  updatedAt: 'text',
}

/** The list of an entity type that is in the scope, with one row of nulls where it is empty. */
const listText = (
  { organizationId, entityTypeId, teamIds }: Places<MappingsOfType>,
  filter: Prisma.Sql,
  limit: Prisma.Sql,
) => Prisma.sql`
SELECT e.team_id AS "teamId", m.id, m.ingestion_config_id AS "ingestionConfigId",
       m.internal_field_id AS "internalFieldId", m.external_field_path AS "externalFieldPath", m.priority,
       ${timestampText(Prisma.sql`m.created_at`)} AS "createdAt",
       ${timestampText(Prisma.sql`m.updated_at`)} AS "updatedAt"
  FROM entity_types e
  LEFT JOIN LATERAL (
    SELECT * FROM entity_field_mappings m
     WHERE m.organization_id = e.organization_id AND m.entity_type_id = e.id ${filter}
     ORDER BY m.priority DESC, m.id ${limit}
  ) m ON true
 WHERE e.organization_id = ${organizationId} AND e.id = ${entityTypeId} AND ${inTeams(Prisma.sql`e.team_id`, teamIds)}
 ORDER BY m.priority DESC, m.id`

const list = createWholeList<MappingsOfType, ListedFieldMapping>({
  name: 'list_mappings',
  reason: 'set',
  columns,
  text: (places, limit) => listText(places, Prisma.empty, limit),
})

/** A config that is hidden from the caller filters all out. */
const listOfConfig = createWholeList<MappingsOfConfig, ListedFieldMapping>({
  name: 'list_mappings_of_config',
  reason: 'set',
  columns,
  text: (places, limit) => {
    const { organizationId, ingestionConfigId, teamIds } = places
    const filter = Prisma.sql`
       AND m.ingestion_config_id = ${ingestionConfigId}
       AND EXISTS (
         SELECT FROM entity_ingestion_configs c
          WHERE c.organization_id = ${organizationId} AND c.id = ${ingestionConfigId}
            AND ${inTeams(Prisma.sql`c.team_id`, teamIds)})`
    return listText(places, filter, limit)
  },
})

/** The statements of this file. */
export const entityFieldMappingStatements = [...Object.values(list), ...Object.values(listOfConfig)]

/** The mappings of an entity type, the highest priority first, then by id. No row where the type is not in the scope. */
export function listMappingsOfType(tables: PreparedQueryable, type: MappingsOfType): Promise<ListedFieldMapping[]> {
  return readWholeList(tables, list, type)
}

/** The same, of one config; nothing but nulls where that is hidden from the caller. */
export function listMappingsOfConfig(
  tables: PreparedQueryable,
  request: MappingsOfConfig,
): Promise<ListedFieldMapping[]> {
  return readWholeList(tables, listOfConfig, request)
}
