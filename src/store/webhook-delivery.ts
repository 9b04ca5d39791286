import { Prisma } from '../../gen/prisma/client.js'
import type { WebhookDeliveryStatus } from '../../gen/prisma/enums.js'
import type { AuditEventModel, WebhookDeliveryModel } from '../../gen/prisma/models.js'
import { schema } from '../../gen/prisma/schema.js'
import { EventSubjectSchema } from '../../gen/svc/v2/event_pb.js'
import { WebhookDeliverySchema } from '../../gen/svc/v2/webhook_endpoint_pb.js'
import { createLookUp, createQuery, type Tables } from '../db/tables.js'
import { eventText, findPlacedEvent } from './event.js'
import { createPages } from './pages.js'
import { rowText } from './resource/print.js'
import { declareResource, propertiesIn } from './resource/resource.js'
import { timestampText } from './resource/text.js'
import { ofOrganization } from './visibility.js'
import type { EndpointKey, EndpointTarget } from './webhook-endpoint.js'

const deliveryResource = declareResource(WebhookDeliverySchema, schema.WebhookDelivery, 'd', {
  id: 'event_id',
  responseBody: 'response_text',
  type: {
    kind: 'computed',
    sql: Prisma.sql`(SELECT a.action FROM audit_events a WHERE ${ofOrganization('a')} AND a.id = d.event_id)`,
  },
  nextAttemptAt: {
    kind: 'computed',
    sql: Prisma.sql`CASE WHEN d.status = 'PENDING' THEN ${timestampText(Prisma.sql`d.due_at`)} END`,
  },
  subject: {
    kind: 'columns',
    resource: declareResource(EventSubjectSchema, schema.WebhookDelivery, 'd', {
      type: 'target_type',
      id: 'target_id',
    }),
  },
})

/** An event to send: its row, and its JSON as the feed has it. */
export interface SentEvent extends Pick<AuditEventModel, 'action' | 'occurredAt' | 'targetType' | 'targetId'> {
  readonly eventId: string
  readonly event: string
}

/** A delivery whose attempt may begin, and where its endpoint is. */
export interface ClaimedDelivery extends EndpointTarget, SentEvent {
  /** The number of this attempt, from 1. */
  readonly attempts: number
}

/** An endpoint, and for how many requests to it there is room. */
export interface EndpointRoom extends EndpointKey {
  readonly room: number
}

/** An attempt without a result for so long is made again: its process has died. */
const lease = Prisma.sql`interval '20 seconds'`

/** Whether a pending delivery `d` waits for its next attempt, later than a time, and none is under way. */
export const waitsBeyond = (time: Prisma.Sql) =>
  Prisma.sql`d.due_at > ${time} AND d.due_at - d.last_attempt_at IS DISTINCT FROM ${lease}`

const ofEvent = propertiesIn(schema.AuditEvent, ['action', 'occurredAt', 'targetType', 'targetId'], 'e')
const ofEndpoint = propertiesIn(schema.WebhookEndpoint, ['url', 'mode', 'failingSince', 'teamId'], 'w')

/**
 * Begins at most `room` due attempts of an enabled endpoint. In the mode BY_TARGET, a delivery waits for those of
 * earlier events of its target. Only `due_at` says what is due, so an attempt whose process died becomes due by itself.
 */
export const claimDeliveries = createQuery<EndpointRoom, ClaimedDelivery>({
  name: 'claim_webhook_deliveries',
  columns: { eventId: 'text', attempts: 'int4', event: 'text', ...ofEvent.types, ...ofEndpoint.types, secrets: 'json' },
  planned: 'anew',
  text: ({ id, room }) => Prisma.sql`
WITH endpoint AS MATERIALIZED (
  SELECT w.*
    FROM webhook_endpoints w
   WHERE ${ofOrganization('w')} AND w.id = ${id} AND w.status = 'ENABLED'
), due AS MATERIALIZED (
  SELECT d.event_id
    FROM webhook_deliveries d
   CROSS JOIN endpoint w
   WHERE ${ofOrganization('d')} AND d.endpoint_id = ${id} AND d.status = 'PENDING' AND d.due_at <= now()
     AND (w.mode = 'UNORDERED' OR d.event_id IN (
            SELECT DISTINCT ON (f.target_type, f.target_id) f.event_id
              FROM webhook_deliveries f
             WHERE ${ofOrganization('f')} AND f.endpoint_id = ${id} AND f.status = 'PENDING'
             ORDER BY f.target_type, f.target_id, f.position))
   ORDER BY d.due_at, d.position
   LIMIT ${room}
     FOR UPDATE OF d SKIP LOCKED
), claimed AS (
  UPDATE webhook_deliveries d
     SET attempts = d.attempts + 1, last_attempt_at = now(), due_at = now() + ${lease}
   WHERE ${ofOrganization('d')} AND d.endpoint_id = ${id} AND d.event_id = ANY (ARRAY(SELECT event_id FROM due))
  RETURNING d.event_id, d.position, d.attempts
)
SELECT e.id::text AS "eventId", e.attempts, ${eventText} AS event,
       ${ofEvent.sql}, ${ofEndpoint.sql},
       (SELECT json_agg(json_build_object('id', s.id, 'sealed', s.sealed) ORDER BY s.created_at DESC)
          FROM webhook_secrets s
         WHERE ${ofOrganization('s')} AND s.endpoint_id = ${id} AND (s.expires_at IS NULL OR s.expires_at > now())
       ) AS secrets
  FROM (SELECT a.*, c.position, c.attempts
          FROM claimed c
          JOIN audit_events a ON ${ofOrganization('a')} AND a.id = c.event_id) e
 CROSS JOIN endpoint w
 ORDER BY e.position`,
})

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

/** A receiver's response to an attempt that it accepted. */
export interface AcceptedAttempt extends Pick<Attempt, 'eventId' | 'attempts'> {
  readonly responseStatus: number | null
  readonly responseText: string
}

const accept = createQuery<EndpointKey & { readonly accepted: string }>({
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
  if (accepted.length > 0) await accept(tables, { ...endpoint, accepted: JSON.stringify(accepted) })
}

type ListedDeliveries = Pick<WebhookDeliveryModel, 'organizationId' | 'endpointId'> & {
  readonly status: WebhookDeliveryStatus | ''
}

/** A page of the deliveries of an endpoint, the newest event first; an empty status is any. */
export const readDeliveries = createPages<ListedDeliveries>('list_webhook_deliveries', {
  table: schema.WebhookDelivery,
  alias: 'd',
  filters: ['endpoint_id', 'status'],
  text: rowText(deliveryResource),
  order: ['position'],
  isDescending: true,
})

/**
 * Makes an event due for an endpoint that is locked, delivered or not, and returns its position; undefined if the feed
 * does not have it, or not as one of the team, if one is given.
 */
export async function resendDelivery(
  tables: Tables,
  key: Pick<WebhookDeliveryModel, 'organizationId' | 'endpointId' | 'eventId'>,
  teamId: string,
  dueAt: Date,
): Promise<string | undefined> {
  const { models } = tables
  const event = await findPlacedEvent(tables, key.organizationId, key.eventId)
  if (event === undefined || (teamId !== '' && teamId !== event.teamId)) return undefined
  const { position, targetType, targetId } = event
  const due = { status: 'PENDING', attempts: 0, dueAt } as const
  const { count } = await models.webhookDelivery.updateMany({ where: { ...key }, data: due })
  if (count === 0) {
    const data = { ...key, position, targetType, targetId, createdAt: dueAt, ...due }
    await models.webhookDelivery.create({ data, select: { eventId: true } })
  }
  return String(position)
}

type SentDelivery = Omit<WebhookDeliveryModel, 'attempts' | 'lastAttemptAt' | 'dueAt'>

/** Records a delivery of an endpoint that is locked, unless its event was resent meanwhile. */
export async function recordSent({ models }: Tables, sent: SentDelivery): Promise<void> {
  const attempt = { attempts: 1, lastAttemptAt: sent.createdAt, dueAt: sent.createdAt }
  await models.webhookDelivery.createMany({ data: [{ ...sent, ...attempt }], skipDuplicates: true })
}

/** Makes failed and waiting deliveries due: all of them, or those with an attempt since a time. */
export const recoverDeliveries = createLookUp<
  EndpointKey & { readonly since: string | null; readonly now: string },
  { readonly recovered: number }
>({
  name: 'recover_webhook_deliveries',
  columns: { recovered: 'int4' },
  text: ({ id, since, now }) => Prisma.sql`
WITH recovered AS (
  UPDATE webhook_deliveries d
     SET status = 'PENDING', attempts = 0, due_at = ${now}::timestamptz
   WHERE ${ofOrganization('d')} AND d.endpoint_id = ${id}
     AND (d.status = 'FAILED' OR d.status = 'PENDING' AND ${waitsBeyond(Prisma.sql`${now}::timestamptz`)})
     AND (${since}::timestamptz IS NULL OR d.last_attempt_at >= ${since}::timestamptz)
  RETURNING d.event_id
)
SELECT count(*)::int AS recovered FROM recovered`,
})

/** The endpoints of all organizations with attempts that are due, and since when. */
export async function endpointsWithDueAttempts({ models }: Tables, now: Date) {
  const groups = await models.webhookDelivery.groupBy({
    by: ['organizationId', 'endpointId'],
    where: { status: 'PENDING', dueAt: { lte: now } },
    _min: { dueAt: true },
  })
  return groups.map(({ organizationId, endpointId: id, _min }) => ({ organizationId, id, since: _min.dueAt ?? now }))
}
