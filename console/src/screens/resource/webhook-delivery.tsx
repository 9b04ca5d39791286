import { create, type MessageInitShape, toJson } from '@bufbuild/protobuf'
import type { ReactNode } from 'react'
import { AuditLogService } from '../../../../gen/svc/v2/audit_log_pb.js'
import { EventSchema } from '../../../../gen/svc/v2/event_pb.js'
import {
  type WebhookDelivery,
  WebhookDeliveryStatusSchema,
  WebhookEndpointService,
} from '../../../../gen/svc/v2/webhook_endpoint_pb.js'
import { useCaller } from '../../api/caller-context.js'
import { nameOf, teamOf } from '../../api/message.js'
import { usePages } from '../../api/pages.js'
import { actionText, countText, numberText } from '../../api/words.js'
import { Button } from '../../ui/button.js'
import { CopyButton } from '../../ui/copy-button.js'
import { Dialog, DialogFoot } from '../../ui/dialog.js'
import { Facts, Panel } from '../../ui/screen.js'
import { StateBadge } from '../../ui/state-badge.js'
import { Answered } from '../../ui/states.js'
import { When } from '../../ui/when.js'
import { WriteButton } from '../../ui/write-button.js'
import { TargetLink } from '../audit/audit-timeline.js'
import type { PartProps } from './declaration.js'

const { listWebhookDeliveries, replayWebhookEndpoint, resendWebhookDelivery } = WebhookEndpointService.method

interface DeliveryProps extends PartProps {
  readonly delivery: WebhookDelivery
  /** Why the caller may send nothing. */
  readonly why: string | undefined
  readonly onClose: () => void
}

/** One delivery: its attempts, what was sent, what the receiver answered last, and what can be done about it. */
export function DeliveryDialog({ id: endpointId, item, subject: endpoint, delivery, why, onClose }: DeliveryProps) {
  const { id, type, subject, status, attempts, createdAt, lastAttemptAt, nextAttemptAt, position } = delivery
  const isSentAgain = (each: WebhookDelivery) => each.position >= position && each.type !== 'webhook_endpoint.test'
  return (
    <Dialog title={actionText(type)} look="wide" onClose={onClose}>
      <Facts
        facts={{
          About: <TargetLink type={subject?.type ?? ''} id={subject?.id ?? ''} />,
          State: <StateBadge schema={WebhookDeliveryStatusSchema} value={status} />,
          'First due': <When at={createdAt} exact />,
          Attempts: attempts,
          'Last attempt': <When at={lastAttemptAt} exact />,
          'Next attempt': <When at={nextAttemptAt} exact none="None" />,
        }}
      />
      <Panel title="Response">
        <p role="status">{answeredText(delivery)}</p>
        {delivery.responseBody !== '' && <pre>{delivery.responseBody}</pre>}
      </Panel>
      <SentRequest item={item} delivery={delivery} />
      <DialogFoot apart={<Button onClick={onClose}>Close</Button>}>
        <WriteButton
          text="Send everything again from here"
          title="Send events again"
          method={replayWebhookEndpoint}
          input={{ id: endpointId, position }}
          subject={endpoint}
          changes={() => [
            { label: 'Sent again', to: <Count id={endpointId} isCounted={isSentAgain} from={position} /> },
          ]}
          confirm="Send again"
          said={({ replayed }) => `${numberText(replayed)} sent again.`}
          why={why}
          onDone={onClose}
        />
        <WriteButton
          look="main"
          title={`Resend ${actionText(type)}`}
          method={resendWebhookDelivery}
          input={{ webhookEndpointId: endpointId, id }}
          changes={() => [
            { label: 'Next attempt', from: <When at={nextAttemptAt} exact />, to: 'Now, under the same ID' },
          ]}
          confirm="Resend"
          said={() => 'Sent again.'}
          why={why}
          onDone={onClose}
        />
      </DialogFoot>
    </Dialog>
  )
}

interface CountProps {
  readonly id: string
  readonly isCounted: (delivery: WebhookDelivery) => boolean
  /** Events from this position on. Default: all deliveries. */
  readonly from?: bigint
}

/** How many deliveries of an endpoint there are of a kind, as far as one page of them says. */
export function Count({ id, isCounted, from = 0n }: CountProps): ReactNode {
  const { isSuccess, hasNextPage, rows } = usePages(listWebhookDeliveries, { webhookEndpointId: id })
  if (!isSuccess) return '…'
  const areAll = !hasNextPage || rows.some(({ position }) => position < from)
  return `${areAll ? '' : 'At least '}${countText(rows.filter(isCounted).length, 'event')}`
}

/** What a receiver answered. */
export function answeredText({ responseStatus, error }: Pick<WebhookDelivery, 'responseStatus' | 'error'>): string {
  return responseStatus ? `The receiver answered ${responseStatus}.` : error || 'There was no answer yet.'
}

/** How far the time of an event may be from that in its id, which the clock of another process made. */
const NEAR_MILLIS = 60_000

/** What every attempt sends. The service keeps no requests: it makes each from the event, and so does this. */
function SentRequest({ item, delivery }: Pick<DeliveryProps, 'item' | 'delivery'>) {
  const { id, type, position, subject } = delivery
  const { organizationId } = useCaller()
  // A UUIDv7 begins with its time.
  const made = Number.parseInt(id.replace('-', '').slice(0, 12), 16)
  const [since, until] = [made - NEAR_MILLIS, made + NEAR_MILLIS].map((at) => new Date(at).toISOString())
  const wanted = { targetId: subject?.id ?? '', action: type, since: since ?? '', until: until ?? '' }
  const events = usePages(AuditLogService.method.listAuditEvents, wanted, { about: { teamId: teamOf(item) } })
  const found = events.rows.find((each) => each.id === id)
  const body = () => {
    if (found === undefined) return 'The audit log does not have the event any more.'
    const { occurredAt, teamId, actor, changedFields } = found
    const event = { id, position, occurredAt, type, organizationId, teamId, subject, actor, changedFields }
    const cloudEvent = {
      specversion: '1.0',
      id,
      source: `/organizations/${organizationId}`,
      type,
      subject: `${subject?.type}/${subject?.id}`,
      time: occurredAt,
      datacontenttype: 'application/json',
      data: toJson(EventSchema, create(EventSchema, event as MessageInitShape<typeof EventSchema>), {
        alwaysEmitImplicit: true,
      }),
    }
    return JSON.stringify(cloudEvent, undefined, 2)
  }
  return (
    <Panel title="Request" actions={found && <CopyButton text={body}>Copy the body</CopyButton>}>
      <pre>
        {`POST ${nameOf(item)}
content-type: application/cloudevents+json; charset=utf-8
user-agent: svc-webhooks
webhook-id: ${id}
webhook-timestamp: the time of the attempt
webhook-signature: made for each attempt`}
      </pre>
      <Answered asked={[events]}>
        <pre>{body()}</pre>
      </Answered>
    </Panel>
  )
}
