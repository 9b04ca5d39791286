import { type ReactNode, useState } from 'react'
import {
  type TestWebhookEndpointResponse,
  type WebhookDelivery,
  WebhookDeliveryStatus,
  WebhookDeliveryStatusSchema,
  WebhookEndpointService,
  WebhookEndpointStatus,
} from '../../../../gen/svc/v2/webhook_endpoint_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { memberOf, nameOf, teamOf } from '../../api/message.js'
import { usePages } from '../../api/pages.js'
import type { Method } from '../../api/standard-methods.js'
import { actionText, countText, enumOptions, numberText } from '../../api/words.js'
import { useFilters } from '../../ui/address.js'
import { Button, type ButtonProps } from '../../ui/button.js'
import { Dialog, DialogFoot } from '../../ui/dialog.js'
import { TextField } from '../../ui/field.js'
import { Filters } from '../../ui/filters.js'
import { Facts, Panel } from '../../ui/screen.js'
import { SecretDialog } from '../../ui/secret-dialog.js'
import { StateBadge } from '../../ui/state-badge.js'
import { When } from '../../ui/when.js'
import { WriteButton } from '../../ui/write-button.js'
import { TargetLink } from '../audit/audit-timeline.js'
import type { PartProps } from './declaration.js'
import { MemberPanel } from './member-panel.js'

const { method: methods } = WebhookEndpointService

/** What can be done with an endpoint, apart from its deliveries. */
export function WebhookActions({ id, item, subject }: PartProps) {
  const [tested, setTested] = useState<TestWebhookEndpointResponse>()
  const [secret, setSecret] = useState<string>()
  const why = useWhyNot(methods.updateWebhookEndpoint, { teamId: teamOf(item) })
  const close = () => setTested(undefined)
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
        said={({ delivered }) => `The receiver ${delivered ? 'accepted' : 'did not accept'} the test.`}
        onDone={setTested}
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
      {tested && (
        <Dialog title={`The receiver ${tested.delivered ? 'accepted' : 'did not accept'} it`} onClose={close}>
          <ResponseText {...tested} />
          <DialogFoot>
            <Button look="main" onClick={close}>
              Close
            </Button>
          </DialogFoot>
        </Dialog>
      )}
      {secret !== undefined && <SecretDialog secret={secret} of="webhook" onClose={() => setSecret(undefined)} />}
    </>
  )
}

/** What a receiver answered. */
function ResponseText(response: Pick<WebhookDelivery, 'responseStatus' | 'responseBody' | 'error'>) {
  const { responseStatus: status, responseBody, error } = response
  return (
    <>
      <p role="status">{status ? `The receiver answered ${status}.` : error || 'There was no answer yet.'}</p>
      {responseBody !== '' && <pre>{responseBody}</pre>}
    </>
  )
}

interface DeliveriesProps extends PartProps {
  /** Why the caller may send nothing. */
  readonly why: string | undefined
}

/** Sends what has failed, or waits for another attempt, at once. */
function RecoverButton({ id, subject, why }: DeliveriesProps) {
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
function ReplayButton({ id, subject, why, text, from, onDone = () => {} }: ReplayButtonProps) {
  const [position, setPosition] = useState(String(from))
  // The limits of the schema: it is required, and has 64 bits.
  const fault = /^[1-9]\d{0,17}$/.test(position) ? undefined : 'A whole number from 1 on.'
  const first = BigInt(fault ? 0 : position)
  const isSentAgain = (each: WebhookDelivery) => each.position >= first && each.type !== 'webhook_endpoint.test'
  return (
    <WriteButton
      text={text}
      title="Send events again"
      method={methods.replayWebhookEndpoint}
      input={{ id, position: first }}
      subject={subject}
      changes={() =>
        fault ? [] : [{ label: 'Sent again', to: <Count id={id} isCounted={isSentAgain} until={first} /> }]
      }
      confirm="Send again"
      said={({ replayed }) => `${numberText(replayed)} sent again.`}
      why={why}
      onClose={() => setPosition(String(from))}
      onDone={onDone}
    >
      <TextField
        label="From the position"
        type="number"
        value={position}
        fault={fault}
        onChange={setPosition}
        hint="1 is the first event of the organization; the details of each delivery have its position."
      />
    </WriteButton>
  )
}

interface ResendButtonProps extends Pick<ButtonProps, 'look' | 'label' | 'why'>, Pick<ReplayButtonProps, 'onDone'> {
  readonly endpointId: string
  readonly delivery: WebhookDelivery
}

/** Makes another attempt of one delivery. */
function ResendButton({ endpointId, delivery: { id, type, nextAttemptAt }, ...others }: ResendButtonProps) {
  return (
    <WriteButton
      {...others}
      title={`Resend ${actionText(type)}`}
      method={methods.resendWebhookDelivery}
      input={{ webhookEndpointId: endpointId, id }}
      changes={() => [{ label: 'Next attempt', from: <When at={nextAttemptAt} exact />, to: 'Now, under the same ID' }]}
      confirm="Resend"
      said={() => 'Sent again.'}
    />
  )
}

interface CountProps {
  readonly id: string
  readonly isCounted: (delivery: WebhookDelivery) => boolean
  /** Events from this position on, all of which are known once one before it is. Default: all deliveries. */
  readonly until?: bigint
}

/** How many deliveries of an endpoint there are of a kind, as far as one page of them says. */
function Count({ id, isCounted, until }: CountProps): ReactNode {
  const { isSuccess, hasNextPage, rows } = usePages(methods.listWebhookDeliveries, { webhookEndpointId: id })
  if (!isSuccess) return '…'
  const areAll = until === undefined ? !hasNextPage : rows.some(({ position }) => position < until)
  return `${areAll ? '' : 'At least '}${countText(rows.filter(isCounted).length, 'event')}`
}

/** How many are read at once, and how often it is looked at what has become of them. */
const [PAGE_SIZE, LOOK_MILLIS] = [100, 4_000]

/** What an endpoint was sent, accepted or not, and what can be done about what it has not accepted. */
export function WebhookDeliveries(props: PartProps) {
  const [{ delivery: status = '' }] = useFilters()
  const [shown, setShown] = useState<WebhookDelivery>()
  const state = { name: 'delivery', label: 'State', options: enumOptions(WebhookDeliveryStatusSchema, 'All') }
  const request = { webhookEndpointId: props.id, status: Number(status), pageSize: PAGE_SIZE }
  const pages = usePages(methods.listWebhookDeliveries, request, { refetchInterval: LOOK_MILLIS })
  const why = useWhyNot(methods.updateWebhookEndpoint, { teamId: teamOf(props.item) })
  return (
    <MemberPanel
      title="Deliveries"
      pages={pages}
      add={
        <>
          <Filters filters={[state]} />
          <RecoverButton {...props} why={why} />
          <ReplayButton {...props} text="Send earlier events again" from={1n} why={why} />
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
        { label: 'Answer', isMinor: true, cell: ({ responseStatus, error }) => responseStatus ?? (error || '–') },
        {
          label: 'Last attempt',
          size: 'moment',
          isMinor: true,
          cell: (each) => <When at={each.lastAttemptAt} exact />,
        },
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
          {...props}
          delivery={pages.rows.find(({ id }) => id === shown.id) ?? shown}
          why={why}
          onClose={() => setShown(undefined)}
        />
      )}
    </MemberPanel>
  )
}

interface DeliveryDialogProps extends DeliveriesProps {
  readonly delivery: WebhookDelivery
  readonly onClose: () => void
}

/** One delivery: what was sent, what the receiver answered, the attempts, and what can be done about it. */
function DeliveryDialog({ delivery, onClose, ...props }: DeliveryDialogProps) {
  const { id, type, subject, status, attempts, lastAttemptAt, nextAttemptAt } = delivery
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
        <pre>{`POST ${nameOf(props.item)}\nwebhook-id: ${id}\n\n${JSON.stringify(body).replace(/}$/, ', …}')}`}</pre>
      </Panel>
      <Panel title="Response">
        <ResponseText {...delivery} />
      </Panel>
      <DialogFoot apart={<Button onClick={onClose}>Close</Button>}>
        <ReplayButton {...props} text="Send everything again from here" from={delivery.position} onDone={onClose} />
        <ResendButton endpointId={props.id} delivery={delivery} look="main" why={props.why} onDone={onClose} />
      </DialogFoot>
    </Dialog>
  )
}
