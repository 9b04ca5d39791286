import { Prisma } from '../../gen/prisma/client.js'
import type { EntityTypeModel } from '../../gen/prisma/models.js'
import { schema } from '../../gen/prisma/schema.js'
import { EntityFieldMappingSchema } from '../../gen/svc/v2/entity_field_mapping_pb.js'
import type { Places } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { declareResource } from './resource/resource.js'
import { inTeams, type Scope } from './scope.js'
import { ofOrganization } from './tenant.js'
import { createWholeList, readWholeList, type WholeListRow, wholeListColumns, wholeListText } from './whole-list.js'

const mappingResource = declareResource(EntityFieldMappingSchema, schema.EntityFieldMapping, 'm')

/** The mappings of an entity type, with the team of the type. */
export type FieldMappingListRow = Pick<EntityTypeModel, 'teamId'> & WholeListRow

interface MappingsOfType extends Scope {
  readonly entityTypeId: string
}

interface MappingsOfConfig extends MappingsOfType {
  readonly ingestionConfigId: string
}

const columns = { ...wholeListColumns, teamId: 'text' } as const

/** The list of an entity type that is in the scope. */
const listText = (
  { entityTypeId, teamIds }: Places<MappingsOfType>,
  filter: Prisma.Sql,
  limit: Prisma.Sql,
) => Prisma.sql`
SELECT e.team_id AS "teamId", list.*
  FROM entity_types e
 CROSS JOIN LATERAL (
    SELECT ${wholeListText(mappingResource, Prisma.sql`m.priority DESC, m.id`)}
      FROM (
        SELECT * FROM entity_field_mappings m
         WHERE ${ofOrganization('m')} AND m.entity_type_id = e.id ${filter}
         ORDER BY m.priority DESC, m.id ${limit}
      ) m
  ) list
 WHERE ${ofOrganization('e')} AND e.id = ${entityTypeId} AND ${inTeams(Prisma.sql`e.team_id`, teamIds)}`

const list = createWholeList<MappingsOfType, FieldMappingListRow>({
  name: 'list_mappings',
  columns,
  text: (places, limit) => listText(places, Prisma.empty, limit),
})

/** A config that is hidden from the caller gives an empty list. */
const listOfConfig = createWholeList<MappingsOfConfig, FieldMappingListRow>({
  name: 'list_mappings_of_config',
  columns,
  text: (places, limit) => {
    const { ingestionConfigId, teamIds } = places
    const filter = Prisma.sql`
       AND m.ingestion_config_id = ${ingestionConfigId}
       AND EXISTS (
         SELECT FROM entity_ingestion_configs c
          WHERE ${ofOrganization('c')} AND c.id = ${ingestionConfigId}
            AND ${inTeams(Prisma.sql`c.team_id`, teamIds)})`
    return listText(places, filter, limit)
  },
})

/** The statements of this file. */
export const entityFieldMappingStatements = [...Object.values(list), ...Object.values(listOfConfig)]

/** The mappings of an entity type, highest priority first, then by id. Nothing if the type is not in the scope. */
export function listMappingsOfType(tables: Tables, type: MappingsOfType): Promise<FieldMappingListRow | undefined> {
  return readWholeList(tables, list, type)
}

/** The same, of one config; an empty list if that is hidden from the caller. */
export function listMappingsOfConfig(
  tables: Tables,
  request: MappingsOfConfig,
): Promise<FieldMappingListRow | undefined> {
  return readWholeList(tables, listOfConfig, request)
}
