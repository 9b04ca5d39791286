import { useTransport } from '@connectrpc/connect-query'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { type AuditEvent, AuditLogService } from '../../../gen/svc/v2/audit_log_pb.js'
import { type Event, EventService } from '../../../gen/svc/v2/event_pb.js'
import { UserProfileFieldSchema } from '../../../gen/svc/v2/user_pb.js'
import { useWhyNot } from '../api/caller-context.js'
import { usePages } from '../api/pages.js'
import { callTagged } from '../api/tagged.js'
import { usePersonName } from '../api/things.js'
import { actionText, enumText, labelOf } from '../api/words.js'
import { useFilters } from '../ui/address.js'
import { Badge } from '../ui/button.js'
import type { Filter } from '../ui/filters.js'
import { ListScreen } from '../ui/list-screen.js'
import type { Column } from '../ui/paged-table.js'
import { When } from '../ui/when.js'
import { useActionFilter } from './audit/audit-screen.js'
import { ActorName, TargetLink } from './audit/audit-timeline.js'

const { listEvents } = EventService.method
const { listAuditEvents } = AuditLogService.method
const PAGE_SIZE = 100
/** How long the service holds a question that has no answer yet. */
const WAIT_SECONDS = 20

type Row = Pick<
  AuditEvent,
  'id' | 'action' | 'targetType' | 'targetId' | 'actor' | 'changedFields' | 'changes' | 'occurredAt'
>

const columns: readonly Column<Row>[] = [
  { label: 'What', cell: ({ action }) => actionText(action) },
  { label: 'About', cell: ({ targetType, targetId }) => <TargetLink type={targetType} id={targetId} /> },
  { label: 'By', isMinor: true, cell: ({ actor }) => <ActorName actor={actor} /> },
  { label: 'Changed', isMinor: true, cell: (row) => changedIn(row).join(', ') || '–' },
  { label: 'When', size: 'moment', cell: ({ occurredAt }) => <When at={occurredAt} exact /> },
]

/** Every committed change, newest first, as it happens. */
export function EventsScreen() {
  const [{ target = '', action = '' }] = useFilters()
  const live = useLive(target, action)
  // The log is read after the place in the feed is known, so that nothing falls between them.
  const past = usePages(
    listAuditEvents,
    { targetId: target, action, pageSize: PAGE_SIZE },
    { isWanted: live.isSuccess },
  )
  const told = live.data?.pages.flatMap(({ data }) => data) ?? []
  const isTold = new Set(told.map(({ id }) => id))
  const rows = [...told.toReversed().map(rowOfFeed), ...past.rows.filter(({ id }) => !isTold.has(id))]
  const about = usePersonName(target)
  const filters: readonly Filter[] = [useActionFilter(), { name: 'target', label: 'About', kind: 'fixed', text: about }]
  const refetch = () => [live, past].map((each) => each.refetch())
  return (
    <ListScreen
      title="Events"
      meta={<Badge tone={live.isError ? 'warn' : 'good'}>{live.isError ? 'Not live' : 'Live'}</Badge>}
      lead="Every change, newest first, as it happens: what webhooks are sent and programs follow."
      filters={filters}
      pages={{ ...past, rows, error: past.error ?? live.error, refetch }}
      columns={columns}
      keyOf={({ id }) => id}
      empty={{ title: 'No event yet', children: 'Every change appears here as it happens.' }}
    />
  )
}

function rowOfFeed({ subject, type: action, actor, ...event }: Event): Row {
  return { ...event, action, actor, targetType: subject?.type ?? '', targetId: subject?.id ?? '', changes: [] }
}

/** The fields that an event has changed, in words. */
function changedIn({ action, changedFields, changes }: Row): string[] {
  return [
    // Of what is new, all is.
    ...(action.endsWith('.create') ? [] : changedFields.map(labelOf)),
    ...changes.flatMap(({ field }) => enumText(UserProfileFieldSchema, field) || []),
  ]
}

/** What is added to the feed from now on. */
function useLive(targetId: string, action: string) {
  const transport = useTransport()
  const isAllowed = useWhyNot(listEvents) === undefined
  const request = { targetId, types: action === '' ? [] : [action] }
  const feed = useInfiniteQuery({
    queryKey: ['feed', request],
    enabled: isAllowed,
    // Whoever comes back reads the log again.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    initialPageParam: { cursor: 'latest', waitSeconds: 0 },
    queryFn: async ({ pageParam, signal }) =>
      (await callTagged(transport, listEvents, { ...request, ...pageParam }, {}, signal)).message,
    getNextPageParam: ({ nextCursor: cursor, hasMore }) => ({ cursor, waitSeconds: hasMore ? 0 : WAIT_SECONDS }),
  })
  const { isSuccess, isFetching, isError, fetchNextPage } = feed
  useEffect(() => {
    if (isSuccess && !isFetching && !isError) void fetchNextPage()
  }, [isSuccess, isFetching, isError, fetchNextPage])
  return feed
}
