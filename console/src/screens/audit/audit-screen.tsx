import { useQuery } from '@connectrpc/connect-query'
import { ActorKindSchema, type AuditEvent, AuditLogService } from '../../../../gen/svc/v2/audit_log_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { usePersonName } from '../../api/names.js'
import { usePages } from '../../api/pages.js'
import { actionText, enumOptions, sentence, thingText } from '../../api/words.js'
import { type Search, useFilters, usePagesOfAddress } from '../../ui/address.js'
import { Button } from '../../ui/button.js'
import { dayStart } from '../../ui/days.js'
import { ExportButton } from '../../ui/export-button.js'
import { type Filter, Filters } from '../../ui/filters.js'
import { Panel, Screen } from '../../ui/screen.js'
import { Answered, Empty, NoRight } from '../../ui/states.js'
import { AuditTimeline } from './audit-timeline.js'
import { targetKinds } from './target-link.js'

const PAGE_SIZE = 100

/** Who did what, along a line, filtered by what the address says. */
export function AuditScreen() {
  const [filters] = useFilters()
  const why = useWhyNot(AuditLogService.method.listAuditEvents)
  if (why !== undefined) {
    return (
      <Screen title="Audit log">
        <NoRight why={why} />
      </Screen>
    )
  }
  return <Readable filters={filters} />
}

function Readable({ filters }: { readonly filters: Search }) {
  const usable = useAuditFilters(filters)
  return (
    <Screen title="Audit log" lead="Who did what, newest first. Values of personal fields are not recorded.">
      <Filters filters={usable} />
      <AuditPanel filters={filters} />
    </Screen>
  )
}

function AuditPanel({ filters }: { readonly filters: Search }) {
  const pages = usePages(AuditLogService.method.listAuditEvents, requestFrom(filters))
  const events: readonly AuditEvent[] = pages.rows
  const showMore = usePagesOfAddress(pages)
  return (
    <Panel title="What happened" actions={<ExportButton label="Audit log" list={pages} />}>
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

/** A filter by what was done. */
export function useActionFilter(): Filter {
  const { data } = useQuery(AuditLogService.method.listAuditActions)
  const known = data?.data.map((action) => ({ value: action, text: actionText(action) })) ?? []
  return { name: 'action', label: 'What', options: [{ value: '', text: 'Anything' }, ...known] }
}

const aboutOptions = [
  { value: '', text: 'Anything' },
  ...Object.keys(targetKinds).map((type) => ({ value: type, text: sentence(thingText(type)) })),
]

function useAuditFilters(filters: Search): readonly Filter[] {
  const { type = '', target = '', request } = filters
  const of = targetKinds[type]
  const name = usePersonName(of ? '' : target)
  return [
    useActionFilter(),
    { name: 'actor', label: 'Who did it', kind: 'thing', of: 'people' },
    { name: 'kind', label: 'By', options: enumOptions(ActorKindSchema, 'Anybody') },
    { name: 'type', label: 'About', options: aboutOptions, resets: ['target'] },
    { name: 'target', label: 'Which', ...(of ? { kind: 'thing', of } : { kind: 'fixed', text: name }) },
    { name: 'since', label: 'From', kind: 'day' },
    { name: 'until', label: 'Until', kind: 'day' },
    { name: 'request', label: 'Request', kind: 'fixed', text: <code>{request}</code> },
  ]
}

function requestFrom(filters: Search) {
  const { action = '', actor = '', type = '', target = '', request = '', kind = '', since = '', until = '' } = filters
  return {
    pageSize: PAGE_SIZE,
    action,
    actorId: actor,
    targetType: type,
    targetId: target,
    requestId: request,
    actorKind: Number(kind),
    // Days are the reader's.
    since: dayStart(since) ?? '',
    until: dayStart(until, 1) ?? '',
  }
}
