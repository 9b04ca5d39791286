import type { Tables } from '../../db/tables.js'
import type { SendResult } from '../../egress/webhook-sender.js'
import type { Runtime } from '../../runtime/runtime.js'
import { disableEndpoint, type EndpointKey, type EndpointTarget } from '../../store/webhook-endpoint.js'
import { recordAuditEvents, systemActor } from '../audit/audit-event.js'

/** An endpoint is disabled after nothing but failures for so long. */
const FAILING_MILLIS = 5 * 86_400_000

/**
 * Disables an endpoint after a failed attempt if it answered 410, or has failed for five days, and returns why;
 * undefined if it stays as it is.
 */
export function disableFailing(
  database: Tables,
  { organizationId, id, failingSince, teamId }: EndpointKey & EndpointTarget,
  { responseStatus }: Pick<SendResult, 'responseStatus'>,
  runtime: Runtime,
): Promise<'GONE' | 'FAILURES' | undefined> {
  const hasFailedLong = failingSince !== null && runtime.now().getTime() - failingSince.getTime() >= FAILING_MILLIS
  const reason = responseStatus === 410 ? 'GONE' : hasFailedLong ? 'FAILURES' : undefined
  if (reason === undefined) return Promise.resolve(undefined)
  return database.transaction(async (transaction) => {
    if (!(await disableEndpoint(transaction, { organizationId, id }, reason))) return undefined
    const target = { targetType: 'webhook_endpoint', targetId: id, teamId, changedFields: ['status', 'disabledReason'] }
    const event = { organizationId, actor: systemActor, action: 'webhook_endpoint.disable', ...target } as const
    await recordAuditEvents(transaction, [event], runtime)
    return reason
  })
}
