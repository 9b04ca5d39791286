import { useTransport } from '@connectrpc/connect-query'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type Event, EventService } from '../../../gen/svc/v2/event_pb.js'
import { useWhyNot } from '../api/caller-context.js'
import { callTagged } from '../api/tagged.js'
import { actionText, labelOf } from '../api/words.js'
import { useFilters, usePagesOfAddress } from '../ui/address.js'
import { Button } from '../ui/button.js'
import type { Column } from '../ui/paged-table.js'
import { Filters, Panel, Screen } from '../ui/screen.js'
import { SearchField } from '../ui/search-field.js'
import { ShortTable } from '../ui/short-table.js'
import { Empty, FailureBox, NoRight, Skeleton } from '../ui/states.js'
import { When } from '../ui/when.js'
import { ActorName } from './audit/actor-name.js'

const { listEvents } = EventService.method
const PAGE_SIZE = 200

const columns: readonly Column<Event>[] = [
  { label: 'Position', cell: ({ position }) => String(position) },
  { label: 'When', cell: ({ occurredAt }) => <When at={occurredAt} exact /> },
  { label: 'What', cell: ({ type }) => actionText(type) },
  { label: 'About', cell: ({ subject }) => <code>{subject?.id}</code> },
  { label: 'By', cell: ({ actor }) => <ActorName actor={actor} /> },
  { label: 'Changed', cell: ({ changedFields }) => changedFields.map(labelOf).join(', ') || '–' },
]

/** The feed that programs follow: every committed change, oldest first, at its position. */
export function EventsScreen() {
  const [filters, change] = useFilters()
  const { target = '' } = filters
  const transport = useTransport()
  const why = useWhyNot(listEvents)
  const feed = useInfiniteQuery({
    queryKey: ['events', target],
    enabled: why === undefined,
    initialPageParam: '',
    queryFn: async ({ pageParam: cursor }) =>
      (await callTagged(transport, listEvents, { cursor, targetId: target, pageSize: PAGE_SIZE })).message,
    getNextPageParam: (page) => (page.hasMore ? page.nextCursor : undefined),
  })
  const { data, error, isPending, hasNextPage, refetch } = feed
  const showMore = usePagesOfAddress(feed)
  const events = data?.pages.flatMap((page) => page.data) ?? []
  if (why) {
    return (
      <Screen title="Events">
        <NoRight why={why} />
      </Screen>
    )
  }
  return (
    <Screen title="Events" lead="The feed that programs follow: every committed change once, in order, without values.">
      <Filters>
        <SearchField label="About (id)" value={target} onChange={(value) => change({ target: value })} />
      </Filters>
      <Panel title="Feed">
        {isPending && <Skeleton />}
        {error && <FailureBox error={error} onRetry={() => void refetch()} />}
        {data && events.length === 0 && <Empty title="No event yet">Every change of anything will stand here.</Empty>}
        {events.length > 0 && (
          <ShortTable label="Events by position" columns={columns} rows={events} keyOf={({ id }) => id} />
        )}
        {hasNextPage && (
          <div>
            <Button onClick={showMore}>Show later events</Button>
          </div>
        )}
      </Panel>
    </Screen>
  )
}
