import { pause, type Timing } from '../../db/retries.js'
import type { Tables } from '../../db/tables.js'
import { requireOrganization } from '../organization.js'
import { type EventPage, noFilter, placeOf, readFeedPage } from './feed-page.js'

export interface TailOptions {
  readonly organizationId: string
  /** Where to begin: empty for the oldest event that is kept, `latest` for new events only. */
  readonly cursor: string
  readonly isFollowed: boolean
  readonly timing: Pick<Timing, 'sleep'>
  /** Ends the tail after the current page. */
  readonly signal: AbortSignal
}

const PAGE_SIZE = 1_000
/** How often the feed is looked at. */
const PAUSE_MILLIS = 1_000

/**
 * All events after a cursor, page by page, for operators: without a caller, and without the signals of a server. Throws
 * `RESOURCE_NOT_FOUND` if there is no such organization, `FIELD_INVALID` and `EVENT_CURSOR_OUT_OF_RANGE` for the
 * cursor.
 */
export async function* tailEvents(
  tables: Tables,
  { organizationId, cursor, isFollowed, timing, signal }: TailOptions,
): AsyncGenerator<EventPage> {
  await requireOrganization(tables, organizationId)
  let after = await placeOf(tables, organizationId, cursor)
  while (!signal.aborted) {
    const query = { ...noFilter, organizationId, teamIds: null, after, pageSize: PAGE_SIZE }
    const page = await readFeedPage(tables, query)
    yield page
    after = page.place
    if (page.hasMore) continue
    if (!isFollowed) return
    await pause(PAUSE_MILLIS, signal, timing)
  }
}
