import {
  entityIngestionConfigStore,
  readConfigsOfAppInstance,
  readConfigsOfTeam,
} from '../store/entity-ingestion-config.js'
import { type CallContext, listOfOwner, teamIdFor, visibilityOf } from './caller/caller.js'
import type { Page } from './paging.js'
import { standardResource } from './standard-resource.js'
import { isWhole, listAcrossTeams, type TeamListRequest } from './team-list.js'

/** Configured ingestions; `listEntityIngestionConfigs` lists them. */
export const entityIngestionConfigs = standardResource(entityIngestionConfigStore, { name: 'ingestion config' })

/**
 * The JSON of the ingestion configs of a team in the order of their creation, or a page of what `listAcrossTeams`
 * lists; only those of one app instance if the request names it. Throws `TEAM_REQUIRED`, `RESOURCE_NOT_FOUND` for the
 * team, `PERMISSION_MISSING` without `entities:read` in it, and `PAGE_TOKEN_INVALID`.
 */
export async function listEntityIngestionConfigs(
  context: CallContext,
  { appInstanceId, ...request }: TeamListRequest & { readonly appInstanceId: string },
): Promise<string | Page> {
  const { reads, caller } = context
  const teamId = await teamIdFor(reads, caller, request.teamId)
  if (!isWhole({ ...request, teamId })) {
    return listAcrossTeams(context, entityIngestionConfigs, { ...request, teamId, filters: { appInstanceId } })
  }
  const team = { ownerId: teamId, ...visibilityOf(caller) }
  const list = await (appInstanceId === ''
    ? readConfigsOfTeam(reads, team)
    : readConfigsOfAppInstance(reads, { appInstanceId, ...team }))
  return listOfOwner(list, caller, ['team', teamId], 'entities:read')
}
