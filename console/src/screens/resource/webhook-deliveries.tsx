import type { Message } from '@bufbuild/protobuf'
import { useState } from 'react'
import {
  type WebhookDelivery,
  WebhookDeliveryStatusSchema,
  WebhookEndpointService,
  WebhookEndpointStatus,
} from '../../../../gen/svc/v2/webhook_endpoint_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { usePages } from '../../api/pages.js'
import { actionText, enumText } from '../../api/words.js'
import { Button, Toolbar } from '../../ui/button.js'
import { When } from '../../ui/when.js'
import { WriteDialog } from '../../ui/write-dialog.js'
import { memberOf, teamOf } from './declaration.js'
import { MemberPanel } from './member-panel.js'
import { WebhookAction, type WebhookActionKind } from './webhook-action.js'

const { listWebhookDeliveries, resendWebhookDelivery, updateWebhookEndpoint } = WebhookEndpointService.method
const PAGE_SIZE = 100

/** What an endpoint was sent, and what can be done about what it has not accepted. */
export function WebhookDeliveries({ id: webhookEndpointId, item }: { readonly id: string; readonly item: Message }) {
  const [action, setAction] = useState<WebhookActionKind>()
  const [resending, setResending] = useState<WebhookDelivery>()
  const pages = usePages(listWebhookDeliveries, { webhookEndpointId, pageSize: PAGE_SIZE })
  const why = useWhyNot(updateWebhookEndpoint, { teamId: teamOf(item) })
  const isEnabled = memberOf(item, 'status') === WebhookEndpointStatus.ENABLED
  const button = (kind: WebhookActionKind, text: string) => (
    <Button onClick={() => setAction(kind)} why={why}>
      {text}
    </Button>
  )
  return (
    <MemberPanel
      title="Deliveries"
      pages={pages}
      add={
        <Toolbar>
          {button('test', 'Send a test')}
          {isEnabled ? button('disable', 'Disable') : button('enable', 'Enable')}
          {button('recover', 'Retry failed deliveries')}
          {button('replay', 'Send earlier events again')}
          {button('rotate', 'Rotate the secret')}
        </Toolbar>
      }
      columns={[
        { label: 'Event', cell: ({ type }) => actionText(type) },
        { label: 'Position', isMinor: true, cell: ({ position }) => Number(position).toLocaleString('en-GB') },
        { label: 'State', cell: ({ status }) => enumText(WebhookDeliveryStatusSchema, status) },
        { label: 'Attempts', cell: ({ attempts }) => attempts },
        { label: 'Answer', cell: ({ responseStatus, error }) => responseStatus ?? (error || '–') },
        {
          label: 'Next attempt',
          cell: ({ nextAttemptAt }) => (nextAttemptAt ? <When at={nextAttemptAt} exact /> : '–'),
        },
      ]}
      keyOf={({ id }) => id}
      actions={(delivery) => (
        <Button
          look="quiet"
          why={why}
          onClick={() => setResending(delivery)}
          label={`Resend ${actionText(delivery.type)}, position ${delivery.position}`}
        >
          Resend
        </Button>
      )}
      empty="No event that the endpoint wants has happened yet, or none in the last 30 days."
      emptyTitle="Nothing was sent"
    >
      {action !== undefined && (
        <WebhookAction kind={action} id={webhookEndpointId} onClose={() => setAction(undefined)} />
      )}
      {resending !== undefined && (
        <WriteDialog
          title={`Resend ${actionText(resending.type)}`}
          method={resendWebhookDelivery}
          input={{ webhookEndpointId, id: resending.id }}
          changes={() => [{ label: 'Next attempt', from: resending.nextAttemptAt ?? '', to: 'Now, under the same id' }]}
          confirm="Resend"
          onClose={() => setResending(undefined)}
          onDone={() => setResending(undefined)}
        />
      )}
    </MemberPanel>
  )
}
