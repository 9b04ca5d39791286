import type { SendResult } from '../../egress/webhook-sender.js'
import { notFound, ServiceError } from '../../errors.js'
import { consecutiveIds } from '../../runtime/runtime.js'
import { findPlacedEvent, readFeed, readFeedStates } from '../../store/event.js'
import { recordSent, type SentEvent } from '../../store/webhook-delivery.js'
import { findEndpointTarget, webhookEndpointStore } from '../../store/webhook-endpoint.js'
import { type CallContext, visibilityOf } from '../caller/caller.js'
import type { FeedSignals } from '../event/feed-signals.js'
import { deliver, isDelivered, type WebhookTools } from './delivery.js'
import { changeSent } from './endpoint.js'

/** How long a test waits until its organization has a place among the requests in flight. */
const PLACE_MILLIS = 5_000
/** How often it is asked whether the event of a test is in the feed, if nobody says so. */
const LOOK_MILLIS = 1_000

interface TestTools {
  readonly webhooks: WebhookTools
  readonly signals: FeedSignals
  readonly signal: AbortSignal
}

/**
 * Sends a test event to an endpoint, at once and in a single attempt, whatever its types; the delivery is listed with
 * the others. Throws what `changeSent` throws, and what the semaphore of requests throws if it is full.
 */
export async function testEndpoint(
  context: CallContext,
  { webhooks, signals, signal }: TestTools,
  endpointId: string,
): Promise<SendResult> {
  const { tables, caller, runtime } = context
  const { organizationId } = caller
  // The event gets an id that is known here, since it is what is sent.
  const [eventId = ''] = consecutiveIds(runtime, 1)
  const named = { ...context, runtime: { ...runtime, newId: () => eventId } }
  await changeSent(named, endpointId, () => ({}), 'webhook_endpoint.test')
  const { position, event } = await placedEvent(context, signals, eventId, signal)
  const endpoint = { organizationId, id: endpointId }
  const send = async () => {
    const sentAt = runtime.now()
    const target = await findEndpointTarget(tables, endpoint, sentAt)
    if (target === undefined) throw notFound('webhook endpoint', endpointId)
    return { sentAt, ...(await deliver(webhooks, { ...endpoint, ...target, ...event }, sentAt, signal)) }
  }
  const deadline = performance.now() + PLACE_MILLIS
  const { sentAt, ...result } = await webhooks.sends.use(send, { of: organizationId, deadline })
  await tables.transaction(async (transaction) => {
    const isThere = await webhookEndpointStore.lock(transaction, { id: endpointId, ...visibilityOf(caller) })
    if (isThere === undefined) return
    const { responseStatus, responseBody: responseText, error } = result
    const status = isDelivered(result) ? 'SUCCEEDED' : 'FAILED'
    const target = { targetType: 'webhook_endpoint', targetId: endpointId }
    const sent = { organizationId, endpointId, eventId, position, ...target, createdAt: sentAt }
    await recordSent(transaction, { ...sent, status, responseStatus, responseText, error })
  })
  return result
}

/** An event as the feed has it, and its position there, once it has one. */
async function placedEvent(
  { tables, caller: { organizationId } }: CallContext,
  signals: FeedSignals,
  eventId: string,
  signal: AbortSignal,
): Promise<{ readonly position: bigint; readonly event: SentEvent }> {
  for (;;) {
    const [feed] = await readFeedStates(tables, { organizationIds: [organizationId] })
    const placed = await findPlacedEvent(tables, organizationId, eventId)
    if (placed !== undefined) {
      const { position, teamId: _, ...recorded } = placed
      const place = { after: String(position - 1n), afterEventId: '', pageSize: 1, lookedAt: 1 }
      const all = { organizationId, teamIds: null, types: [], teamId: '', targetId: '' }
      const event = (await readFeed(tables, { ...all, ...place }))?.items ?? ''
      return { position, event: { ...recorded, eventId, event } }
    }
    await signals.beyond(organizationId, feed?.position ?? '0', LOOK_MILLIS, signal)
    if (signals.isStopped) throw new ServiceError('SERVICE_UNAVAILABLE', 'the service is stopping: try again')
  }
}
