import { Prisma } from '../../gen/prisma/client.js'
import { schema } from '../../gen/prisma/schema.js'
import { EntityIngestionConfigSchema } from '../../gen/svc/v2/entity_ingestion_config_pb.js'
import type { Parameter } from '../db/statement.js'
import { createOwnedList, type ListOwner } from './list.js'
import { declareResource } from './resource/resource.js'
import { createStandardStore } from './standard-methods.js'
import { inTeams, ofOrganization } from './visibility.js'

/** Configured ingestions. */
export const entityIngestionConfigResource = declareResource(
  EntityIngestionConfigSchema,
  schema.EntityIngestionConfig,
  'c',
)

const ofTeam = {
  resource: entityIngestionConfigResource,
  parent: 'team_id',
  order: Prisma.sql`c.ordinal`,
} as const

/** The configs of a team in the order of their creation. */
export const readConfigsOfTeam = createOwnedList({ name: 'list_configs', ...ofTeam })

/**
 * An app instance is seen by the teams that own it or share it; one that is hidden from the caller gives an empty list.
 */
const isSeen = (appInstanceId: Parameter, teamIds: Parameter) => Prisma.sql`EXISTS (
             SELECT FROM app_instances i
              WHERE ${ofOrganization('i')} AND i.id = ${appInstanceId} AND (
                ${inTeams(Prisma.sql`i.team_id`, teamIds)}
                OR EXISTS (
                  SELECT FROM app_instance_shares s
                   WHERE ${ofOrganization('s')} AND s.app_instance_id = i.id AND s.team_id = ANY (${teamIds}))))`

/** The same, of one app instance. */
export const readConfigsOfAppInstance = createOwnedList<ListOwner & { readonly appInstanceId: string }>({
  name: 'list_configs_of_app_instance',
  ...ofTeam,
  filter: ({ appInstanceId, teamIds }) => Prisma.sql`c.app_instance_id = ${appInstanceId}
           AND ${isSeen(appInstanceId, teamIds)}`,
})

const appInstanceId: Parameter = { parameter: 'appInstanceId' }

/** The standard methods; `readConfigsOfTeam` and `readConfigsOfAppInstance` are the lists without pages. */
export const entityIngestionConfigStore = createStandardStore(entityIngestionConfigResource, {
  searched: 'serviceName',
  condition: ({ teamIds }) => Prisma.sql`(${appInstanceId}::text IS NULL OR ${isSeen(appInstanceId, teamIds)})`,
})
