import { entityIngestionConfigStore } from '../store/entity-ingestion-config.js'
import { type CallContext, teamIdFor } from './caller/caller.js'
import type { Page } from './paging.js'
import { listOfOwner } from './standard-methods.js'
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
  const teamId = await teamIdFor(context.reads, context.caller, request.teamId)
  if (isWhole({ ...request, teamId })) return listOfOwner(context, entityIngestionConfigs, teamId, { appInstanceId })
  return listAcrossTeams(context, entityIngestionConfigs, { ...request, teamId, filters: { appInstanceId } })
}
