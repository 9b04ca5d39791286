import { type ReactNode, useState } from 'react'
import {
  type TestWebhookEndpointResponse,
  type WebhookDelivery,
  WebhookDeliveryStatus,
  WebhookEndpointService,
  WebhookEndpointStatus,
} from '../../../../gen/svc/v2/webhook_endpoint_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { memberOf, teamOf } from '../../api/message.js'
import { usePages } from '../../api/pages.js'
import { actionText, countText, numberText } from '../../api/words.js'
import { Button, type ButtonProps } from '../../ui/button.js'
import { Dialog, DialogFoot } from '../../ui/dialog.js'
import { TextField } from '../../ui/field.js'
import { SecretDialog } from '../../ui/secret-dialog.js'
import { When } from '../../ui/when.js'
import { WriteButton } from '../../ui/write-button.js'
import type { PartProps } from './declaration.js'

/** What the service does with webhooks. */
export const { method: methods } = WebhookEndpointService

/** What can be done with an endpoint, apart from its deliveries. */
export function WebhookActions({ id, item, subject }: PartProps) {
  const [tested, setTested] = useState<TestWebhookEndpointResponse>()
  const [secret, setSecret] = useState<string>()
  const why = useWhyNot(methods.updateWebhookEndpoint, { teamId: teamOf(item) })
  const common = { input: { id }, subject, why }
  return (
    <>
      <WriteButton
        {...common}
        text="Send a test"
        title="Send a test event"
        method={methods.testWebhookEndpoint}
        changes={() => [{ label: 'Sent', to: 'An event of the type webhook_endpoint.test, once' }]}
        confirm="Send"
        said={({ delivered }) => `The receiver ${delivered ? 'accepted' : 'did not accept'} the test.`}
        onDone={setTested}
      />
      {memberOf(item, 'status') === WebhookEndpointStatus.ENABLED ? (
        <WriteButton
          {...common}
          look="plain"
          title="Disable the endpoint"
          method={methods.disableWebhookEndpoint}
          changes={() => [{ label: 'State', from: 'Enabled', to: 'Disabled' }]}
          confirm="Disable"
          isDangerous
        />
      ) : (
        <WriteButton
          {...common}
          title="Enable the endpoint"
          method={methods.enableWebhookEndpoint}
          changes={() => [{ label: 'State', from: 'Disabled', to: 'Enabled, from where it stopped' }]}
          confirm="Enable"
        />
      )}
      <WriteButton
        {...common}
        text="Rotate the secret"
        title="Rotate the secret"
        method={methods.rotateWebhookEndpointSecret}
        changes={() => [{ label: 'This secret', from: 'Signs', to: 'Signs beside the next one for 24 hours' }]}
        confirm="Rotate"
        onDone={(answer) => setSecret(answer.secret ?? '')}
      />
      {tested && <TestResult result={tested} onClose={() => setTested(undefined)} />}
      {secret !== undefined && (
        <SecretDialog secret={secret} of="webhook endpoint" onClose={() => setSecret(undefined)} />
      )}
    </>
  )
}

interface TestResultProps {
  readonly result: TestWebhookEndpointResponse
  readonly onClose: () => void
}

function TestResult({ result, onClose }: TestResultProps) {
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

interface DeliveriesProps extends PartProps {
  /** Why the caller may send nothing. */
  readonly why: string | undefined
}

/** Sends what has failed, or waits for another attempt, at once. */
export function RecoverButton({ id, subject, why }: DeliveriesProps) {
  const isLeft = ({ status, attempts }: WebhookDelivery) =>
    status === WebhookDeliveryStatus.FAILED || (status === WebhookDeliveryStatus.PENDING && attempts > 0)
  return (
    <WriteButton
      text="Retry failed deliveries"
      title="Retry failed deliveries"
      method={methods.recoverWebhookEndpoint}
      input={{ id }}
      subject={subject}
      changes={() => [
        { label: 'Failed and waiting', from: <Count id={id} isCounted={isLeft} />, to: 'Sent now, under the same IDs' },
      ]}
      confirm="Retry"
      said={({ recovered }) => `${numberText(recovered)} sent now.`}
      why={why}
    />
  )
}

interface ReplayButtonProps extends DeliveriesProps {
  readonly text: string
  /** The position from which events are sent again at first. */
  readonly from: bigint
  readonly onDone?: () => void
}

/** Sends the events from one on again. */
export function ReplayButton({ id, subject, why, text, from, onDone = () => {} }: ReplayButtonProps) {
  const [position, setPosition] = useState(String(from))
  // The limits of the schema: it is required, and has 64 bits.
  const fault = /^[1-9]\d{0,17}$/.test(position) ? undefined : 'A whole number from 1 on.'
  const first = BigInt(fault ? 0 : position)
  return (
    <WriteButton
      text={text}
      title="Send events again"
      method={methods.replayWebhookEndpoint}
      input={{ id, position: first }}
      subject={subject}
      changes={() =>
        fault
          ? []
          : [{ label: 'Sent again', to: <Count id={id} isCounted={(each) => each.position >= first} until={first} /> }]
      }
      confirm="Send again"
      said={({ replayed }) => `${numberText(replayed)} sent again.`}
      why={why}
      onClose={() => setPosition(String(from))}
      onDone={onDone}
    >
      <TextField
        label="From the event at the position"
        type="number"
        value={position}
        fault={fault}
        onChange={setPosition}
        hint="1 is the first event of the organization. Details of a delivery have its position."
      />
    </WriteButton>
  )
}

interface ResendButtonProps extends Pick<ButtonProps, 'look' | 'label' | 'why'>, Pick<ReplayButtonProps, 'onDone'> {
  readonly endpointId: string
  readonly delivery: WebhookDelivery
}

/** Makes another attempt of one delivery. */
export function ResendButton({ endpointId, delivery: { id, type, nextAttemptAt }, ...others }: ResendButtonProps) {
  return (
    <WriteButton
      {...others}
      title={`Resend ${actionText(type)}`}
      method={methods.resendWebhookDelivery}
      input={{ webhookEndpointId: endpointId, id }}
      changes={() => [{ label: 'Next attempt', from: <When at={nextAttemptAt} exact />, to: 'Now, under the same ID' }]}
      confirm="Resend"
    />
  )
}

interface CountProps {
  readonly id: string
  readonly isCounted: (delivery: WebhookDelivery) => boolean
  /** All of them are known once one before this position is. */
  readonly until?: bigint
}

/** How many deliveries of an endpoint there are of a kind, as far as one page of them says. */
function Count({ id, isCounted, until = 0n }: CountProps): ReactNode {
  const { isSuccess, hasNextPage, rows } = usePages(methods.listWebhookDeliveries, { webhookEndpointId: id })
  if (!isSuccess) return '…'
  const areAll = !hasNextPage || rows.some(({ position }) => position < until)
  return `${areAll ? '' : 'At least '}${countText(rows.filter(isCounted).length, 'event')}`
}
