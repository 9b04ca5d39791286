import { useState } from 'react'
import {
  type GetWebhookEndpointResponse,
  type TestWebhookEndpointResponse,
  type WebhookDelivery,
  WebhookDeliveryStatus,
  WebhookEndpointService,
} from '../../../../gen/svc/v2/webhook_endpoint_pb.js'
import { usePages } from '../../api/pages.js'
import { Button } from '../../ui/button.js'
import { Dialog, DialogFoot } from '../../ui/dialog.js'
import { TextField } from '../../ui/field.js'
import { ReadFirst } from '../../ui/read-first.js'
import { SecretDialog } from '../../ui/secret-dialog.js'
import { WriteDialog, type WriteSubject } from '../../ui/write-dialog.js'

const methods = WebhookEndpointService.method
const { listWebhookDeliveries } = methods
/** So many deliveries are counted before they are sent. */
const COUNTED = 1_000

/** Whether a delivery has failed, or waits for another attempt. */
function isLeft({ status, attempts }: WebhookDelivery): boolean {
  return status === WebhookDeliveryStatus.FAILED || (status === WebhookDeliveryStatus.PENDING && attempts > 0)
}

/** What can be done with an endpoint besides changing it. */
export type WebhookActionKind = 'test' | 'enable' | 'disable' | 'recover' | 'replay' | 'rotate'

interface WebhookActionProps {
  readonly kind: WebhookActionKind
  readonly id: string
  /** The position from which events are sent again at first. */
  readonly from?: bigint | undefined
  readonly onClose: () => void
}

/** Does one of them, after showing what it changes. */
export function WebhookAction(props: WebhookActionProps) {
  const { id, onClose } = props
  return (
    <ReadFirst title="Webhook" method={methods.getWebhookEndpoint} input={{ id }} onClose={onClose}>
      {(subject) => <ActionDialog {...props} subject={subject} />}
    </ReadFirst>
  )
}

interface ActionDialogProps extends WebhookActionProps {
  readonly subject: WriteSubject<GetWebhookEndpointResponse> | 'nothing'
}

function ActionDialog({ kind, id, from, subject, onClose }: ActionDialogProps) {
  const [tested, setTested] = useState<TestWebhookEndpointResponse>()
  const [secret, setSecret] = useState<string>()
  const [position, setPosition] = useState(String(from ?? 1))
  const deliveries = usePages(listWebhookDeliveries, { webhookEndpointId: id, pageSize: COUNTED })
  /** How many deliveries there are of a kind, of those that were read. */
  const countText = (isCounted: (delivery: WebhookDelivery) => boolean, isAll = !deliveries.hasNextPage) => {
    if (!deliveries.isSuccess) return '…'
    const count = deliveries.rows.filter(isCounted).length
    return `${isAll ? '' : 'At least '}${count === 1 ? '1 event' : `${count.toLocaleString('en-GB')} events`}`
  }
  const first = BigInt(/^\d+$/.test(position) ? position : '0')
  const common = { input: { id }, subject, onClose, onDone: onClose }
  if (tested !== undefined) return <TestResult result={tested} onClose={onClose} />
  if (secret !== undefined) return <SecretDialog secret={secret} of="webhook endpoint" onClose={onClose} />
  switch (kind) {
    case 'test':
      return (
        <WriteDialog
          {...common}
          title="Send a test event"
          method={methods.testWebhookEndpoint}
          changes={() => [{ label: 'Sent', to: 'An event of the type webhook_endpoint.test, once' }]}
          confirm="Send"
          said={({ delivered }) => `The receiver ${delivered ? 'accepted' : 'did not accept'} the test.`}
          onDone={setTested}
        />
      )
    case 'enable':
      return (
        <WriteDialog
          {...common}
          title="Enable the endpoint"
          method={methods.enableWebhookEndpoint}
          changes={() => [{ label: 'State', from: 'Disabled', to: 'Enabled, from where it stopped' }]}
          confirm="Enable"
        />
      )
    case 'disable':
      return (
        <WriteDialog
          {...common}
          title="Disable the endpoint"
          method={methods.disableWebhookEndpoint}
          changes={() => [{ label: 'State', from: 'Enabled', to: 'Disabled' }]}
          confirm="Disable"
          isDangerous
        />
      )
    case 'recover':
      return (
        <WriteDialog
          {...common}
          title="Retry failed deliveries"
          method={methods.recoverWebhookEndpoint}
          changes={() => [{ label: 'Failed and waiting', from: countText(isLeft), to: 'Sent now, under the same IDs' }]}
          confirm="Retry"
          said={({ recovered }) => `${recovered.toLocaleString('en-GB')} sent now.`}
        />
      )
    case 'replay':
      return (
        <WriteDialog
          {...common}
          input={{ id, position: first }}
          title="Send events again"
          method={methods.replayWebhookEndpoint}
          changes={() => [
            {
              label: 'Sent again',
              to: countText(
                (each) => each.position >= first,
                deliveries.rows.some((each) => each.position < first),
              ),
            },
          ]}
          confirm="Send again"
          said={({ replayed }) => `${replayed.toLocaleString('en-GB')} sent again.`}
        >
          <TextField
            label="From the event at the position"
            type="number"
            value={position}
            onChange={setPosition}
            hint="1 is the first event of the organization. Details of a delivery have its position."
          />
        </WriteDialog>
      )
    case 'rotate':
      return (
        <WriteDialog
          {...common}
          title="Rotate the secret"
          method={methods.rotateWebhookEndpointSecret}
          changes={() => [{ label: 'The secret of now', from: 'Signs', to: 'Signs beside the next one for 24 hours' }]}
          confirm="Rotate"
          onDone={(answer) => setSecret(answer.secret ?? '')}
        />
      )
  }
}

function TestResult({
  result,
  onClose,
}: {
  readonly result: TestWebhookEndpointResponse
  readonly onClose: () => void
}) {
  const { delivered, responseStatus, responseBody, error } = result
  return (
    <Dialog title={delivered ? 'The receiver accepted it' : 'The receiver did not accept it'} onClose={onClose}>
      <p role="status">{responseStatus === undefined ? error : `It answered ${responseStatus}.`}</p>
      {responseBody !== '' && <pre>{responseBody}</pre>}
      <DialogFoot>
        <Button look="main" onClick={onClose}>
          Close
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
