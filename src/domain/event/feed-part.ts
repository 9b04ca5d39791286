import type { Tables } from '../../db/tables.js'
import { type FeedPlace, type FeedSelection, readFeed } from '../../store/event.js'
import { cursorOf } from './event-cursor.js'

/** Which events to read; empty means no filter. */
export type EventFilter = Pick<FeedSelection, 'types' | 'teamId' | 'targetId'>

/** Every event. */
export const noFilter: EventFilter = { types: [], teamId: '', targetId: '' }

/** Which part of a feed to read. */
export interface FeedPartQuery extends Omit<FeedSelection, 'after' | 'lookedAt'> {
  readonly after: FeedPlace
}

/** Events: their JSON with commas between them, and where to continue. */
export interface EventPage {
  readonly items: string
  readonly nextCursor: string
  readonly hasMore: boolean
}

/** So many events are looked at for a page with a filter, which so costs about the same however rare they are. */
const LOOKED_AT = 5_000

/** Reads a page of the feed, and returns it with the place after it. */
export async function readFeedPart(
  tables: Tables,
  { after, pageSize, ...query }: FeedPartQuery,
): Promise<{ readonly page: EventPage; readonly place: FeedPlace }> {
  const { teamIds, types, teamId, targetId } = query
  const isFiltered = teamIds !== null || types.length > 0 || teamId !== '' || targetId !== ''
  const lookedAt = isFiltered ? LOOKED_AT : pageSize
  const read = await readFeed(tables, { ...query, after: after.position, pageSize, lookedAt })
  const isAtEnd = read?.position == null || read.eventId === null
  const place = isAtEnd ? after : { position: read.position, eventId: read.eventId }
  return { page: { items: read?.items ?? '', nextCursor: cursorOf(place), hasMore: read?.hasMore ?? false }, place }
}
