import { configsOfAppInstance, configsOfTeam, entityIngestionConfigStore } from '../store/entity-ingestion-config.js'
import { listOfOwner, teamIdFor, visibleScope } from './caller/caller.js'
import type { Scope } from './caller/scope.js'
import { standardResource } from './standard-resource.js'

/** Configured ingestions; `listEntityIngestionConfigs` lists them. */
export const entityIngestionConfigs = standardResource(entityIngestionConfigStore, { name: 'ingestion config' })

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
  { reads, caller }: Scope,
  { teamId: requestedTeamId, appInstanceId }: EntityIngestionConfigListRequest,
): Promise<string> {
  const teamId = await teamIdFor(reads, caller, requestedTeamId)
  const team = { ownerId: teamId, ...visibleScope(caller) }
  const list = await (appInstanceId === ''
    ? configsOfTeam.read(reads, team)
    : configsOfAppInstance.read(reads, { appInstanceId, ...team }))
  return listOfOwner(list, caller, ['team', teamId], 'entities:read')
}
