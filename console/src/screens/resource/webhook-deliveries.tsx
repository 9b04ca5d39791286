import type { Message } from '@bufbuild/protobuf'
import { useEffect, useState } from 'react'
import {
  type WebhookDelivery,
  WebhookDeliveryStatusSchema,
  WebhookEndpointService,
  WebhookEndpointStatus,
} from '../../../../gen/svc/v2/webhook_endpoint_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { usePages } from '../../api/pages.js'
import { actionText, enumOptions } from '../../api/words.js'
import { useFilters } from '../../ui/address.js'
import { Button } from '../../ui/button.js'
import { Filters } from '../../ui/filters.js'
import { When } from '../../ui/when.js'
import { WriteDialog } from '../../ui/write-dialog.js'
import { TargetLink } from '../audit/target-link.js'
import { memberOf, nameOf, teamOf } from './declaration.js'
import { MemberPanel, RowButton } from './member-panel.js'
import { WebhookAction, type WebhookActionKind } from './webhook-action.js'
import { DeliveryDialog, DeliveryStatus } from './webhook-delivery.js'

const { listWebhookDeliveries, resendWebhookDelivery, updateWebhookEndpoint } = WebhookEndpointService.method
const PAGE_SIZE = 100
/** How often it is looked at what has become of them. */
const LOOK_MILLIS = 4_000

interface WebhookPartProps {
  readonly id: string
  readonly item: Message
}

/** What an endpoint was sent, accepted or not, and what can be done about what it has not accepted. */
export function WebhookDeliveries({ id: webhookEndpointId, item }: WebhookPartProps) {
  const [{ delivery: status = '' }] = useFilters()
  const [action, setAction] = useState<'recover' | 'replay' | WebhookDelivery>()
  const [shown, setShown] = useState<WebhookDelivery>()
  const [resending, setResending] = useState<WebhookDelivery>()
  const request = { webhookEndpointId, status: Number(status), pageSize: PAGE_SIZE }
  const pages = usePages(listWebhookDeliveries, request)
  const why = useWhyNot(updateWebhookEndpoint, { teamId: teamOf(item) })
  const { refetch } = pages
  useEffect(() => {
    const timer = setInterval(() => void refetch(), LOOK_MILLIS)
    return () => clearInterval(timer)
  }, [refetch])
  return (
    <MemberPanel
      title="Deliveries"
      pages={pages}
      add={
        <>
          <Filters
            filters={[{ name: 'delivery', label: 'State', options: enumOptions(WebhookDeliveryStatusSchema, 'All') }]}
          />
          <Button onClick={() => setAction('recover')} why={why}>
            Retry failed deliveries
          </Button>
          <Button onClick={() => setAction('replay')} why={why}>
            Send earlier events again
          </Button>
        </>
      }
      columns={[
        { label: 'Event', cell: ({ type }) => actionText(type) },
        { label: 'About', cell: ({ subject }) => <TargetLink type={subject?.type ?? ''} id={subject?.id ?? ''} /> },
        { label: 'State', cell: (each) => <DeliveryStatus status={each.status} /> },
        { label: 'Attempts', isMinor: true, cell: ({ attempts }) => attempts },
        { label: 'Answer', isMinor: true, cell: ({ responseStatus, error }) => responseStatus ?? (error || '–') },
        { label: 'Last attempt', isMinor: true, cell: ({ lastAttemptAt }) => <When at={lastAttemptAt} exact /> },
      ]}
      keyOf={({ id }) => id}
      actions={(each) => (
        <>
          <RowButton
            text="Details"
            why={undefined}
            onClick={() => setShown(each)}
            label={`Details of ${callOf(each)}`}
          />
          <RowButton text="Resend" why={why} onClick={() => setResending(each)} label={`Resend ${callOf(each)}`} />
        </>
      )}
      empty="No event that the endpoint wants has happened yet, or none in the last 30 days."
      emptyTitle={status === '' ? 'Nothing was sent' : 'None is in this state'}
    >
      {action !== undefined && (
        <WebhookAction
          kind={action === 'recover' ? 'recover' : 'replay'}
          id={webhookEndpointId}
          from={typeof action === 'string' ? undefined : action.position}
          onClose={() => setAction(undefined)}
        />
      )}
      {shown !== undefined && (
        <DeliveryDialog
          delivery={pages.rows.find(({ id }) => id === shown.id) ?? shown}
          url={nameOf(item)}
          why={why}
          onClose={() => setShown(undefined)}
          onResend={() => {
            setShown(undefined)
            setResending(shown)
          }}
          onReplay={() => {
            setShown(undefined)
            setAction(shown)
          }}
        />
      )}
      {resending !== undefined && (
        <WriteDialog
          title={`Resend ${actionText(resending.type)}`}
          method={resendWebhookDelivery}
          input={{ webhookEndpointId, id: resending.id }}
          changes={() => [
            { label: 'Next attempt', from: <When at={resending.nextAttemptAt} exact />, to: 'Now, under the same ID' },
          ]}
          confirm="Resend"
          onClose={() => setResending(undefined)}
          onDone={() => setResending(undefined)}
        />
      )}
    </MemberPanel>
  )
}

function callOf({ type, position }: WebhookDelivery): string {
  return `${actionText(type)}, position ${position}`
}

/** What can be done with an endpoint. */
export function WebhookActions({ id, item }: WebhookPartProps) {
  const [action, setAction] = useState<WebhookActionKind>()
  const why = useWhyNot(updateWebhookEndpoint, { teamId: teamOf(item) })
  const isEnabled = memberOf(item, 'status') === WebhookEndpointStatus.ENABLED
  const button = (kind: WebhookActionKind, text: string) => (
    <Button onClick={() => setAction(kind)} why={why}>
      {text}
    </Button>
  )
  return (
    <>
      {button('test', 'Send a test')}
      {isEnabled ? button('disable', 'Disable') : button('enable', 'Enable')}
      {button('rotate', 'Rotate the secret')}
      {action !== undefined && <WebhookAction kind={action} id={id} onClose={() => setAction(undefined)} />}
    </>
  )
}
