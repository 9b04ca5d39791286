import type { Queryable } from '../db/queryable.js'
import { listConfigsOfAppInstance, listConfigsOfTeam } from '../store/entity-ingestion-config.js'
import { type Caller, visibleScope } from './caller/caller.js'
import { listOfTeam, teamIdFor } from './caller/team-scope.js'

/** What to list; empty strings mean absent. */
export interface EntityIngestionConfigListRequest {
  readonly teamId: string
  readonly appInstanceId: string
}

/**
 * The JSON of the ingestion configs of a team in the order of their creation; only those of one app instance if the
 * request names it. Throws `TEAM_REQUIRED`, `RESOURCE_NOT_FOUND` for the team, and `PERMISSION_MISSING` without
 * `entities:read` in it.
 */
export async function listEntityIngestionConfigs(
  tables: Queryable,
  caller: Caller,
  { teamId: requestedTeamId, appInstanceId }: EntityIngestionConfigListRequest,
): Promise<string> {
  const teamId = await teamIdFor(tables, caller, requestedTeamId)
  const team = { teamId, ...visibleScope(caller) }
  const list = await (appInstanceId === ''
    ? listConfigsOfTeam(tables, team)
    : listConfigsOfAppInstance(tables, { appInstanceId, ...team }))
  return listOfTeam(list, caller, teamId, 'entities:read')
}
