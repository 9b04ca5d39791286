import { useQuery } from '@connectrpc/connect-query'
import { ActorKindSchema, type AuditEvent, AuditLogService } from '../../../../gen/svc/v2/audit_log_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { usePersonName } from '../../api/names.js'
import { usePages } from '../../api/pages.js'
import { actionText, enumOptions } from '../../api/words.js'
import { type Search, useFilters, usePagesOfAddress } from '../../ui/address.js'
import { Button } from '../../ui/button.js'
import { dayStart } from '../../ui/days.js'
import { type Filter, Filters } from '../../ui/filters.js'
import { PersonFilter } from '../../ui/person-filter.js'
import { Panel, Screen } from '../../ui/screen.js'
import { Answered, Empty, NoRight } from '../../ui/states.js'
import { AuditTimeline } from './audit-timeline.js'

const PAGE_SIZE = 100

/** Who did what, along a line, filtered by what the address says. */
export function AuditScreen() {
  const [filters, change] = useFilters()
  const why = useWhyNot(AuditLogService.method.listAuditEvents)
  if (why !== undefined) {
    return (
      <Screen title="Audit log">
        <NoRight why={why} />
      </Screen>
    )
  }
  return <Readable filters={filters} onChange={change} />
}

interface ReadableProps {
  readonly filters: Search
  readonly onChange: (changes: Search) => void
}

function Readable({ filters, onChange: change }: ReadableProps) {
  const usable = useAuditFilters(filters)
  return (
    <Screen title="Audit log" lead="Who did what, newest first. Values of personal fields are not recorded.">
      <Filters filters={usable}>
        <PersonFilter label="Who did it" value={filters['actor'] ?? ''} onChange={(actor) => change({ actor })} />
      </Filters>
      <AuditPanel filters={filters} />
    </Screen>
  )
}

function AuditPanel({ filters }: { readonly filters: Search }) {
  const pages = usePages(AuditLogService.method.listAuditEvents, requestFrom(filters))
  const events: readonly AuditEvent[] = pages.rows
  const showMore = usePagesOfAddress(pages)
  return (
    <Panel title="What happened">
      {!pages.isSuccess && <Answered asked={[pages]}>{null}</Answered>}
      {pages.isSuccess && events.length === 0 && (
        <Empty title="No event matches">Take a filter away; every write of anybody stands here.</Empty>
      )}
      <AuditTimeline events={events} />
      {pages.hasNextPage && (
        <div>
          <Button onClick={showMore}>Show earlier events</Button>
        </div>
      )}
    </Panel>
  )
}

function useAuditFilters(filters: Search): readonly Filter[] {
  const actions = useQuery(AuditLogService.method.listAuditActions)
  const known = actions.data?.data.map((action) => ({ value: action, text: actionText(action) })) ?? []
  return [
    { name: 'action', label: 'Action', options: [{ value: '', text: 'All' }, ...known] },
    { name: 'kind', label: 'By', options: enumOptions(ActorKindSchema, 'Anybody') },
    { name: 'since', label: 'From', kind: 'day' },
    { name: 'until', label: 'Until', kind: 'day' },
    { name: 'target', label: 'About', kind: 'fixed', text: <ActorOrTarget id={filters['target'] ?? ''} /> },
    { name: 'request', label: 'Request', kind: 'fixed', text: <code>{filters['request']}</code> },
  ]
}

function ActorOrTarget({ id }: { readonly id: string }) {
  return <>{usePersonName(id)}</>
}

function requestFrom(filters: Search) {
  const { action = '', actor = '', target = '', request = '', kind = '', since = '', until = '' } = filters
  return {
    pageSize: PAGE_SIZE,
    action,
    actorId: actor,
    targetId: target,
    requestId: request,
    actorKind: Number(kind),
    // Days are the reader's.
    since: dayStart(since) ?? '',
    until: dayStart(until, 1) ?? '',
  }
}
