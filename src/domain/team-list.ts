import { notFound } from '../errors.js'
import { hasTeam } from '../store/organization.js'
import type { StandardKey } from '../store/standard-writes.js'
import { type CallContext, type Permission, requirePermissionIn, visibleTeamIds } from './caller/caller.js'
import type { Page } from './paging.js'
import { listObjects, type StandardListRequest } from './standard-methods.js'
import type { StandardResource } from './standard-resource.js'

/** The team of a request that reads across teams (AIP-159). */
export const EVERY_TEAM = '-'

/**
 * Which objects to list: those of a team, or with `-` those of every team. `q` has prefixes of words of the name. 0 and
 * empty texts mean absent.
 */
export interface TeamListRequest extends Omit<StandardListRequest, 'filters'> {
  readonly teamId: string
  readonly q: string
}

/** Whether a request is for all objects of one team rather than a page; such lists have statements of their own. */
export function isWhole({ teamId, q, pageSize, pageToken }: TeamListRequest): boolean {
  return teamId !== EVERY_TEAM && q === '' && pageSize === 0 && pageToken === ''
}

/**
 * The team to filter a list by; empty for those in which the caller has the permission. Throws `RESOURCE_NOT_FOUND` for
 * a named team that the caller cannot see, and `PERMISSION_MISSING` without the permission in it.
 */
export async function teamFilterOf(context: CallContext, teamId: string, permission: Permission): Promise<string> {
  if (teamId === EVERY_TEAM) return ''
  await requireTeam(context, teamId, permission)
  return teamId
}

/** Refuses a team that the caller cannot see, or in which the caller lacks a permission. */
export async function requireTeam(
  { reads, caller }: CallContext,
  teamId: string,
  permission: Permission,
): Promise<void> {
  const isVisible = visibleTeamIds(caller)?.includes(teamId) ?? (await hasTeam(reads, caller.organizationId, teamId))
  if (!isVisible) throw notFound('team', teamId)
  requirePermissionIn(caller, teamId, permission)
}

/**
 * A page of the objects in the list of a team, or of every team in which the caller may read them, each once, in
 * creation order. Throws `PAGE_TOKEN_INVALID`, and what `teamFilterOf` throws.
 */
export async function listAcrossTeams<Of extends StandardKey>(
  context: CallContext,
  resource: StandardResource<Of>,
  { teamId, q, filters = {}, ...request }: TeamListRequest & Partial<Pick<StandardListRequest, 'filters'>>,
): Promise<Page> {
  const inTeam = await teamFilterOf(context, teamId, resource.read)
  return listObjects(context, resource, { ...request, filters: { ...filters, q, teamId: inTeam } })
}
