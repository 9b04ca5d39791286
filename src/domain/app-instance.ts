import { notFound } from '../errors.js'
import { readAppInstances } from '../store/app-instance.js'
import { requirePermissionIn, teamIdFor, visibleScope } from './caller/caller.js'
import type { Scope } from './caller/scope.js'
import { type Page, type PageQuery, type PageTokens, pageSizeFrom } from './paging.js'

/** What to list; empty strings and 0 mean absent. */
export interface AppInstanceListRequest {
  readonly teamId: string
  readonly pageSize: number
  readonly pageToken: string
}

/**
 * A page of the app instances that a team owns and of those shared with it, in the order of their creation. Throws
 * `TEAM_REQUIRED`, `PAGE_TOKEN_INVALID`, `RESOURCE_NOT_FOUND` for the team, and
 * `PERMISSION_MISSING` without `apps:read` in it.
 */
export async function listAppInstances(
  { reads, caller }: Scope,
  request: AppInstanceListRequest,
  pageTokens: PageTokens,
): Promise<Page> {
  const pageSize = pageSizeFrom(request.pageSize)
  const teamId = await teamIdFor(reads, caller, request.teamId)
  const query: PageQuery = {
    method: 'ListAppInstances',
    organizationId: caller.organizationId,
    filter: { teamId },
  }
  const position = (await pageTokens.read(query, request.pageToken)) ?? '0'
  const page = await readAppInstances(reads, { teamId, after: position, pageSize, ...visibleScope(caller) })
  if (page === undefined) throw notFound('team', teamId)
  requirePermissionIn(caller, teamId, 'apps:read')
  const { items, lastOrdinal, hasMore } = page
  return { items, nextPageToken: hasMore ? await pageTokens.issue(query, String(lastOrdinal)) : '' }
}
