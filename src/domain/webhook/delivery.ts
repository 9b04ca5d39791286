import { Semaphore } from '../../db/semaphore.js'
import type { WebhookAllowance } from '../../egress/webhook-destination.js'
import type { SendResult, SendWebhook } from '../../egress/webhook-sender.js'
import type { EndpointKey, EndpointTarget } from '../../store/webhook-endpoint.js'
import type { SecretStore } from './secret-store.js'
import { signaturesOf } from './signature.js'

/** The parts of an event that its envelope repeats. */
interface RecordedEvent {
  readonly id: string
  readonly type: string
  readonly occurredAt: string
  readonly organizationId: string
  readonly subject: { readonly type: string; readonly id: string }
}

/** Requests in flight at a time, in one process. */
export const MAX_IN_FLIGHT = 100

/** What a service needs for webhooks. */
export interface WebhookTools {
  readonly allowance: WebhookAllowance
  readonly secrets: SecretStore
  readonly send: SendWebhook
  /** The places of requests: whoever sends acquires one for its organization. */
  readonly sends: Semaphore
}

/** Makes the places of requests. What is due waits for one as long as it takes. */
export function createSends(): Semaphore {
  return new Semaphore(MAX_IN_FLIGHT, { maxWaiting: Number.POSITIVE_INFINITY, maxWaitMillis: Number.POSITIVE_INFINITY })
}

/**
 * Signs an event and sends it to an endpoint: its JSON, as the feed has it. Rejects if the signal aborts, or no key can
 * be opened.
 */
export async function deliver(
  { secrets, send }: Pick<WebhookTools, 'secrets' | 'send'>,
  endpoint: EndpointKey & EndpointTarget,
  event: string,
  now: Date,
  signal: AbortSignal,
): Promise<SendResult> {
  const recorded: RecordedEvent = JSON.parse(event)
  const { id } = recorded
  const body = cloudEventOf(recorded, event)
  const timestamp = Math.floor(now.getTime() / 1_000)
  const headers = {
    'content-type': 'application/cloudevents+json; charset=utf-8',
    'user-agent': 'svc-webhooks',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signaturesOf(secrets.open(endpoint), id, timestamp, body),
  }
  return send({ organizationId: endpoint.organizationId, url: endpoint.url, headers, body }, signal)
}

/** Whether a receiver has accepted an event. */
export function isDelivered({ responseStatus }: Pick<SendResult, 'responseStatus'>): boolean {
  return responseStatus !== null && responseStatus >= 200 && responseStatus <= 299
}

/** An event as a CloudEvent 1.0, whose data is its JSON. */
function cloudEventOf({ id, type, occurredAt, organizationId, subject }: RecordedEvent, json: string): string {
  const envelope = {
    specversion: '1.0',
    id,
    source: `/organizations/${organizationId}`,
    type,
    subject: `${subject.type}/${subject.id}`,
    time: occurredAt,
    datacontenttype: 'application/json',
  }
  return `${JSON.stringify(envelope).slice(0, -1)},"data":${json}}`
}

/** How long after each failed attempt the next one follows, in seconds; after the tenth there is none. */
const PAUSES = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
/** Pauses differ by up to a fifth either way, so that receivers that were down do not get everything at once. */
const SPREAD = 0.2
/** The longest `Retry-After` that is kept. */
const MAX_PAUSE_MILLIS = 86_400_000

/**
 * When the attempt after a failed one is due, by its number from 1 and the receiver's `Retry-After` (RFC 9110, section
 * 10.2.3); undefined if it was the last. `random` is from 0 to below 1.
 */
export function nextAttemptAt(
  attempts: number,
  retryAfter: string | undefined,
  now: Date,
  random: number,
): Date | undefined {
  const pause = PAUSES[attempts - 1]
  if (pause === undefined) return undefined
  const planned = pause * 1_000 * (1 - SPREAD + 2 * SPREAD * random)
  const asked = Math.min(millisFrom(retryAfter, now), MAX_PAUSE_MILLIS)
  return new Date(now.getTime() + Math.max(planned, asked))
}

function millisFrom(retryAfter = '', now: Date): number {
  if (/^[0-9]{1,9}$/.test(retryAfter)) return Number(retryAfter) * 1_000
  const date = Date.parse(retryAfter)
  return Number.isNaN(date) ? 0 : date - now.getTime()
}
