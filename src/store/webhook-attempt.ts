import { Prisma } from '../../gen/prisma/client.js'
import type { WebhookDeliveryModel } from '../../gen/prisma/models.js'
import { createStatement } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { ofOrganization } from './visibility.js'
import type { ClaimedDelivery } from './webhook-delivery.js'
import type { EndpointKey } from './webhook-endpoint.js'

export interface Attempt extends Pick<ClaimedDelivery, 'eventId' | 'attempts'> {
  readonly organizationId: string
  readonly endpointId: string
}

/** Records how an attempt ended, unless another one has begun meanwhile. */
export async function endAttempt(
  { models }: Tables,
  { attempts, ...delivery }: Attempt,
  end: Partial<WebhookDeliveryModel>,
): Promise<void> {
  await models.webhookDelivery.updateMany({ where: { ...delivery, attempts, status: 'PENDING' }, data: end })
}

/** What a receiver said when it accepted an attempt. */
export interface AcceptedAttempt extends Pick<Attempt, 'eventId' | 'attempts'> {
  readonly responseStatus: number | null
  readonly responseText: string
}

const accept = createStatement<EndpointKey & { readonly accepted: string }, Record<never, never>>({
  name: 'accept_webhook_deliveries',
  columns: {},
  text: ({ id, accepted }) => Prisma.sql`
UPDATE webhook_deliveries AS d
   SET status = 'SUCCEEDED', response_status = r."responseStatus", response_text = r."responseText", error = ''
  FROM json_to_recordset(${accepted}) AS r ("eventId" uuid, attempts int, "responseStatus" int, "responseText" text)
 WHERE ${ofOrganization('d')} AND d.endpoint_id = ${id} AND d.event_id = r."eventId" AND d.attempts = r.attempts
   AND d.status = 'PENDING'`,
})

/** Records accepted attempts of an endpoint, unless others of the same deliveries have begun meanwhile. */
export async function acceptAttempts(
  tables: Tables,
  endpoint: EndpointKey,
  accepted: readonly AcceptedAttempt[],
): Promise<void> {
  if (accepted.length > 0) await tables.run(accept, { ...endpoint, accepted: JSON.stringify(accepted) })
}
