import type { WebhookDeliveryStatus } from '../../../gen/prisma/enums.js'
import { notFound } from '../../errors.js'
import { readDeliveries, recoverDeliveries, resendDelivery } from '../../store/webhook-delivery.js'
import type { CallContext } from '../caller/caller.js'
import { type Page, type PageRequest, pageOf } from '../paging.js'
import { getObject } from '../standard-methods.js'
import { changeSent, type EndpointChanges, webhookEndpoints } from './endpoint.js'

/** Which deliveries to list; 0 and empty texts mean absent. */
export interface DeliveryListRequest extends PageRequest {
  readonly webhookEndpointId: string
  readonly status: WebhookDeliveryStatus | ''
}

/**
 * A page of the deliveries of an endpoint, newest event first. Throws what `getObject` throws, and
 * `PAGE_TOKEN_INVALID`.
 */
export async function listDeliveries(
  context: CallContext,
  { webhookEndpointId: endpointId, status, ...request }: DeliveryListRequest,
): Promise<Page> {
  const { reads, caller } = context
  const { organizationId } = caller
  await getObject(context, webhookEndpoints, endpointId)
  return pageOf(context, request, {
    method: 'ListWebhookDeliveries',
    filter: { endpointId, status },
    read: (range) => readDeliveries(reads, { organizationId, endpointId, status, ...range }),
  })
}

/**
 * Makes the delivery of an event to an endpoint due, and returns its JSON. Throws what `changeSent` throws, and
 * `RESOURCE_NOT_FOUND` if the feed does not have the event for the endpoint.
 */
export function resend(context: CallContext, endpointId: string, eventId: string): Promise<string> {
  const { organizationId } = context.caller
  return context.tables.transaction(async (tables) => {
    let position: string | undefined
    const makeDue: EndpointChanges = async ({ teamId }, now, transaction) => {
      const key = { organizationId, endpointId, eventId }
      position = isUuid(eventId) ? await resendDelivery(transaction, key, teamId ?? '', now) : undefined
      if (position === undefined) throw notFound('event', eventId)
      return {}
    }
    await changeSent({ ...context, tables }, endpointId, makeDue, 'webhook_endpoint.resend')
    const after = String(BigInt(position ?? 0) + 1n)
    const page = await readDeliveries(tables, { organizationId, endpointId, status: '', after, pageSize: 1 })
    return page?.items ?? ''
  })
}

const isUuid = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

/**
 * Makes the failed and waiting deliveries of an endpoint due at once, and returns their number. Throws what
 * `changeSent` throws.
 */
export async function recover(context: CallContext, endpointId: string, since: string): Promise<number> {
  const endpoint = { organizationId: context.caller.organizationId, id: endpointId }
  let recovered = 0
  await changeSent(
    context,
    endpointId,
    async (_before, now, transaction) => {
      const parameters = { ...endpoint, since: since || null, now: now.toISOString() }
      recovered = (await recoverDeliveries(transaction, parameters))?.recovered ?? 0
      return {}
    },
    'webhook_endpoint.recover',
  )
  return recovered
}
