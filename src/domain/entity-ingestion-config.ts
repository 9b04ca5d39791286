import type { Queryable } from '../db/queryable.js'
import { listConfigsOfAppInstance, listConfigsOfTeam } from '../store/entity-ingestion-config.js'
import { type Caller, visibleScope } from './caller/caller.js'
import { rowsOfTeam, teamIdFor } from './caller/team-scope.js'

/** One configured ingestion. */
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

/**
 * The ingestion configs of a team in the order of their creation, of one app instance where the request names it.
 * Throws `TEAM_REQUIRED`, `RESOURCE_NOT_FOUND` for the team, and `PERMISSION_MISSING` without `entities:read` in it.
 */
export async function listEntityIngestionConfigs(
  tables: Queryable,
  caller: Caller,
  { teamId: requestedTeamId, appInstanceId }: EntityIngestionConfigListRequest,
): Promise<EntityIngestionConfig[]> {
  const teamId = await teamIdFor(tables, caller, requestedTeamId)
  const team = { ...visibleScope(caller), teamId }
  const rows = await (appInstanceId === ''
    ? listConfigsOfTeam(tables, team)
    : listConfigsOfAppInstance(tables, { ...team, appInstanceId }))
  return rowsOfTeam<EntityIngestionConfig>(rows, caller, teamId, 'entities:read')
}
