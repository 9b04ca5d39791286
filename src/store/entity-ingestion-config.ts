import { Prisma } from '../../gen/prisma/client.js'
import { schema } from '../../gen/prisma/schema.js'
import { EntityIngestionConfigSchema } from '../../gen/svc/v2/entity_ingestion_config_pb.js'
import type { Places } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { declareResource } from './resource/resource.js'
import { inTeams, type Scope } from './scope.js'
import { ofOrganization } from './tenant.js'
import { createWholeList, readWholeList, type WholeListRow, wholeListColumns, wholeListText } from './whole-list.js'

/** Configured ingestions. */
export const entityIngestionConfigResource = declareResource(
  EntityIngestionConfigSchema,
  schema.EntityIngestionConfig,
  'c',
)

interface ConfigsOfTeam extends Scope {
  readonly teamId: string
}

interface ConfigsOfAppInstance extends ConfigsOfTeam {
  readonly appInstanceId: string
}

/** The list of a team that is in the scope. */
const listText = ({ teamId, teamIds }: Places<ConfigsOfTeam>, filter: Prisma.Sql, limit: Prisma.Sql) => Prisma.sql`
SELECT list.*
  FROM teams t
 CROSS JOIN LATERAL (
    SELECT ${wholeListText(entityIngestionConfigResource, Prisma.sql`c.ordinal`)}
      FROM (
        SELECT * FROM entity_ingestion_configs c
         WHERE ${ofOrganization('c')} AND c.team_id = t.id ${filter}
         ORDER BY c.ordinal ${limit}
      ) c
  ) list
 WHERE ${ofOrganization('t')} AND t.id = ${teamId} AND ${inTeams(Prisma.sql`t.id`, teamIds)}`

const list = createWholeList<ConfigsOfTeam, WholeListRow>({
  name: 'list_configs',
  columns: wholeListColumns,
  text: (places, limit) => listText(places, Prisma.empty, limit),
})

/**
 * An app instance is seen by the teams that own it or share it; one that is hidden from the caller gives an empty list.
 */
const listOfAppInstance = createWholeList<ConfigsOfAppInstance, WholeListRow>({
  name: 'list_configs_of_app_instance',
  columns: wholeListColumns,
  text: (places, limit) => {
    const { appInstanceId, teamIds } = places
    const filter = Prisma.sql`
       AND c.app_instance_id = ${appInstanceId}
       AND EXISTS (
         SELECT FROM app_instances i
          WHERE ${ofOrganization('i')} AND i.id = ${appInstanceId} AND (
            ${inTeams(Prisma.sql`i.team_id`, teamIds)}
            OR EXISTS (
              SELECT FROM app_instance_shares s
               WHERE ${ofOrganization('s')} AND s.app_instance_id = i.id AND s.team_id = ANY (${teamIds}))))`
    return listText(places, filter, limit)
  },
})

/** The statements of this file. */
export const entityIngestionConfigStatements = [...Object.values(list), ...Object.values(listOfAppInstance)]

/** The configs of a team in the order of their creation. No row if the team is not in the scope. */
export function listConfigsOfTeam(tables: Tables, team: ConfigsOfTeam) {
  return readWholeList(tables, list, team)
}

/** The same, of one app instance; an empty list if that is hidden from the caller. */
export function listConfigsOfAppInstance(tables: Tables, request: ConfigsOfAppInstance) {
  return readWholeList(tables, listOfAppInstance, request)
}
