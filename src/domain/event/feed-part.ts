import type { Tables } from '../../db/tables.js'
import { invalidField, ServiceError } from '../../errors.js'
import { type FeedPlace, type FeedSelection, findFeedEnd, findFeedEvent, readFeed } from '../../store/event.js'

/** Before the first event of all. */
const START: FeedPlace = { position: '0', eventId: '' }

/** The text that callers get for a place in the feed. */
function cursorOf({ position, eventId }: FeedPlace): string {
  return Buffer.from(`${position} ${eventId}`).toString('base64url')
}

/**
 * The place that a cursor means: an empty one the start, `latest` the end. A cursor names its event as well as its
 * position, so one of another history is noticed: after a restore, the position has another event. Throws
 * `FIELD_INVALID`, and `EVENT_CURSOR_OUT_OF_RANGE` if the event is not in the feed.
 */
export async function placeOf(tables: Tables, organizationId: string, cursor: string): Promise<FeedPlace> {
  if (cursor === '') return START
  if (cursor === 'latest') return (await findFeedEnd(tables, organizationId, 'last')) ?? START
  const [, position, eventId] = /^(\d{1,18}) ([0-9a-f-]{36}|)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (position === undefined || eventId === undefined) {
    throw invalidField(
      'cursor',
      'was altered: send a nextCursor unchanged, latest, or nothing to begin with the oldest',
    )
  }
  if (position !== '0' && (await findFeedEvent(tables, organizationId, position)) === eventId)
    return { position, eventId }
  const first = (await findFeedEnd(tables, organizationId, 'first')) ?? START
  if (position === '0' && BigInt(first.position) <= 1n) return START
  const fault =
    'the events after the cursor are no longer kept, or were never: omit the cursor to begin with the oldest'
  throw new ServiceError('EVENT_CURSOR_OUT_OF_RANGE', fault, { metadata: { earliestPosition: first.position } })
}

/** Which events to read; empty means no filter. */
export type EventFilter = Pick<FeedSelection, 'types' | 'teamId' | 'targetId'>

/** Every event. */
export const noFilter: EventFilter = { types: [], teamId: '', targetId: '' }

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
  { after, pageSize, ...query }: Omit<FeedSelection, 'after' | 'lookedAt'> & { readonly after: FeedPlace },
): Promise<{ readonly page: EventPage; readonly place: FeedPlace }> {
  const { teamIds, types, teamId, targetId } = query
  const isFiltered = teamIds !== null || types.length > 0 || teamId !== '' || targetId !== ''
  const lookedAt = isFiltered ? LOOKED_AT : pageSize
  const read = await readFeed(tables, { ...query, after: after.position, pageSize, lookedAt })
  const isAtEnd = read?.position == null || read.eventId === null
  const place = isAtEnd ? after : { position: read.position, eventId: read.eventId }
  return { page: { items: read?.items ?? '', nextCursor: cursorOf(place), hasMore: read?.hasMore ?? false }, place }
}
