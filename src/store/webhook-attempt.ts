import type { Tables } from '../db/tables.js'
import type { ClaimedDelivery } from './webhook-delivery.js'
import type { EndpointKey } from './webhook-endpoint.js'

/** Which attempt ended. */
export interface Attempt extends Pick<ClaimedDelivery, 'eventId' | 'attempts'> {
  readonly organizationId: string
  readonly endpointId: string
}

/** What an attempt got. */
export interface AttemptResult {
  readonly responseStatus: number | null
  readonly responseText: string
  readonly error: string
}

const isAttempt = ({ attempts, ...key }: Attempt) => ({ ...key, attempts, status: 'PENDING' as const })

/** Records that an event was delivered by another attempt than the first. */
export async function recordSuccess({ models }: Tables, attempt: Attempt, result: AttemptResult): Promise<void> {
  await models.webhookDelivery.updateMany({ where: isAttempt(attempt), data: { ...result, status: 'SUCCEEDED' } })
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

/** Records that an attempt failed, and when the next one is due; undefined if it was the last. */
export async function recordFailure(
  { models }: Tables,
  attempt: Attempt,
  result: AttemptResult,
  dueAt: Date | undefined,
): Promise<void> {
  const next = dueAt === undefined ? ({ status: 'FAILED' } as const) : { dueAt }
  await models.webhookDelivery.updateMany({ where: isAttempt(attempt), data: { ...result, ...next } })
}

/** Gives an attempt back that did not take place. */
export async function releaseAttempt({ models }: Tables, attempt: Attempt, now: Date): Promise<void> {
  const data = { dueAt: now, attempts: { decrement: 1 } }
  await models.webhookDelivery.updateMany({ where: isAttempt(attempt), data })
}
