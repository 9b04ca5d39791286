import { isDeepStrictEqual } from 'node:util'
import { USUAL_PAGE_SIZE } from '../../limits/known-limits.js'
import { type CallContext, permittedTeamIds } from '../caller/caller.js'
import { pageSizeFrom } from '../paging.js'
import { type EventFilter, type EventPage, placeOf, readFeedPage } from './feed-page.js'
import type { FeedSignals } from './feed-signals.js'

/** Which events to read; empty means no filter. */
export interface EventQuery extends EventFilter {
  /** Where to begin: empty for the oldest event that is kept, `latest` for new events only. */
  readonly cursor: string
}

export interface EventPageQuery extends EventQuery {
  readonly pageSize: number
  /** How long to wait for an event if there is none. */
  readonly waitMillis: number
}

export interface Waiting {
  readonly signals: FeedSignals
  /** How long at most, in milliseconds. */
  readonly millis: number
  readonly signal: AbortSignal
}

/** How long a call waits that does not ask for it, if there are events that have no positions. */
const BEHIND_MILLIS = 100
/** How often a watch gives a new cursor at least. */
const BOOKMARK_MILLIS = 10_000

/**
 * The events after a cursor, oldest first. If there are none, the call waits as long as requested, and briefly in any
 * case if committed events are about to get positions, so that polling clients get them as early as waiting ones.
 * Callers with `audit:read` only in teams get the events of those teams. Throws `RATE_LIMITED` if too many calls of the
 * organization wait, `FIELD_INVALID` and `EVENT_CURSOR_OUT_OF_RANGE` for the cursor, and after a wait whatever
 * admission throws.
 */
export async function listEvents(
  context: CallContext,
  { pageSize, waitMillis, ...query }: EventPageQuery,
  { signals, millis, signal }: Waiting,
): Promise<EventPage> {
  const start = performance.now()
  const reader = await readerOf(context, query, pageSizeFrom(pageSize), signals)
  let page = await reader.next()
  const until = start + Math.min(millis, page.isBehind ? Math.max(waitMillis, BEHIND_MILLIS) : waitMillis)
  if (page.items !== '' || page.hasMore || until <= performance.now()) return page
  const { organizationId } = context.caller
  signals.enter(organizationId)
  try {
    while (page.items === '' && !page.hasMore && (await reader.wait(until - performance.now(), signal))) {
      page = await reader.next()
    }
    return page
  } finally {
    signals.leave(organizationId)
  }
}

/** Reads the feed without end: a page as soon as there are events, and now and then one with only a new cursor. */
export async function* watchEvents(
  context: CallContext,
  query: EventQuery,
  waiting: Waiting,
): AsyncGenerator<EventPage> {
  const { organizationId } = context.caller
  waiting.signals.enter(organizationId)
  try {
    yield* pagesOf(context, query, waiting)
  } finally {
    waiting.signals.leave(organizationId)
  }
}

async function* pagesOf(
  context: CallContext,
  query: EventQuery,
  { signals, millis, signal }: Waiting,
): AsyncGenerator<EventPage> {
  const until = performance.now() + millis
  const reader = await readerOf(context, query, USUAL_PAGE_SIZE, signals)
  for (let sentAt = Number.NEGATIVE_INFINITY; ; ) {
    const page = await reader.next()
    // From here on the call waits for events, or for its client to read.
    context.release()
    if (page.items !== '' || performance.now() - sentAt >= BOOKMARK_MILLIS) {
      yield page
      sentAt = performance.now()
    }
    while (!page.hasMore) {
      const now = performance.now()
      const left = Math.min(until, sentAt + BOOKMARK_MILLIS) - now
      if (await reader.wait(left, signal)) break
      if (signals.isStopped || now >= until) return
      yield { ...page, items: '' }
      sentAt = performance.now()
    }
  }
}

/** Reads the feed page by page, each as far as the caller may when it has been read. */
async function readerOf(
  first: CallContext,
  { cursor, ...filter }: EventQuery,
  pageSize: number,
  signals: FeedSignals,
): Promise<{
  readonly next: () => Promise<EventPage>
  /** Waits for events after the last page, and returns whether there are any. */
  readonly wait: (millis: number, signal: AbortSignal) => Promise<boolean>
}> {
  const { organizationId } = first.caller
  let after = await placeOf(first.tables, organizationId, cursor)
  let hasWaited = false
  let context = first
  const read = ({ tables, caller }: CallContext) => {
    const teamIds = permittedTeamIds(caller, 'audit:read')
    return readFeedPage(tables, { organizationId, teamIds, ...filter, after, pageSize })
  }
  /** Reads a page, again if the caller's rights have changed meanwhile. */
  const readAdmitted = async () => {
    for (;;) {
      const page = await read(context)
      const { reach } = context.caller
      context = await first.reacquire()
      if (isDeepStrictEqual(context.caller.reach, reach)) return page
    }
  }
  return {
    next: async () => {
      const page = hasWaited ? await signals.readers.use(readAdmitted, { of: organizationId }) : await read(first)
      after = page.place
      return page
    },
    wait: async (millis, signal) => {
      if (millis <= 0) return false
      first.release()
      hasWaited = true
      return signals.beyond(organizationId, after?.position ?? '0', millis, signal)
    },
  }
}
