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

/** Past every journey of a day. */
const MAX_ORDINAL = 2n ** 63n - 1n

const none = { kind: 'computed', sql: Prisma.sql`'[]'` } as const
const summaryText = journeyText({ tasks: none, healthChecks: none, workflowFailures: none, customFields: none })

function matches({ teamId, requesterUserId, isArchived, isOverdue, isFailing, today }: Places<ListedJourneys>) {
  return Prisma.sql`(${teamId}::text IS NULL OR j.team_id = ${teamId})
             AND (${requesterUserId}::text IS NULL OR j.requester_user_id = ${requesterUserId})
             AND (${isArchived}::bool IS NULL OR (j.archived_at IS NOT NULL) = ${isArchived})
             AND (${isOverdue}::bool IS NULL OR (j.overdue_from <= ${today}::date) = ${isOverdue})
             AND (${isFailing}::bool IS NULL OR j.is_failing = ${isFailing})`
}

/**
 * Pages in an order. The journeys of the organization or of each team, those of the requester and those of the manager
 * are each read in the order of an index, no further than the page, and from that index alone, which keeps the planner
 * from sorting them.
 */
const createList = (name: string, columns: readonly string[], later: (after: Parameter) => Prisma.Sql) => {
  const order = Prisma.raw(columns.map((column) => `j.${column}`).join(', '))
  return createPages<JourneyListSelection>(name, {
    alias: 'j',
    text: summaryText,
    order,
    position: Prisma.sql`j.overdue_from || ' ' || j.ordinal`,
    rows: (places, most) => {
      const { teamIds, userId, after } = places
      const first = (condition: Prisma.Sql) => Prisma.sql`(
          SELECT ${order} FROM journeys j
           WHERE ${ofOrganization('j')} AND ${condition} AND ${later(after)}
             AND ${matches(places)}
           ORDER BY ${order} LIMIT ${most}
        )`
      const isAnyTeam = Prisma.sql`${teamIds}::text[] IS NULL`
      return Prisma.sql`(
        ${first(isAnyTeam)}
        UNION SELECT found.* FROM unnest(${teamIds}) AS team (id)
              CROSS JOIN LATERAL ${first(Prisma.sql`j.team_id = team.id`)} found
        UNION ${first(Prisma.sql`NOT ${isAnyTeam} AND j.requester_user_id = ${userId}`)}
        UNION ${first(Prisma.sql`NOT ${isAnyTeam} AND j.requester_manager_user_id = ${userId}`)}
        ORDER BY ${Prisma.raw(columns.join(', '))} LIMIT ${most}
      ) listed
      JOIN journeys j ON ${ofOrganization('j')} AND j.ordinal = listed.ordinal ${journeyParts}`
    },
  })
}

const ordinalOf = (after: Parameter) => Prisma.sql`split_part(${after}, ' ', 2)::bigint`

const list = createList('list_journeys', ['ordinal'], (after) => Prisma.sql`j.ordinal > ${ordinalOf(after)}`)

const listByLateness = createList(
  'list_journeys_by_lateness',
  ['overdue_from', 'ordinal'],
  (after) => Prisma.sql`(j.overdue_from, j.ordinal) > (split_part(${after}, ' ', 1)::date, ${ordinalOf(after)})`,
)

/** How many journeys the viewer may see of those that match the filters. */
export const countJourneys = createCount<ListedJourneys>('count_journeys', {
  from: Prisma.sql`journeys j`,
  condition: (places) => Prisma.sql`${ofOrganization('j')} AND ${isVisible(places)} AND ${matches(places)}`,
})

/**
 * A page of journeys without their parts, in the order of their creation; filtered by `isOverdue`, those come first
 * that are overdue the longest, or will be next.
 */
export function readJourneyPage(
  tables: Tables,
  { after: given, ...selection }: Omit<JourneyListSelection, 'after'> & { readonly after: string | undefined },
): Promise<PageRow | undefined> {
  // An index is read from the position on: past all those that are overdue if none of them is wanted.
  const after = given ?? (selection.isOverdue === false ? `${selection.today} ${MAX_ORDINAL}` : '-infinity 0')
  const read = selection.isOverdue === null ? list : listByLateness
  return read(tables, { ...selection, after })
}
