import { useState } from 'react'
import { type WebhookDelivery, WebhookDeliveryStatusSchema } from '../../../../gen/svc/v2/webhook_endpoint_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { nameOf, teamOf } from '../../api/message.js'
import { usePages } from '../../api/pages.js'
import { actionText, enumOptions } from '../../api/words.js'
import { useFilters } from '../../ui/address.js'
import { Button } from '../../ui/button.js'
import { Filters } from '../../ui/filters.js'
import { StateBadge } from '../../ui/state-badge.js'
import { When } from '../../ui/when.js'
import { TargetLink } from '../audit/target-link.js'
import type { PartProps } from './declaration.js'
import { MemberPanel } from './member-panel.js'
import { methods, RecoverButton, ReplayButton, ResendButton } from './webhook-actions.js'
import { DeliveryDialog } from './webhook-delivery.js'

const PAGE_SIZE = 100
/** How often it is looked at what has become of them. */
const LOOK_MILLIS = 4_000

/** What an endpoint was sent, accepted or not, and what can be done about what it has not accepted. */
export function WebhookDeliveries(props: PartProps) {
  const [{ delivery: status = '' }] = useFilters()
  const [shown, setShown] = useState<WebhookDelivery>()
  const request = { webhookEndpointId: props.id, status: Number(status), pageSize: PAGE_SIZE }
  const pages = usePages(methods.listWebhookDeliveries, request, { refetchInterval: LOOK_MILLIS })
  const why = useWhyNot(methods.updateWebhookEndpoint, { teamId: teamOf(props.item) })
  const close = () => setShown(undefined)
  return (
    <MemberPanel
      title="Deliveries"
      pages={pages}
      add={
        <>
          <Filters
            filters={[{ name: 'delivery', label: 'State', options: enumOptions(WebhookDeliveryStatusSchema, 'All') }]}
          />
          <RecoverButton {...props} why={why} />
          <ReplayButton {...props} text="Send earlier events again" from={1n} why={why} />
        </>
      }
      columns={[
        { label: 'Event', cell: ({ type }) => actionText(type) },
        { label: 'About', cell: ({ subject }) => <TargetLink type={subject?.type ?? ''} id={subject?.id ?? ''} /> },
        { label: 'State', cell: (each) => <StateBadge schema={WebhookDeliveryStatusSchema} value={each.status} /> },
        { label: 'Attempts', isMinor: true, isNumber: true, cell: ({ attempts }) => attempts },
        { label: 'Answer', isMinor: true, cell: ({ responseStatus, error }) => responseStatus ?? (error || '–') },
        { label: 'Last attempt', isMinor: true, cell: ({ lastAttemptAt }) => <When at={lastAttemptAt} exact /> },
      ]}
      keyOf={({ id }) => id}
      actions={(each) => {
        const name = `${actionText(each.type)}, position ${each.position}`
        return (
          <>
            <Button look="quiet" onClick={() => setShown(each)} label={`Details of ${name}`}>
              Details
            </Button>
            <ResendButton endpointId={props.id} delivery={each} look="quiet" label={`Resend ${name}`} why={why} />
          </>
        )
      }}
      empty="No event that the endpoint wants has happened yet, or none in the last 30 days."
      emptyTitle={status === '' ? 'Nothing was sent' : 'No delivery is in this state'}
    >
      {shown !== undefined && (
        <DeliveryDialog
          delivery={pages.rows.find(({ id }) => id === shown.id) ?? shown}
          url={nameOf(props.item)}
          onClose={close}
        >
          <ReplayButton
            {...props}
            text="Send everything again from here"
            from={shown.position}
            why={why}
            onDone={close}
          />
          <ResendButton endpointId={props.id} delivery={shown} look="main" why={why} onDone={close} />
        </DeliveryDialog>
      )}
    </MemberPanel>
  )
}
