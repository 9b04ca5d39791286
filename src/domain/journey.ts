import { notFound } from '../errors.js'
import { printJourney } from '../store/journey.js'
import { countJourneys, type JourneyFilters, readJourneyPage } from '../store/journey-list.js'
import { type CallContext, permittedTeamIds, requirePermissionIn, visibilityOf } from './caller/caller.js'
import { type Page, type PageRequest, pageOf } from './paging.js'

/**
 * The API's JSON of a journey with all its parts, as of one moment; tasks are overdue by today's date in UTC.
 * Callers with `tickets:read` in its team see it, and so do its requester and the requester's manager
 * (docs/resources.md). Throws `RESOURCE_NOT_FOUND`, and `PERMISSION_MISSING` if the caller can see the team but not the
 * journey.
 */
export async function getJourney(context: CallContext, id: string): Promise<string> {
  const { reads, caller } = context
  const viewer = viewerOf(context)
  const { userId } = viewer
  const row = await printJourney(reads, { id, ...viewer, ...visibilityOf(caller) })
  if (row === undefined) throw notFound('journey', id)
  const isRelated = userId !== null && (row.requesterUserId === userId || row.requesterManagerUserId === userId)
  if (!isRelated) requirePermissionIn(caller, row.teamId, 'tickets:read')
  return row.json
}

/** Which journeys to list; empty texts and undefined values mean absent. */
export interface JourneyListRequest extends PageRequest {
  readonly teamId: string
  readonly requesterUserId: string
  readonly isArchived?: boolean | undefined
  readonly isOverdue?: boolean | undefined
  readonly isFailing?: boolean | undefined
  readonly q: string
  readonly includeNextTasks: boolean
}

/**
 * A page of the journeys that the caller may see, without their parts, in creation order; with the filter `isOverdue`,
 * the longest overdue first, or those that will be overdue soonest. Throws `PAGE_TOKEN_INVALID`.
 */
export async function listJourneys(context: CallContext, request: JourneyListRequest): Promise<Page> {
  const { reads, caller } = context
  const filters: JourneyFilters = {
    teamId: request.teamId || null,
    requesterUserId: request.requesterUserId || null,
    isArchived: request.isArchived ?? null,
    isOverdue: request.isOverdue ?? null,
    isFailing: request.isFailing ?? null,
    q: request.q || null,
  }
  const given = Object.entries(filters).filter(([, value]) => value !== null)
  const filter = Object.fromEntries(given.map(([name, value]) => [name, String(value)]))
  const teamIds = permittedTeamIds(caller, 'tickets:read')
  const listed = { organizationId: caller.organizationId, teamIds, ...viewerOf(context), ...filters }
  return pageOf(context, request, {
    method: 'ListJourneys',
    // The build before this one had other positions in the order of creation.
    filter: { ...filter, ...(filters.isOverdue === null && { order: 'ordinal' }) },
    read: (range) => readJourneyPage(reads, { ...listed, ...range, includeNextTasks: request.includeNextTasks }),
    count: () => countJourneys(reads, listed),
  })
}

function viewerOf({ caller, runtime }: CallContext) {
  return { userId: caller.kind === 'USER_TOKEN' ? caller.id : null, today: runtime.now().toISOString().slice(0, 10) }
}
