import type { Queryable } from '../db/queryable.js'
import { notFound } from '../errors.js'
import { type AgentCard, readAppInstances } from '../store/app-instance.js'
import { type Caller, requirePermissionIn, visibleScope } from './caller/caller.js'
import { teamIdFor } from './caller/team-scope.js'
import { pageSizeFrom } from './paging/page-size.js'
import type { PageQuery, PageTokens } from './paging/page-token.js'

/** One installation of an app. Empty texts are unset ids. */
export interface AppInstance {
  readonly id: string
  readonly customServiceId: string
  readonly teamId: string
  readonly externalServiceInstanceId: string
  readonly name: string
  readonly accessRequestsEnabled: boolean
  readonly defaultAccessPolicyId: string
  readonly customServiceName: string
  readonly tagIds: string[]
  readonly integrationIds: string[]
  readonly a2aAgentCard?: AgentCard
  readonly routeDirectFromWorker: boolean
}

/** What to list; empty texts and 0 are absent. */
export interface AppInstanceListRequest {
  readonly teamId: string
  readonly pageSize: number
  readonly pageToken: string
}

/**
 * A page of app instances: their JSON as the API prints it, with commas between them; the token is empty on the last page.
 * Where an instance has an agent card, a `CARD_MARK` stands in the text, and the card in `cards`: stored documents do not
 * keep the order of their keys.
 */
export interface AppInstancePage {
  readonly text: string
  readonly cards: readonly AgentCard[]
  readonly nextPageToken: string
}

/**
 * A page of the app instances that a team owns and of those shared with it, in the order of their creation. Throws
 * `FIELD_INVALID` for a negative size, `TEAM_REQUIRED`, `PAGE_TOKEN_INVALID`, `RESOURCE_NOT_FOUND` for the team, and
 * `PERMISSION_MISSING` without `apps:read` in it.
 */
export async function listAppInstances(
  tables: Queryable,
  caller: Caller,
  request: AppInstanceListRequest,
  pageTokens: PageTokens,
): Promise<AppInstancePage> {
  const pageSize = pageSizeFrom(request.pageSize)
  const teamId = await teamIdFor(tables, caller, request.teamId)
  const query: PageQuery = {
    method: 'ListAppInstances',
    organizationId: caller.organizationId,
    filter: { teamId },
  }
  const position = (await pageTokens.read(query, request.pageToken)) ?? '0'
  const page = await readAppInstances(tables, { ...visibleScope(caller), teamId, after: position, pageSize })
  if (page === undefined) throw notFound('team', teamId)
  requirePermissionIn(caller, teamId, 'apps:read')
  const { text, cards, lastOrdinal, hasMore } = page
  return { text, cards, nextPageToken: hasMore ? await pageTokens.issue(query, String(lastOrdinal)) : '' }
}
