import {
  type WebhookDelivery,
  WebhookDeliveryStatus,
  WebhookDeliveryStatusSchema,
} from '../../../../gen/svc/v2/webhook_endpoint_pb.js'
import { actionText, enumText } from '../../api/words.js'
import { Badge, Button, type Tone } from '../../ui/button.js'
import { Dialog, DialogFoot } from '../../ui/dialog.js'
import { Facts, Panel } from '../../ui/screen.js'
import { When } from '../../ui/when.js'
import { TargetLink } from '../audit/target-link.js'

const tones: Readonly<Partial<Record<WebhookDeliveryStatus, Tone>>> = {
  [WebhookDeliveryStatus.SUCCEEDED]: 'good',
  [WebhookDeliveryStatus.PENDING]: 'warn',
  [WebhookDeliveryStatus.FAILED]: 'bad',
}

/** How far a delivery is. */
export function DeliveryStatus({ status }: { readonly status: WebhookDeliveryStatus }) {
  return <Badge tone={tones[status] ?? 'plain'}>{enumText(WebhookDeliveryStatusSchema, status)}</Badge>
}

interface DeliveryDialogProps {
  readonly delivery: WebhookDelivery
  readonly url: string
  /** Why the caller may send nothing. */
  readonly why: string | undefined
  readonly onResend: () => void
  readonly onReplay: () => void
  readonly onClose: () => void
}

/** One delivery: what was sent, what the receiver answered, and the attempts. */
export function DeliveryDialog({ delivery, url, why, onResend, onReplay, onClose }: DeliveryDialogProps) {
  const { id, type, subject, status, attempts, lastAttemptAt, nextAttemptAt, responseStatus, responseBody } = delivery
  const body = { type, subject: `${subject?.type}/${subject?.id}` }
  return (
    <Dialog title={actionText(type)} look="wide" onClose={onClose}>
      <Facts
        facts={{
          About: <TargetLink type={subject?.type ?? ''} id={subject?.id ?? ''} />,
          State: <DeliveryStatus status={status} />,
          Attempts: attempts,
          'Last attempt': <When at={lastAttemptAt} exact />,
          Position: delivery.position.toLocaleString('en-GB'),
          'Next attempt': <When at={nextAttemptAt} exact />,
        }}
      />
      <Panel title="Request">
        <pre>{`POST ${url}\nwebhook-id: ${id}\n\n${JSON.stringify(body).replace(/}$/, ', …}')}`}</pre>
      </Panel>
      <Panel title="Response">
        <p>{responseStatus ? `The receiver answered ${responseStatus}.` : delivery.error || 'There was none yet.'}</p>
        {responseBody !== '' && <pre>{responseBody}</pre>}
      </Panel>
      <DialogFoot apart={<Button onClick={onClose}>Close</Button>}>
        <Button onClick={onReplay} why={why}>
          Send everything again from here
        </Button>
        <Button look="main" onClick={onResend} why={why}>
          Resend
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
