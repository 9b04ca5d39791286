import { useQuery } from '@connectrpc/connect-query'
import { ActorKindSchema, type AuditEvent, AuditLogService } from '../../../../gen/svc/v2/audit_log_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { usePages } from '../../api/pages.js'
import { actionText, enumOptions } from '../../api/words.js'
import { type Search, useFilters, usePagesOfAddress } from '../../ui/address.js'
import { Button } from '../../ui/button.js'
import { dayStart } from '../../ui/days.js'
import { SelectField, TextField } from '../../ui/field.js'
import { Filters, Panel, Screen } from '../../ui/screen.js'
import { SearchField } from '../../ui/search-field.js'
import { Empty, FailureBox, NoRight, Skeleton } from '../../ui/states.js'
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
  return (
    <Screen title="Audit log" lead="Who did what, newest first. Values of personal fields are not recorded.">
      <AuditFilters filters={filters} onChange={change} />
      <AuditPanel filters={filters} />
    </Screen>
  )
}

function AuditPanel({ filters }: { readonly filters: Search }) {
  const pages = usePages(AuditLogService.method.listAuditEvents, requestFrom(filters))
  const events: readonly AuditEvent[] = pages.rows
  const showMore = usePagesOfAddress(pages)
  return (
    <Panel title="Events">
      {pages.isPending && <Skeleton />}
      {pages.error && <FailureBox error={pages.error} onRetry={() => void pages.refetch()} />}
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

interface AuditFiltersProps {
  readonly filters: Search
  readonly onChange: (changes: Search) => void
}

function AuditFilters({ filters, onChange }: AuditFiltersProps) {
  const actions = useQuery(AuditLogService.method.listAuditActions)
  const known = actions.data?.data.map((action) => ({ value: action, text: actionText(action) })) ?? []
  const day = (name: string, label: string) => (
    <TextField
      label={label}
      type="date"
      value={filters[name] ?? ''}
      onChange={(value) => onChange({ [name]: value })}
    />
  )
  const id = (name: string, label: string) => (
    <SearchField label={label} value={filters[name] ?? ''} onChange={(value) => onChange({ [name]: value })} />
  )
  return (
    <Filters>
      <SelectField
        label="Action"
        value={filters['action'] ?? ''}
        options={[{ value: '', text: 'All' }, ...known]}
        onChange={(action) => onChange({ action })}
      />
      <SelectField
        label="By"
        value={filters['kind'] ?? ''}
        options={enumOptions(ActorKindSchema, 'Anybody')}
        onChange={(kind) => onChange({ kind })}
      />
      {id('actor', 'Who did it (id)')}
      {id('target', 'To what (id)')}
      {id('request', 'Request (id)')}
      {day('since', 'From')}
      {day('until', 'Until')}
    </Filters>
  )
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
