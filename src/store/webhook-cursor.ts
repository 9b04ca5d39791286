import { Prisma } from '../../gen/prisma/client.js'
import { createStatement } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { ofOrganization } from './scope.js'
import type { EndpointKey } from './webhook-endpoint.js'

/** How many events are looked at for an endpoint at a time, whether it wants them or not. */
const LOOKED_AT = 1_000

/** How an endpoint's cursor moved. */
export interface Taken {
  /** How many deliveries it made. */
  readonly taken: number
  /** Whether there may be more events. */
  readonly hasMore: boolean
}

interface TakeParameters extends EndpointKey {
  readonly room: number
}

/** The events that an endpoint wants of those that it has moved past. */
interface Passed extends Pick<Taken, 'hasMore'> {
  /** Null for none. */
  readonly eventIds: readonly string[] | null
}

/**
 * Looks for the next events that an endpoint wants, and moves its cursor past them, unless another process is about
 * to.
 */
const pass = createStatement<TakeParameters, Passed>({
  name: 'pass_webhook_events',
  planned: 'anew',
  columns: { eventIds: 'text[]', hasMore: 'bool' },
  text: ({ id, room }) => Prisma.sql`
WITH endpoint AS MATERIALIZED (
  SELECT w.*
    FROM webhook_endpoints w
   WHERE ${ofOrganization('w')} AND w.id = ${id} AND w.status = 'ENABLED'
     FOR NO KEY UPDATE SKIP LOCKED
), looked_at AS MATERIALIZED (
  SELECT f.position, f.event_id
    FROM event_feed f
   WHERE ${ofOrganization('f')} AND f.position > (SELECT position FROM endpoint)
   ORDER BY f.position
   LIMIT ${Prisma.raw(String(LOOKED_AT))}
), wanted AS MATERIALIZED (
  SELECT l.position, l.event_id
    FROM looked_at l
    JOIN audit_events a ON ${ofOrganization('a')} AND a.id = l.event_id
   CROSS JOIN endpoint w
   WHERE (cardinality(w.types) = 0 OR a.action = ANY (w.types)) AND (w.team_id IS NULL OR a.team_id = w.team_id)
   ORDER BY l.position
   LIMIT ${room}
), last AS MATERIALIZED (
  SELECT CASE WHEN (SELECT count(*) FROM wanted) = ${room} THEN (SELECT max(position) FROM wanted)
              ELSE (SELECT max(position) FROM looked_at) END AS position
), moved AS (
  UPDATE webhook_endpoints w SET position = last.position
    FROM last
   WHERE ${ofOrganization('w')} AND w.id = ${id} AND last.position IS NOT NULL
)
SELECT (SELECT array_agg(event_id::text) FROM wanted) AS "eventIds",
       EXISTS (SELECT FROM event_heads h WHERE ${ofOrganization('h')} AND h.position > last.position) AS "hasMore"
  FROM last`,
})

interface DeliverParameters extends EndpointKey {
  readonly eventIds: readonly string[]
}

/** Makes deliveries of events. What was delivered before and comes again, after a replay, begins anew. */
const deliver = createStatement<DeliverParameters, Record<never, never>>({
  name: 'insert_webhook_deliveries',
  columns: {},
  text: ({ id, eventIds }) => Prisma.sql`
INSERT INTO webhook_deliveries AS d
       (organization_id, endpoint_id, event_id, position, target_type, target_id, due_at)
SELECT f.organization_id, ${id}, f.event_id, f.position, a.target_type, a.target_id, now()
  FROM event_feed f
  JOIN audit_events a ON ${ofOrganization('a')} AND a.id = f.event_id
 WHERE ${ofOrganization('f')} AND f.event_id = ANY (${eventIds}::uuid[])
    ON CONFLICT (organization_id, event_id, endpoint_id) DO UPDATE
   SET status = 'PENDING', attempts = 0, due_at = EXCLUDED.due_at
 WHERE d.status <> 'PENDING'`,
})

/** The statements of this file. */
export const webhookCursorStatements = [pass, deliver]

/** Makes deliveries of the next events of an endpoint, unless another process does. */
export function takeEvents(tables: Tables, { room, ...key }: TakeParameters): Promise<Taken> {
  return tables.transaction(async (transaction) => {
    const [passed] = await transaction.run(pass, { room, ...key })
    const { eventIds = null, hasMore = false } = passed ?? {}
    if (eventIds !== null) await transaction.run(deliver, { eventIds, ...key })
    return { taken: eventIds?.length ?? 0, hasMore }
  })
}
