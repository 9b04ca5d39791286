import { Prisma } from '../../gen/prisma/client.js'
import type { Parameter, Places } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { isVisible, type JourneyViewer, journeyParts, journeyText } from './journey.js'
import { createCount, createPages, type PageRow } from './pages.js'
import { ofOrganization } from './visibility.js'

/** Which journeys to list; null means all. */
export interface JourneyFilters {
  readonly teamId: string | null
  readonly requesterUserId: string | null
  readonly isArchived: boolean | null
  readonly isOverdue: boolean | null
  readonly isFailing: boolean | null
}

/** Those that the viewer may see. */
export type ListedJourneys = JourneyViewer & JourneyFilters

/** A page of them. */
export type JourneyListSelection = ListedJourneys & {
  /** The position after which the page begins: the day from which a journey is overdue, and its ordinal. */
  readonly after: string
  readonly pageSize: number
}

const none = { kind: 'computed', sql: Prisma.sql`'[]'` } as const
const summaryText = journeyText({ tasks: none, healthChecks: none, workflowFailures: none, customFields: none })

const rows = {
  from: Prisma.sql`journeys j`,
  condition: (places: Places<ListedJourneys>) => {
    const { teamId, requesterUserId, isArchived, isOverdue, isFailing, today } = places
    return Prisma.sql`${ofOrganization('j')} AND ${isVisible(places)}
           AND (${teamId}::text IS NULL OR j.team_id = ${teamId})
           AND (${requesterUserId}::text IS NULL OR j.requester_user_id = ${requesterUserId})
           AND (${isArchived}::bool IS NULL OR (j.archived_at IS NOT NULL) = ${isArchived})
           AND (${isOverdue}::bool IS NULL OR (j.overdue_from <= ${today}::date) = ${isOverdue})
           AND (${isFailing}::bool IS NULL OR j.is_failing = ${isFailing})`
  },
}

const createList = (name: string, order: Prisma.Sql, isLater: (places: Places<JourneyListSelection>) => Prisma.Sql) =>
  createPages<JourneyListSelection>(name, {
    ...rows,
    alias: 'j',
    join: journeyParts,
    text: summaryText,
    order,
    position: Prisma.sql`j.overdue_from || ' ' || j.ordinal`,
    isLater,
  })

const ordinalOf = (after: Parameter) => Prisma.sql`split_part(${after}, ' ', 2)::bigint`

const list = createList(
  'list_journeys',
  Prisma.sql`j.ordinal`,
  ({ after }) => Prisma.sql`j.ordinal > ${ordinalOf(after)}`,
)

const listByLateness = createList(
  'list_journeys_by_lateness',
  Prisma.sql`j.overdue_from, j.ordinal`,
  ({ after }) => Prisma.sql`(j.overdue_from, j.ordinal) > (split_part(${after}, ' ', 1)::date, ${ordinalOf(after)})`,
)

/** How many journeys the viewer may see of those that match the filters. */
export const countJourneys = createCount<ListedJourneys>('count_journeys', rows)

/**
 * A page of journeys without their parts, in the order of their creation; filtered by `isOverdue`, those come first
 * that are overdue the longest, or will be next.
 */
export function readJourneyPage(
  tables: Tables,
  { after = '-infinity 0', ...selection }: Omit<JourneyListSelection, 'after'> & { readonly after: string | undefined },
): Promise<PageRow | undefined> {
  const read = selection.isOverdue === null ? list : listByLateness
  return read(tables, { ...selection, after })
}
