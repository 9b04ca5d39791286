import type { SendResult, SendWebhook } from '../../egress/webhook-sender.js'
import type { Runtime } from '../../runtime/runtime.js'
import type { EndpointKey, EndpointTarget } from '../../store/webhook-endpoint.js'
import type { SecretStore } from './secret-store.js'
import { signaturesOf } from './signature.js'

/** The parts of an event that its envelope repeats. */
interface ToldEvent {
  readonly id: string
  readonly type: string
  readonly occurredAt: string
  readonly organizationId: string
  readonly subject: { readonly type: string; readonly id: string }
}

/** Sends an event to an endpoint: its JSON, as the feed has it. Rejects if the signal aborts, or no key can be opened. */
export type Deliver = (
  endpoint: EndpointKey,
  target: EndpointTarget,
  event: string,
  signal: AbortSignal,
) => Promise<SendResult>

/** Makes what signs and sends events. */
export function createDeliver({
  secrets,
  send,
  runtime,
}: {
  readonly secrets: SecretStore
  readonly send: SendWebhook
  readonly runtime: Pick<Runtime, 'now'>
}): Deliver {
  return (endpoint, target, event, signal) => {
    const body = cloudEventOf(event)
    const { id }: ToldEvent = JSON.parse(event)
    const timestamp = Math.floor(runtime.now().getTime() / 1_000)
    const headers = {
      'content-type': 'application/cloudevents+json; charset=utf-8',
      'user-agent': 'svc-webhooks',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signaturesOf(secrets.open(endpoint, target), { id, timestamp, body }),
    }
    return send({ url: target.url, headers, body }, signal)
  }
}

/** Whether a receiver has accepted an event. */
export function isDelivered({ responseStatus }: Pick<SendResult, 'responseStatus'>): boolean {
  return responseStatus !== null && responseStatus >= 200 && responseStatus <= 299
}

/** An event as a CloudEvent 1.0, whose data it is. */
function cloudEventOf(event: string): string {
  const { id, type, occurredAt, organizationId, subject }: ToldEvent = JSON.parse(event)
  const envelope = {
    specversion: '1.0',
    id,
    source: `/organizations/${organizationId}`,
    type,
    subject: `${subject.type}/${subject.id}`,
    time: occurredAt,
    datacontenttype: 'application/json',
  }
  return `${JSON.stringify(envelope).slice(0, -1)},"data":${event}}`
}
