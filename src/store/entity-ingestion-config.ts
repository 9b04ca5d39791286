import { Prisma } from '../../gen/prisma/client.js'
import { schema } from '../../gen/prisma/schema.js'
import { EntityIngestionConfigSchema } from '../../gen/svc/v2/entity_ingestion_config_pb.js'
import type { Parameter } from '../db/statement.js'
import { declareResource } from './resource/resource.js'
import { createStandardStore } from './standard-methods.js'
import { inTeams, ofOrganization } from './visibility.js'

export const entityIngestionConfigResource = declareResource(
  EntityIngestionConfigSchema,
  schema.EntityIngestionConfig,
  'c',
)

const appInstanceId: Parameter = { parameter: 'appInstanceId' }

/** The standard methods. An app instance is seen by the teams that own it or share it; a hidden one has no configs. */
export const entityIngestionConfigStore = createStandardStore(entityIngestionConfigResource, {
  searched: 'serviceName',
  orderOfOwner: Prisma.sql`c.ordinal`,
  condition: ({ teamIds }) => Prisma.sql`(coalesce(${appInstanceId}::text, '') = '' OR EXISTS (
             SELECT FROM app_instances i
              WHERE ${ofOrganization('i')} AND i.id = ${appInstanceId} AND (
                ${inTeams(Prisma.sql`i.team_id`, teamIds)}
                OR EXISTS (
                  SELECT FROM app_instance_shares s
                   WHERE ${ofOrganization('s')} AND s.app_instance_id = i.id AND s.team_id = ANY (${teamIds})))))`,
})
