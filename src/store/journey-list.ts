import { Prisma } from '../../gen/prisma/client.js'
import { schema } from '../../gen/prisma/schema.js'
import type { Places } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { isVisible, type JourneyViewer, journeyParts, journeyText, nextTasks } from './journey.js'
import { createCount, createPages, isFound, type PageRequest, type PageRow } from './pages.js'

/** Which journeys to list; null means all. */
export interface JourneyFilters {
  readonly teamId: string | null
  readonly requesterUserId: string | null
  readonly isArchived: boolean | null
  readonly isOverdue: boolean | null
  readonly isFailing: boolean | null
  /** Beginnings of words of the name. */
  readonly q: string | null
}

export type ListedJourneys = JourneyViewer & JourneyFilters

const none = { kind: 'computed', sql: Prisma.sql`'[]'` } as const
const next = { kind: 'computed', sql: Prisma.sql`next.list` } as const
const summaryText = journeyText({ tasks: next, healthChecks: none, workflowFailures: none, customFields: none })

const listed = {
  table: schema.Journey,
  alias: 'j',
  filters: ['team_id', 'requester_user_id', 'is_failing'],
  condition: (places: Places<ListedJourneys>) => {
    const { isArchived, isOverdue, today } = places
    return Prisma.sql`${isVisible(places)}
           AND (${isArchived}::bool IS NULL OR (j.archived_at IS NOT NULL) = ${isArchived})
           AND (${isOverdue}::bool IS NULL OR (j.overdue_from <= ${today}::date) = ${isOverdue})
           AND ${isFound('j', Prisma.sql`j.name`)}`
  },
  join: Prisma.sql`${journeyParts} ${nextTasks}`,
  text: summaryText,
  isSearched: true,
}

const list = createPages('list_journeys', { ...listed, order: ['ordinal'] })
const listByLateness = createPages('list_journeys_by_lateness', { ...listed, order: ['overdue_from', 'ordinal'] })

export const countJourneys = createCount('count_journeys', listed)

/**
 * A page of journeys in creation order, without their parts except, if requested, the tasks that could be done now.
 * With the filter `isOverdue`, the longest overdue first, or those that will be overdue soonest.
 */
export function readJourneyPage(
  tables: Tables,
  page: ListedJourneys & PageRequest & { readonly includeNextTasks: boolean },
): Promise<PageRow | undefined> {
  return page.isOverdue === null ? list(tables, page) : listByLateness(tables, page)
}
