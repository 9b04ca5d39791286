import { Prisma } from '../../gen/prisma/client.js'
import { schema } from '../../gen/prisma/schema.js'
import { EntityFieldMappingSchema } from '../../gen/svc/v2/entity_field_mapping_pb.js'
import type { Parameter } from '../db/statement.js'
import { declareResource } from './resource/resource.js'
import { createStandardStore } from './standard-methods.js'
import { inTeams, ofOrganization } from './visibility.js'

const configId: Parameter = { parameter: 'ingestionConfigId' }

/** Rules that fill fields of entities: those of a type with the highest priority first. A hidden config has none. */
export const entityFieldMappingStore = createStandardStore(
  declareResource(EntityFieldMappingSchema, schema.EntityFieldMapping, 'm'),
  {
    ownerColumn: 'entity_type_id',
    orderOfOwner: Prisma.sql`m.priority DESC, m.id`,
    condition: ({ teamIds }) => Prisma.sql`(coalesce(${configId}::text, '') = '' OR EXISTS (
             SELECT FROM entity_ingestion_configs c
              WHERE ${ofOrganization('c')} AND c.id = ${configId} AND ${inTeams(Prisma.sql`c.team_id`, teamIds)}))`,
  },
)
