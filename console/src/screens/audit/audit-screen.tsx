import { useQuery } from '@connectrpc/connect-query'
import { ActorKindSchema, AuditLogService } from '../../../../gen/svc/v2/audit_log_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { usePages } from '../../api/pages.js'
import { targetKinds, usePersonName } from '../../api/things.js'
import { actionText, enumOptions, optionsOf, sentence, thingText } from '../../api/words.js'
import { type Search, useFilters, usePagesOfAddress } from '../../ui/address.js'
import { Button } from '../../ui/button.js'
import { ExportButton } from '../../ui/export-button.js'
import { type Filter, Filters } from '../../ui/filters.js'
import { Panel, Screen } from '../../ui/screen.js'
import { Empty } from '../../ui/states.js'
import { dayStart } from '../../ui/when.js'
import { AuditTimeline } from './audit-timeline.js'

/** Who did what, along a line, filtered by what the address says. */
export function AuditScreen() {
  const [filters] = useFilters()
  const pages = usePages(AuditLogService.method.listAuditEvents, requestFrom(filters))
  const showMore = usePagesOfAddress(pages)
  return (
    <Screen
      title="Audit log"
      lead="Who did what, newest first. Values of personal fields are not recorded."
      why={pages.why}
    >
      <Filters filters={useAuditFilters(filters)} />
      <Panel title="What happened" actions={<ExportButton label="Audit log" list={pages} />} asked={[pages]}>
        {pages.rows.length === 0 && (
          <Empty title="No event matches">Remove a filter; every change by anybody is listed here.</Empty>
        )}
        <AuditTimeline events={pages.rows} />
        {pages.hasNextPage && <Button onClick={showMore}>Show earlier events</Button>}
      </Panel>
    </Screen>
  )
}

/** A filter by what was done. */
export function useActionFilter(): Filter {
  const enabled = useWhyNot(AuditLogService.method.listAuditActions) === undefined
  const asked = useQuery(AuditLogService.method.listAuditActions, undefined, { enabled })
  const known = Object.fromEntries(asked.data?.data.map((action) => [action, actionText(action)]) ?? [])
  return { name: 'action', label: 'What', options: optionsOf('Anything', known), asked }
}

const aboutOptions = optionsOf(
  'Anything',
  Object.fromEntries(Object.keys(targetKinds).map((type) => [type, sentence(thingText(type))])),
)

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
    pageSize: 100,
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
