import { Prisma } from '../../gen/prisma/client.js'
import type { EntityIngestionConfigModel } from '../../gen/prisma/models.js'
import type { PreparedQueryable } from '../db/queryable.js'
import type { Columns, Places } from '../db/statement.js'
import type { OptionalRow } from './optional-row.js'
import { inTeams, type Scope } from './scope.js'
import { timestampText, type WithPrintedTimes } from './timestamp-text.js'
import { createWholeList, readWholeList } from './whole-list.js'

/** A config as it is answered. */
export type EntityIngestionConfigRow = WithPrintedTimes<
  Omit<EntityIngestionConfigModel, 'organizationId' | 'ordinal'>,
  'createdAt' | 'updatedAt'
>

interface ConfigsOfTeam extends Scope {
  readonly teamId: string
}

interface ConfigsOfAppInstance extends ConfigsOfTeam {
  readonly appInstanceId: string
}

const columns: Columns<EntityIngestionConfigRow> = {
  id: 'text',
  teamId: 'text',
  appInstanceId: 'text',
  internalEntityTypeId: 'text',
  workflowId: 'text',
  serviceName: 'text',
  workflowName: 'text',
  enabled: 'bool',
  isWorkflowPublished: 'bool',
  hasIngestionContext: 'bool',
  syncDeletions: 'bool',
  syncIntervalSeconds: 'int4',
  createdAt: 'text',
  updatedAt: 'text',
}

/** The list of a team that is in the scope, with one row of nulls where it is empty. */
const listText = (
  { organizationId, teamId, teamIds }: Places<ConfigsOfTeam>,
  filter: Prisma.Sql,
  limit: Prisma.Sql,
) => Prisma.sql`
SELECT c.id, c.team_id AS "teamId", c.app_instance_id AS "appInstanceId",
       c.internal_entity_type_id AS "internalEntityTypeId", c.workflow_id AS "workflowId",
       c.service_name AS "serviceName", c.workflow_name AS "workflowName", c.enabled,
       c.is_workflow_published AS "isWorkflowPublished", c.has_ingestion_context AS "hasIngestionContext",
       c.sync_deletions AS "syncDeletions", c.sync_interval_seconds AS "syncIntervalSeconds",
       ${timestampText(Prisma.sql`c.created_at`)} AS "createdAt",
       ${timestampText(Prisma.sql`c.updated_at`)} AS "updatedAt"
  FROM teams t
  LEFT JOIN LATERAL (
    SELECT * FROM entity_ingestion_configs c
     WHERE c.organization_id = t.organization_id AND c.team_id = t.id ${filter}
     ORDER BY c.ordinal ${limit}
  ) c ON true
 WHERE t.organization_id = ${organizationId} AND t.id = ${teamId} AND ${inTeams(Prisma.sql`t.id`, teamIds)}
 ORDER BY c.ordinal`

const list = createWholeList<ConfigsOfTeam, OptionalRow<EntityIngestionConfigRow>>({
  name: 'list_configs',
  reason: 'set',
  columns,
  text: (places, limit) => listText(places, Prisma.empty, limit),
})

/** An app instance is seen by the teams that own it or share it; one that is hidden from the caller filters all out. */
const listOfAppInstance = createWholeList<ConfigsOfAppInstance, OptionalRow<EntityIngestionConfigRow>>({
  name: 'list_configs_of_app_instance',
  reason: 'set',
  columns,
  text: (places, limit) => {
    const { organizationId, appInstanceId, teamIds } = places
    const filter = Prisma.sql`
       AND c.app_instance_id = ${appInstanceId}
       AND EXISTS (
         SELECT FROM app_instances i
          WHERE i.organization_id = ${organizationId} AND i.id = ${appInstanceId} AND (
            ${inTeams(Prisma.sql`i.team_id`, teamIds)}
            OR EXISTS (
              SELECT FROM app_instance_shares s
               WHERE s.organization_id = i.organization_id AND s.app_instance_id = i.id AND s.team_id = ANY (${teamIds}))))`
    return listText(places, filter, limit)
  },
})

/** The statements of this file. */
export const entityIngestionConfigStatements = [...Object.values(list), ...Object.values(listOfAppInstance)]

/** The configs of a team in the order of their creation. No row where the team is not in the scope. */
export function listConfigsOfTeam(tables: PreparedQueryable, team: ConfigsOfTeam) {
  return readWholeList(tables, list, team)
}

/** The same, of one app instance; nothing but nulls where that is hidden from the caller. */
export function listConfigsOfAppInstance(tables: PreparedQueryable, request: ConfigsOfAppInstance) {
  return readWholeList(tables, listOfAppInstance, request)
}
