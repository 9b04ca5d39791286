import type { ReactNode } from 'react'
import { type WebhookDelivery, WebhookDeliveryStatusSchema } from '../../../../gen/svc/v2/webhook_endpoint_pb.js'
import { actionText, numberText } from '../../api/words.js'
import { Button } from '../../ui/button.js'
import { Dialog, DialogFoot } from '../../ui/dialog.js'
import { Facts, Panel } from '../../ui/screen.js'
import { StateBadge } from '../../ui/state-badge.js'
import { When } from '../../ui/when.js'
import { TargetLink } from '../audit/target-link.js'

interface DeliveryDialogProps {
  readonly delivery: WebhookDelivery
  readonly url: string
  readonly onClose: () => void
  /** What can be done about it. */
  readonly children: ReactNode
}

/** One delivery: what was sent, what the receiver answered, and the attempts. */
export function DeliveryDialog({ delivery, url, onClose, children }: DeliveryDialogProps) {
  const { id, type, subject, status, attempts, lastAttemptAt, nextAttemptAt, responseStatus, responseBody } = delivery
  const body = { type, subject: `${subject?.type}/${subject?.id}` }
  return (
    <Dialog title={actionText(type)} look="wide" onClose={onClose}>
      <Facts
        facts={{
          About: <TargetLink type={subject?.type ?? ''} id={subject?.id ?? ''} />,
          State: <StateBadge schema={WebhookDeliveryStatusSchema} value={status} />,
          Attempts: attempts,
          'Last attempt': <When at={lastAttemptAt} exact />,
          Position: numberText(delivery.position),
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
      <DialogFoot apart={<Button onClick={onClose}>Close</Button>}>{children}</DialogFoot>
    </Dialog>
  )
}
