import type { WebhookDeliveryModel } from '../../gen/prisma/models.js'
import type { Tables } from '../db/tables.js'
import type { ClaimedDelivery } from './webhook-delivery.js'
import type { EndpointKey } from './webhook-endpoint.js'

/** Which attempt ended. */
export interface Attempt extends Pick<ClaimedDelivery, 'eventId' | 'attempts'> {
  readonly organizationId: string
  readonly endpointId: string
}

/** What an attempt got, and what becomes of its delivery. */
export type AttemptEnd = Partial<
  Pick<WebhookDeliveryModel, 'status' | 'dueAt' | 'attempts' | 'responseStatus' | 'responseText' | 'error'>
>

/** Records how an attempt ended, unless another one has begun meanwhile. */
export async function endAttempt(
  { models }: Tables,
  { attempts, ...delivery }: Attempt,
  end: AttemptEnd,
): Promise<void> {
  await models.webhookDelivery.updateMany({ where: { ...delivery, attempts, status: 'PENDING' }, data: end })
}

/** Deletes deliveries that succeeded at their first attempt, unless they were to be made again meanwhile. */
export async function forgetDeliveries(
  { models }: Tables,
  { organizationId, id: endpointId }: EndpointKey,
  eventIds: readonly string[],
): Promise<void> {
  if (eventIds.length === 0) return
  const where = { organizationId, endpointId, eventId: { in: [...eventIds] }, attempts: 1, status: 'PENDING' as const }
  await models.webhookDelivery.deleteMany({ where })
}
