import { useTransport } from '@connectrpc/connect-query'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { type Event, EventService } from '../../../gen/svc/v2/event_pb.js'
import { useWhyNot } from '../api/caller-context.js'
import { usePersonName } from '../api/names.js'
import { callTagged } from '../api/tagged.js'
import { actionText, labelOf } from '../api/words.js'
import { useFilters } from '../ui/address.js'
import { type Filter, Filters } from '../ui/filters.js'
import type { Column } from '../ui/paged-table.js'
import { Panel, Screen } from '../ui/screen.js'
import { ShortTable } from '../ui/short-table.js'
import { Answered, Empty, NoRight } from '../ui/states.js'
import { When } from '../ui/when.js'
import { ActorName } from './audit/actor-name.js'
import { TargetLink } from './audit/target-link.js'

const { listEvents } = EventService.method
const PAGE_SIZE = 1_000
/** So many are shown; programs read the feed. */
const MAX_SHOWN = 500
/** How long the service holds a question that has no answer yet. */
const WAIT_SECONDS = 20

const columns: readonly Column<Event>[] = [
  { label: 'What', cell: ({ type }) => actionText(type) },
  { label: 'About', cell: ({ subject }) => <TargetLink type={subject?.type ?? ''} id={subject?.id ?? ''} /> },
  { label: 'By', cell: ({ actor }) => <ActorName actor={actor} /> },
  { label: 'Changed', cell: ({ changedFields }) => changedFields.map(labelOf).join(', ') || '–' },
  { label: 'When', cell: ({ occurredAt }) => <When at={occurredAt} exact /> },
  { label: 'Position', cell: ({ position }) => Number(position).toLocaleString('en-GB') },
]

/** The feed that programs follow: every committed change, newest first, as it happens. */
export function EventsScreen() {
  const [filters] = useFilters()
  const { target = '' } = filters
  const why = useWhyNot(listEvents)
  const feed = useFeed(target, why === undefined)
  const about = usePersonName(target)
  const usable: readonly Filter[] = [{ name: 'target', label: 'About', kind: 'fixed', text: about }]
  if (why) {
    return (
      <Screen title="Events">
        <NoRight why={why} />
      </Screen>
    )
  }
  const events = feed.data?.pages.flatMap((page) => page.data).toReversed() ?? []
  return (
    <Screen title="Events" lead="The feed that programs follow: every change once, without values, as it happens.">
      <Filters filters={usable} />
      <Panel title="Newest first">
        <Answered asked={[feed]} lines={8}>
          {events.length === 0 ? (
            <Empty title="No event yet">Every change of anything will stand here, at once.</Empty>
          ) : (
            <ShortTable
              label="Events, newest first"
              columns={columns}
              rows={events.slice(0, MAX_SHOWN)}
              keyOf={({ id }) => id}
            />
          )}
        </Answered>
      </Panel>
    </Screen>
  )
}

/** Reads the feed to its end, and goes on as it grows. */
function useFeed(targetId: string, isAllowed: boolean) {
  const transport = useTransport()
  const feed = useInfiniteQuery({
    queryKey: ['feed', targetId],
    enabled: isAllowed,
    staleTime: Number.POSITIVE_INFINITY,
    initialPageParam: { cursor: '', waitSeconds: 0 },
    queryFn: async ({ pageParam, signal }) =>
      (await callTagged(transport, listEvents, { ...pageParam, targetId, pageSize: PAGE_SIZE }, {}, signal)).message,
    getNextPageParam: ({ nextCursor: cursor, hasMore }) => ({ cursor, waitSeconds: hasMore ? 0 : WAIT_SECONDS }),
    // What is above the newest ones is not shown.
    maxPages: 4,
  })
  const { isSuccess, isFetching, isError, fetchNextPage } = feed
  useEffect(() => {
    if (isSuccess && !isFetching && !isError) void fetchNextPage()
  }, [isSuccess, isFetching, isError, fetchNextPage])
  return feed
}
