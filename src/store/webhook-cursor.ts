import { Prisma } from '../../gen/prisma/client.js'
import { createLookUp, createQuery, type Tables } from '../db/tables.js'
import { eventsAfter } from './event.js'
import { ofOrganization } from './visibility.js'
import { type EndpointRoom, waitsBeyond } from './webhook-delivery.js'
import type { EndpointKey } from './webhook-endpoint.js'

/** How many events are looked at for an endpoint at a time, whether it wants them or not. */
const LOOKED_AT = 200

export interface Taken {
  readonly taken: number
  readonly hasMore: boolean
}

/** Whether an endpoint `w` wants an event `e`. Its own tests are sent to it at once, whatever it wants. */
const isWanted = Prisma.sql`(cardinality(w.types) = 0 OR e.action = ANY (w.types)) AND (w.team_id IS NULL OR e.team_id = w.team_id)
     AND (e.action <> 'webhook_endpoint.test' OR e.target_id <> w.id)`

/**
 * Looks for the next events that an endpoint wants, and moves its cursor past them, unless another process is doing so.
 */
const pass = createLookUp<EndpointRoom, Taken & { readonly wanted: string | null }>({
  name: 'pass_webhook_events',
  columns: { taken: 'int4', wanted: 'text', hasMore: 'bool' },
  text: ({ id, room }) => Prisma.sql`
WITH endpoint AS MATERIALIZED (
  SELECT w.*
    FROM webhook_endpoints w
   WHERE ${ofOrganization('w')} AND w.id = ${id} AND w.status = 'ENABLED'
     FOR NO KEY UPDATE SKIP LOCKED
), looked_at AS MATERIALIZED (${eventsAfter(Prisma.sql`(SELECT position FROM endpoint)`, Prisma.raw(String(LOOKED_AT)))}
), wanted AS MATERIALIZED (
  SELECT e.position, e.id, e.target_type, e.target_id
    FROM looked_at e
   CROSS JOIN endpoint w
   WHERE ${isWanted}
   ORDER BY e.position
   LIMIT ${room}
), last AS MATERIALIZED (
  SELECT CASE WHEN (SELECT count(*) FROM wanted) = ${room} THEN (SELECT max(position) FROM wanted)
              ELSE (SELECT max(position) FROM looked_at) END AS position
), moved AS (
  UPDATE webhook_endpoints w SET position = last.position
    FROM last
   WHERE ${ofOrganization('w')} AND w.id = ${id} AND last.position IS NOT NULL
)
SELECT (SELECT count(*) FROM wanted)::int AS taken,
       (SELECT json_agg(w)::text FROM wanted w) AS wanted,
       EXISTS (SELECT FROM event_heads h WHERE ${ofOrganization('h')} AND h.position > last.position) AS "hasMore"
  FROM last`,
})

/**
 * Creates deliveries of events. Existing ones, of events that come again after a replay, start over, also while they
 * wait for their next attempt.
 */
const deliver = createQuery<EndpointKey & { readonly wanted: string }>({
  name: 'insert_webhook_deliveries',
  columns: {},
  text: ({ organizationId, id, wanted }) => Prisma.sql`
INSERT INTO webhook_deliveries AS d (organization_id, endpoint_id, event_id, position, target_type, target_id, due_at)
SELECT w.organization_id, w.id, e.id, e.position, e.target_type, e.target_id, now()
  FROM webhook_endpoints w
 CROSS JOIN json_to_recordset(${wanted}) AS e (id uuid, position bigint, target_type text, target_id text)
 WHERE w.organization_id = ${organizationId} AND w.id = ${id}
    ON CONFLICT (organization_id, event_id, endpoint_id) DO UPDATE
   SET status = 'PENDING', attempts = 0, due_at = EXCLUDED.due_at
 WHERE d.status <> 'PENDING' OR ${waitsBeyond(Prisma.sql`EXCLUDED.due_at`)}`,
})

/** Makes deliveries of the next events of an endpoint, unless another process does. */
export function takeEvents(tables: Tables, { room, ...key }: EndpointRoom): Promise<Taken> {
  return tables.transaction(async (transaction) => {
    const { wanted = null, taken = 0, hasMore = false } = (await pass(transaction, { room, ...key })) ?? {}
    if (wanted !== null) await deliver(transaction, { wanted, ...key })
    return { taken, hasMore }
  })
}

/** How many of the next so many events from a position on an endpoint wants. */
export const countWantedEvents = createLookUp<
  EndpointKey & { readonly from: string; readonly events: number },
  { readonly wanted: number }
>({
  name: 'count_wanted_events',
  columns: { wanted: 'int4' },
  text: ({ id, from, events }) => Prisma.sql`
SELECT count(*)::int AS wanted
  FROM (${eventsAfter(Prisma.sql`${from}::bigint - 1`, Prisma.sql`${events}`)}) e
 CROSS JOIN webhook_endpoints w
 WHERE ${ofOrganization('w')} AND w.id = ${id} AND ${isWanted}`,
})
