import type { WebhookAllowance } from '../../egress/webhook-destination.js'
import type { SendResult, SendWebhook } from '../../egress/webhook-sender.js'
import type { Semaphore } from '../../runtime/semaphore.js'
import type { SentEvent } from '../../store/webhook-delivery.js'
import type { EndpointKey, EndpointTarget } from '../../store/webhook-endpoint.js'
import type { SecretStore } from './secret-store.js'
import { signaturesOf } from './signature.js'

/** Requests in flight at a time, in one process. */
export const MAX_IN_FLIGHT = 100

export interface WebhookTools {
  readonly allowance: WebhookAllowance
  readonly secrets: SecretStore
  readonly send: SendWebhook
  /** The places of requests: whoever sends acquires one for its organization. */
  readonly sends: Semaphore
}

/** Signs an event and sends it to an endpoint. Rejects if the signal aborts, or no key can be opened. */
export async function deliver(
  { secrets, send }: Pick<WebhookTools, 'secrets' | 'send'>,
  { organizationId, ...delivery }: EndpointKey & EndpointTarget & SentEvent,
  now: Date,
  signal: AbortSignal,
): Promise<SendResult> {
  const { eventId, url } = delivery
  const body = cloudEventOf(organizationId, delivery)
  const timestamp = Math.floor(now.getTime() / 1_000)
  const headers = {
    'content-type': 'application/cloudevents+json; charset=utf-8',
    'user-agent': 'svc-webhooks',
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signaturesOf(secrets.open({ organizationId, ...delivery }), eventId, timestamp, body),
  }
  return send({ organizationId, url, headers, body }, signal)
}

export function isDelivered({ responseStatus }: Pick<SendResult, 'responseStatus'>): boolean {
  return responseStatus !== null && responseStatus >= 200 && responseStatus <= 299
}

function cloudEventOf(organizationId: string, { eventId, event, action, ...recorded }: SentEvent): string {
  const { occurredAt, targetType, targetId } = recorded
  const envelope = {
    specversion: '1.0',
    id: eventId,
    source: `/organizations/${organizationId}`,
    type: action,
    subject: `${targetType}/${targetId}`,
    time: occurredAt.toISOString(),
    datacontenttype: 'application/json',
  }
  return `${JSON.stringify(envelope).slice(0, -1)},"data":${event}}`
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
  // JavaScript reads much else as a date, such as 2027-01-01. A date of C names no zone (RFC 9110, section 5.6.7).
  const ofC = /^[A-Z][a-z]{2} [A-Z][a-z]{2} .* [0-9]{4}$/.test(retryAfter)
  const date =
    ofC || /^[A-Z][a-z]+, .* GMT$/.test(retryAfter) ? Date.parse(ofC ? `${retryAfter} GMT` : retryAfter) : Number.NaN
  return Number.isNaN(date) ? 0 : date - now.getTime()
}
