import type { Sql } from '../db/sql.js'
import { type Caller, visibleTeamIds } from './caller.js'
import { type OptionalRow, rowsOfTeam, teamIdFor } from './team-scope.js'
import { timestampColumn } from './timestamp-column.js'
import { createWholeList } from './whole-list.js'

/** One configured ingestion (spec, EntityIngestionConfig). */
export interface EntityIngestionConfig {
  readonly id: string
  readonly appInstanceId: string
  readonly workflowId: string
  readonly teamId: string
  readonly serviceName: string
  readonly workflowName: string
  readonly internalEntityTypeId: string
  readonly enabled: boolean
  readonly isWorkflowPublished: boolean
  readonly hasIngestionContext: boolean
  readonly syncDeletions: boolean
  readonly createdAt: string
  readonly updatedAt: string
  readonly syncIntervalSeconds: number
}

/** What to list; empty texts are absent. */
export interface EntityIngestionConfigListRequest {
  readonly teamId: string
  readonly appInstanceId: string
}

/** An app instance is seen by the teams that own it or share it; one that is hidden from the caller filters all out. */
const ofAppInstance = `
AND c.app_instance_id = $4
AND EXISTS (
  SELECT FROM app_instances i
   WHERE i.organization_id = $1 AND i.id = $4 AND (
     $3::text[] IS NULL OR i.team_id = ANY ($3)
     OR EXISTS (SELECT FROM app_instance_shares s WHERE s.app_instance_id = i.id AND s.team_id = ANY ($3))))`

const listStatement = (filter: string) => (limit: string) =>
  `
SELECT c.id, c.app_instance_id AS "appInstanceId", c.workflow_id AS "workflowId", c.team_id AS "teamId",
       c.service_name AS "serviceName", c.workflow_name AS "workflowName",
       c.internal_entity_type_id AS "internalEntityTypeId", c.enabled,
       c.is_workflow_published AS "isWorkflowPublished", c.has_ingestion_context AS "hasIngestionContext",
       c.sync_deletions AS "syncDeletions", ${timestampColumn('c.created_at')} AS "createdAt",
       ${timestampColumn('c.updated_at')} AS "updatedAt", c.sync_interval_seconds AS "syncIntervalSeconds"
  FROM teams t
  LEFT JOIN LATERAL (
    SELECT * FROM entity_ingestion_configs c WHERE c.team_id = t.id ${filter} ORDER BY c.ordinal ${limit}
  ) c ON true
 WHERE t.organization_id = $1 AND t.id = $2 AND ($3::text[] IS NULL OR t.id = ANY ($3))
 ORDER BY c.ordinal`

type Row = OptionalRow<EntityIngestionConfig>
const rowsOfTeamAlone = createWholeList<Row>('list_configs', listStatement(''))
const rowsOfAppInstance = createWholeList<Row>('list_configs_of_app_instance', listStatement(ofAppInstance))

/**
 * The ingestion configs of a team in the order of their creation, of one app instance where the request names it (spec,
 * endpoint 7). Throws `TEAM_REQUIRED`, `RESOURCE_NOT_FOUND` for the team, and `PERMISSION_MISSING` without
 * `entities:read` in it.
 */
export async function listEntityIngestionConfigs(
  sql: Sql,
  caller: Caller,
  { teamId: requestedTeamId, appInstanceId }: EntityIngestionConfigListRequest,
): Promise<EntityIngestionConfig[]> {
  const teamId = await teamIdFor(sql, caller, requestedTeamId)
  const values = [caller.organizationId, teamId, visibleTeamIds(caller)]
  const rows = await (appInstanceId === ''
    ? rowsOfTeamAlone(sql, values)
    : rowsOfAppInstance(sql, [...values, appInstanceId]))
  return rowsOfTeam<EntityIngestionConfig>(rows, caller, teamId, 'entities:read')
}
