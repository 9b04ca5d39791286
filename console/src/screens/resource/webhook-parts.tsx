import { useState } from 'react'
import {
  type WebhookDelivery,
  WebhookDeliveryStatus,
  WebhookDeliveryStatusSchema,
  WebhookEndpointService,
  WebhookEndpointStatus,
} from '../../../../gen/svc/v2/webhook_endpoint_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { memberOf, teamOf } from '../../api/message.js'
import { usePages } from '../../api/pages.js'
import type { Method } from '../../api/standard-methods.js'
import { actionText, enumOptions, numberText } from '../../api/words.js'
import { useFilters } from '../../ui/address.js'
import { Button } from '../../ui/button.js'
import { Filters } from '../../ui/filters.js'
import { SecretDialog } from '../../ui/secret-dialog.js'
import { StateBadge } from '../../ui/state-badge.js'
import { When } from '../../ui/when.js'
import { WriteButton } from '../../ui/write-button.js'
import { TargetLink } from '../audit/audit-timeline.js'
import type { PartProps } from './declaration.js'
import { MemberPanel } from './member-panel.js'
import { answeredText, Count, DeliveryDialog } from './webhook-delivery.js'

const { method: methods } = WebhookEndpointService

/** What can be done with an endpoint, apart from its deliveries. */
export function WebhookActions({ id, item, subject }: PartProps) {
  const [secret, setSecret] = useState<string>()
  const why = useWhyNot(methods.updateWebhookEndpoint, { teamId: teamOf(item) })
  const common = { input: { id }, subject, why }
  const isOn = memberOf(item, 'status') === WebhookEndpointStatus.ENABLED
  const [from, to] = isOn ? ['Enabled', 'Disabled'] : ['Disabled', 'Enabled, from where it stopped']
  return (
    <>
      <WriteButton
        {...common}
        text="Send a test"
        title="Send a test event"
        method={methods.testWebhookEndpoint}
        changes={() => [{ label: 'Sent', to: 'One test event' }]}
        confirm="Send"
        said={(answer) => `${answer.delivered ? 'Accepted' : 'Not accepted'}: ${answeredText(answer)}`}
      />
      <WriteButton
        {...common}
        look="plain"
        title={isOn ? 'Disable the webhook' : 'Enable the webhook'}
        method={(isOn ? methods.disableWebhookEndpoint : methods.enableWebhookEndpoint) as Method}
        changes={() => [{ label: 'State', from, to }]}
        confirm={isOn ? 'Disable' : 'Enable'}
        isDangerous={isOn}
      />
      <WriteButton
        {...common}
        text="Rotate the secret"
        title="Rotate the secret"
        method={methods.rotateWebhookEndpointSecret}
        changes={() => [{ label: 'This secret', from: 'Signs', to: 'Signs beside the next one for 24 hours' }]}
        confirm="Rotate"
        onDone={(answer) => setSecret(answer.secret ?? '')}
      />
      {secret !== undefined && <SecretDialog secret={secret} of="webhook" onClose={() => setSecret(undefined)} />}
    </>
  )
}

/** Whether a delivery was tried and is not accepted yet. */
const isLeft = ({ status, attempts }: WebhookDelivery) =>
  status === WebhookDeliveryStatus.FAILED || (status === WebhookDeliveryStatus.PENDING && attempts > 0)

/** How many are read at once, and how often it is looked at what has become of them. */
const [PAGE_SIZE, LOOK_MILLIS] = [100, 4_000]

/** What an endpoint was sent, accepted or not, and what can be done about what it has not accepted. */
export function WebhookDeliveries(props: PartProps) {
  const { id, item, subject } = props
  const [{ delivery: status = '' }] = useFilters()
  const [shown, setShown] = useState<WebhookDelivery>()
  const state = { name: 'delivery', label: 'State', options: enumOptions(WebhookDeliveryStatusSchema, 'All') }
  const request = { webhookEndpointId: id, status: Number(status), pageSize: PAGE_SIZE }
  const pages = usePages(methods.listWebhookDeliveries, request, { refetchInterval: LOOK_MILLIS })
  const why = useWhyNot(methods.updateWebhookEndpoint, { teamId: teamOf(item) })
  return (
    <MemberPanel
      title="Deliveries"
      pages={pages}
      add={
        <>
          <Filters filters={[state]} />
          <WriteButton
            text="Retry failed deliveries"
            title="Retry failed deliveries"
            method={methods.recoverWebhookEndpoint}
            input={{ id }}
            subject={subject}
            changes={() => [
              {
                label: 'Failed and waiting',
                from: <Count id={id} isCounted={isLeft} />,
                to: 'Sent now, under the same IDs',
              },
            ]}
            confirm="Retry"
            said={({ recovered }) => `${numberText(recovered)} sent now.`}
            why={why}
          />
        </>
      }
      columns={[
        { label: 'Event', cell: ({ type }) => actionText(type) },
        { label: 'About', cell: ({ subject }) => <TargetLink type={subject?.type ?? ''} id={subject?.id ?? ''} /> },
        {
          label: 'State',
          size: 'narrow',
          cell: (each) => <StateBadge schema={WebhookDeliveryStatusSchema} value={each.status} />,
        },
        { label: 'Attempts', size: 'narrow', isMinor: true, isNumber: true, cell: ({ attempts }) => attempts },
        {
          label: 'Answer',
          size: 'narrow',
          isMinor: true,
          cell: ({ responseStatus, error }) => responseStatus ?? (error || '–'),
        },
        { label: 'Last attempt', size: 'narrow', isMinor: true, cell: (each) => <When at={each.lastAttemptAt} /> },
      ]}
      keyOf={({ id }) => id}
      actions={(each) => (
        <Button
          look="quiet"
          onClick={() => setShown(each)}
          label={`Details of ${actionText(each.type)}, position ${each.position}`}
        >
          Details
        </Button>
      )}
      empty="No event that the endpoint wants has happened yet, or none in the last 30 days."
      emptyTitle={status === '' ? 'Nothing was sent' : 'No delivery is in this state'}
    >
      {shown && (
        <DeliveryDialog
          {...props}
          delivery={pages.rows.find((each) => each.id === shown.id) ?? shown}
          why={why}
          onClose={() => setShown(undefined)}
        />
      )}
    </MemberPanel>
  )
}
