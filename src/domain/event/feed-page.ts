import type { Tables } from '../../db/tables.js'
import { invalidField, ServiceError } from '../../errors.js'
import { type FeedPageRow, type FeedPlace, type FeedSelection, findFeedEnd, readFeed } from '../../store/event.js'

/** Before the first event of all. */
const START: FeedPlace = { position: '0', eventId: '' }

/** The text that callers get for a place in the feed. */
function cursorOf({ position, eventId }: FeedPlace): string {
  return Buffer.from(`${position} ${eventId}`).toString('base64url')
}

/**
 * The place of a cursor in the feed: the end for `latest`, undefined for an empty one, which begins where the feed
 * begins. A cursor contains the id of its event besides the position, so that a cursor from before a restore is
 * noticed: its position has another event now. Throws `FIELD_INVALID`.
 */
export async function placeOf(tables: Tables, organizationId: string, cursor: string): Promise<FeedPlace | undefined> {
  if (cursor === '') return undefined
  if (cursor === 'latest') return findFeedEnd(tables, organizationId, 'last')
  const [, position, eventId] = /^(\d{1,18}) ([0-9a-f-]{36}|)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (position === undefined || eventId === undefined) {
    throw invalidField(
      'cursor',
      'was altered: send a nextCursor unchanged, latest, or nothing to begin with the oldest',
    )
  }
  return { position, eventId }
}

/** Throws unless the place is before all events, and the first of them is kept or still to come. */
async function refuseUnlessStart(tables: Tables, organizationId: string, { position }: FeedPlace): Promise<void> {
  const first = (await findFeedEnd(tables, organizationId, 'first')) ?? START
  if (position === START.position && BigInt(first.position) <= 1n) return
  const fault =
    'the events after the cursor are no longer kept, or were never: omit the cursor to begin with the oldest'
  throw new ServiceError('EVENT_CURSOR_OUT_OF_RANGE', fault, { metadata: { earliestPosition: first.position } })
}

/** Which events to read; empty means no filter. */
export type EventFilter = Pick<FeedSelection, 'types' | 'teamId' | 'targetId'>

export const noFilter: EventFilter = { types: [], teamId: '', targetId: '' }

/** Events: their JSON with commas between them, and where to continue. */
export interface EventPage extends Pick<FeedPageRow, 'items' | 'hasMore' | 'isBehind'> {
  readonly nextCursor: string
  readonly place: FeedPlace | undefined
}

/** How many events a page with a filter examines at most, so that it costs about the same however few match. */
const LOOKED_AT = 5_000

/** The query for a page; without a place, it begins where the feed begins. */
interface FeedQuery extends Omit<FeedSelection, 'after' | 'afterEventId' | 'lookedAt'> {
  readonly after: FeedPlace | undefined
}

/** Reads a page of the feed. Throws `EVENT_CURSOR_OUT_OF_RANGE` if the event before it is not in the feed. */
export async function readFeedPage(tables: Tables, { after, pageSize, ...query }: FeedQuery): Promise<EventPage> {
  const { teamIds, types, teamId, targetId } = query
  const isFiltered = teamIds !== null || types.length > 0 || teamId !== '' || targetId !== ''
  const lookedAt = isFiltered ? LOOKED_AT : pageSize
  const { position, eventId: afterEventId } = after ?? START
  const read = await readFeed(tables, { ...query, after: position, afterEventId, pageSize, lookedAt })
  if (after !== undefined && read?.isKept !== true) await refuseUnlessStart(tables, query.organizationId, after)
  const { items = '', hasMore = false, isBehind = false, position: last = null, eventId = null } = read ?? {}
  const place = last === null || eventId === null ? after : { position: last, eventId }
  return { items, hasMore, isBehind, place, nextCursor: cursorOf(place ?? START) }
}
