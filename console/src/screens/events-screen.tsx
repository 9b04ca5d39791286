import { useTransport } from '@connectrpc/connect-query'
import { useInfiniteQuery } from '@tanstack/react-query'
import { EventService } from '../../../gen/svc/v2/event_pb.js'
import { useWhyNot } from '../api/caller-context.js'
import { callTagged } from '../api/tagged.js'
import { actionText, labelOf } from '../api/words.js'
import { useFilters } from '../app/filters.js'
import { Button } from '../ui/button.js'
import { Filters, Panel, Screen } from '../ui/screen.js'
import { Scroll } from '../ui/scroll.js'
import { SearchField } from '../ui/search-field.js'
import { Empty, FailureBox, NoRight, Skeleton } from '../ui/states.js'
import table from '../ui/table.module.css'
import { When } from '../ui/when.js'
import { ActorName } from './audit/actor-name.js'

const { listEvents } = EventService.method
const PAGE_SIZE = 200

/** The feed that programs follow: every committed change, oldest first, at its position. */
export function EventsScreen() {
  const [filters, change] = useFilters()
  const { target = '' } = filters
  const transport = useTransport()
  const why = useWhyNot(listEvents)
  const { data, error, isPending, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['events', target],
    enabled: why === undefined,
    initialPageParam: '',
    queryFn: async ({ pageParam: cursor }) =>
      (await callTagged(transport, listEvents, { cursor, targetId: target, pageSize: PAGE_SIZE })).message,
    getNextPageParam: (page) => (page.hasMore ? page.nextCursor : undefined),
  })
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
          <Scroll label="Events by position">
            <table className={table['table']}>
              <thead>
                <tr>
                  <th scope="col">Position</th>
                  <th scope="col">When</th>
                  <th scope="col">What</th>
                  <th scope="col">About</th>
                  <th scope="col">By</th>
                  <th scope="col">Changed</th>
                </tr>
              </thead>
              <tbody>
                {events.map((event) => (
                  <tr key={event.id}>
                    <th scope="row">{String(event.position)}</th>
                    <td>
                      <When at={event.occurredAt} exact />
                    </td>
                    <td>{actionText(event.type)}</td>
                    <td>
                      <code>{event.subject?.id}</code>
                    </td>
                    <td>
                      <ActorName actor={event.actor} />
                    </td>
                    <td>{event.changedFields.map(labelOf).join(', ') || '–'}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        )}
        {hasNextPage && (
          <div>
            <Button onClick={() => void fetchNextPage()}>Show later events</Button>
          </div>
        )}
      </Panel>
    </Screen>
  )
}
