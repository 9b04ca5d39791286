import { Prisma } from '../../gen/prisma/client.js'
import { schema } from '../../gen/prisma/schema.js'
import { EntityFieldMappingSchema } from '../../gen/svc/v2/entity_field_mapping_pb.js'
import { createOwnedList, type ListOwner } from './list.js'
import { declareResource } from './resource/resource.js'
import { createStandardStore } from './standard-methods.js'
import { inTeams, ofOrganization } from './visibility.js'

const entityFieldMappingResource = declareResource(EntityFieldMappingSchema, schema.EntityFieldMapping, 'm')

const ofType = {
  resource: entityFieldMappingResource,
  parent: 'entity_type_id',
  order: Prisma.sql`m.priority DESC, m.id`,
} as const

/** The mappings of an entity type, highest priority first, then by id. */
export const readMappingsOfType = createOwnedList({ name: 'list_mappings', ...ofType })

/** The same, of one config; an empty list if that is hidden from the caller. */
export const readMappingsOfConfig = createOwnedList<ListOwner & { readonly ingestionConfigId: string }>({
  name: 'list_mappings_of_config',
  ...ofType,
  filter: ({ ingestionConfigId, teamIds }) => Prisma.sql`m.ingestion_config_id = ${ingestionConfigId}
           AND EXISTS (
             SELECT FROM entity_ingestion_configs c
              WHERE ${ofOrganization('c')} AND c.id = ${ingestionConfigId} AND ${inTeams(Prisma.sql`c.team_id`, teamIds)})`,
})

/** Get, Create, Update and Delete; the list of an entity type, to which mappings belong, is not paged. */
export const entityFieldMappingStore = createStandardStore(entityFieldMappingResource, {
  ownerColumn: 'entity_type_id',
})
