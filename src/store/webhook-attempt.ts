import type { Tables } from '../db/tables.js'
import type { ClaimedDelivery } from './webhook-delivery.js'

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

/** Records that an event was delivered. A delivery that needed one attempt is forgotten. */
export async function recordSuccess({ models }: Tables, attempt: Attempt, result: AttemptResult): Promise<void> {
  const where = isAttempt(attempt)
  if (attempt.attempts === 1) await models.webhookDelivery.deleteMany({ where })
  else await models.webhookDelivery.updateMany({ where, data: { ...result, status: 'SUCCEEDED' } })
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
